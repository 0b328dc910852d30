"""Batches of the index: subscriptions are numbered alike in each way, removed ones are dropped, ranges are joined."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from gtopss import Engine, Publication
from gtopss.matching.batch_source import GivenPublications
from gtopss.matching.index import index_batch
from gtopss.matching.index import matcher as matcher_module
from gtopss.matching.index.index_batch import IndexBatch, MatchedRows, RangeMatches, _Joined, _number_slots
from gtopss.matching.index.kernels.pattern_task import COUNTER_COLUMNS
from gtopss.matching.index.matcher import IndexMatcher
from gtopss.matching.threads import MatchThreads


@pytest.mark.parametrize(("few", "per_match"), [(10**6, 1), (0, 10**6), (0, 1)], ids=["lists", "marks", "sorted"])
def test_slots_are_numbered_in_every_way(few: int, per_match: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_batch, "MAX_FEW_MATCHES", few)
    monkeypatch.setattr(index_batch, "MIN_SLOTS_PER_MATCH", per_match)
    chance, by_slot = Random(few + per_match), [f"s{slot}" for slot in range(500)]
    for lengths in ([0], [5], [30, 0, 40], [200, 1]):
        slots = [np.array(chance.choices(range(500), k=length), np.int32) for length in lengths]
        named, places = _number_slots(slots, by_slot)  # type: ignore[arg-type]
        assert [[named[place] for place in each] for each in places] == [
            [f"s{slot}" for slot in each] for each in slots
        ]
        assert sorted(map(str, named)) == sorted({f"s{slot}" for each in slots for slot in each})
        assert all(each.dtype == np.int32 for each in places)


class Encoded:
    """What a batch needs of an encoded subscription to name it."""

    def __init__(self, id: str) -> None:
        self.id = id


def rows(counts: list[int], slots: list[int]) -> MatchedRows:
    nothing = np.zeros(len(slots), np.int16), np.full(len(slots), -1, np.int64)
    return MatchedRows(np.array(counts), np.array(slots, np.int32), *nothing)


def found(counts: list[int], slots: list[int], **parts: Any) -> RangeMatches:
    publications = [Publication(f"p{number}", []) for number in range(len(counts))]
    counters = np.zeros((len(counts), COUNTER_COLUMNS), np.int64)
    return RangeMatches(publications, rows(counts, slots), None, counters, {}, **parts)


def test_a_subscription_that_was_removed_meanwhile_does_not_match() -> None:
    by_slot: Any = [Encoded("a"), None, Encoded("c")]
    batch = IndexBatch([found([2, 1], [0, 1, 1]), found([0, 3], [2, 1, 0])], by_slot, None)  # type: ignore[arg-type]
    assert list(batch.ids()) == [("a",), (), (), ("c", "a")]
    assert set(batch.subscription_ids) == {"a", "c"}
    assert [report.subscription_ids for report in batch.reports()] == list(batch.ids())


def test_rows_of_a_slot_are_found_once() -> None:
    twice = rows([3, 2], [4, 5, 4, 4, 4])
    assert twice.is_first_of_slot().tolist() == [True, True, False, True, False]
    assert twice.where(twice.is_first_of_slot()).counts.tolist() == [2, 1]
    assert not twice.has_each_slot_once()
    assert rows([1, 1], [4, 5]).has_each_slot_once()


def test_joined_ranges_are_one_sequence() -> None:
    joined = _Joined([["a"], [], ["b", "c"]])
    assert (len(joined), list(joined), joined[1:], joined[-1], joined[0]) == (3, ["a", "b", "c"], ["b", "c"], "c", "a")
    with pytest.raises(IndexError):
        joined[3]


def test_ranges_that_are_too_large_are_matched_in_halves_between_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The batches come in order, and say the same as one batch."""
    monkeypatch.setattr(matcher_module, "MAX_RANGE_PUBLICATIONS", 8)
    made = Engine(threads=2)
    made.add("SELECT ?x ?y { ?x <urn:p> ?y }", id="all")
    sizes = [1] * 8 + [40] * 8 + [1] * 8
    publications = [
        Publication(f"p{number}", [("<urn:a>", "<urn:p>", f"<urn:o{n}>") for n in range(size)])
        for number, size in enumerate(sizes)
    ]
    monkeypatch.setattr(matcher_module, "MAX_BATCH_VALUES", 300)
    matcher = made._core.matcher
    assert isinstance(matcher, IndexMatcher)
    batches = list(matcher.match_batches(GivenPublications(publications), 10_000, MatchThreads(2)))
    assert len(batches) > 3
    ids = [id for batch in batches for id in batch.publication_ids]
    assert ids == [each.id for each in publications]
    whole = made.match_batch(publications)
    assert np.diff(whole.solutions.offsets).tolist() == sizes
    assert whole.publication.tolist() == list(range(len(sizes)))
