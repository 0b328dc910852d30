"""Workload i and its variants: needles by the hundred thousand, and about as many matches at every size."""

from __future__ import annotations

from statistics import mean

import pytest

from gtopss.experiments.peers.needle_conjunctions import read_needles, title_of
from gtopss.experiments.workloads import TEXT_WORKLOADS, Workload
from gtopss.experiments.workloads.news_words import keywords, made_up_word, real_titles, real_words
from gtopss.semantics.words import words_needle, words_text


def matches(workload: Workload, items: int) -> list[int]:
    """The matches of each item, by a search for words: a search for substrings must find the same."""
    subscriptions = read_needles(workload.subscriptions())
    counts = []
    for publication in workload.publications(items):
        title = title_of(publication)
        found = [each for each in subscriptions if all(needle in title for needle in each.needles)]
        mapped = words_text(title)
        assert found == [
            each for each in subscriptions if all(words_needle(needle) in mapped for needle in each.needles)
        ]
        counts.append(len(found))
    return counts


@pytest.mark.parametrize("name", TEXT_WORKLOADS)
def test_a_workload_is_deterministic(name: str) -> None:
    one, other = TEXT_WORKLOADS[name](200), TEXT_WORKLOADS[name](200)
    assert list(one.subscriptions()) == list(one.subscriptions()) == list(other.subscriptions())
    assert one.publications(5) == other.publications(5)
    assert one.publications(5)[:3] == one.publications(3)
    assert len({each.id for each in one.subscriptions()}) == one.size == 200


def test_an_item_has_about_five_matches_at_every_size() -> None:
    assert 3 <= mean(matches(keywords(500), 20)) <= 7
    assert 3 <= mean(matches(keywords(3_000), 20)) <= 7


def test_there_are_more_different_needles_than_subscriptions() -> None:
    read = read_needles(keywords(2_000).subscriptions())
    assert len({needle for each in read for needle in each.needles}) >= 2_000
    assert {len(each.needles) for each in read} == {1, 2, 3}


def test_a_needle_is_no_part_of_another_word() -> None:
    text = "\n".join(real_titles()).lower()
    assert len(real_words()) > 1_000
    assert not any(made_up_word(number) in text for number in range(500))
    assert len({made_up_word(number) for number in range(10_000)}) == 10_000
    assert {len(made_up_word(number)) for number in range(0, 10**7, 99_991)} == {9}
