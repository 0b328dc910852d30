"""What is shown around a needle: cut between words and characters, and never long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gtopss.explain.excerpts import make_excerpt, text_start
from gtopss.explain.limits import EXCERPT_CHARACTERS, MAX_NEEDLE_CHARACTERS, TEXT_START_CHARACTERS


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("«flood»", "«flood»"),
        ("after the «flood» in", "after the «flood» in"),
        ("Houses and gardens that were there after the «flood» in the valley which everybody knows by name",
         "…that were there after the «flood» in the valley which everybody…"),
        (" \n blanks \n\t and\u00a0lines «flood»\n\n here \n", "blanks and lines «flood» here"),
        ("x" * 50 + "«flood»" + "y" * 50, "…" + "x" * 30 + "«flood»" + "y" * 30 + "…"),
        ("e\u0301" * 40 + "x«flood»" + "e\u0301" * 40, "…" + "e\u0301" * 14 + "x«flood»" + "e\u0301" * 15 + "…"),
        ("a «cafe»\u0301 b", "a «cafe\u0301» b"),
        ("a «👍»🏽 b", "a «👍🏽» b"),
    ],
)  # fmt: skip
def test_surroundings_are_cut_between_words_and_characters(text: str, shown: str) -> None:
    plain, start, end = text.replace("«", "").replace("»", ""), text.index("«"), text.index("»") - 1
    assert str(make_excerpt(plain, start, end)) == shown


@given(st.text(st.sampled_from("ab \n\u0301語👍🏽\u200d"), min_size=1, max_size=200), st.data())
def test_an_excerpt_is_short_and_part_of_the_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    made = make_excerpt(text, start, end)
    assert len(made.before) <= EXCERPT_CHARACTERS + 1
    assert len(made.after) <= EXCERPT_CHARACTERS + 1
    assert len(made.found) <= MAX_NEEDLE_CHARACTERS + 1
    for part in (*made.found.split("…"), made.before.strip("…"), made.after.strip("…")):
        assert "".join(part.split()) in "".join(text.split())
    assert len(str(made.narrowed(10))) <= 3 * 11 + 2
    assert len(text_start(text)) <= TEXT_START_CHARACTERS + 1


def test_the_middle_of_a_long_find_is_left_out() -> None:
    found = make_excerpt("a" * 1_000, 0, 1_000).found
    assert found == "a" * 50 + "…" + "a" * 50


def test_a_narrow_excerpt_keeps_the_needle() -> None:
    made = make_excerpt("Houses that were there after the flood in the valley of the river", 33, 38)
    assert str(made.narrowed(10)) == "…after the «flood» in the…"
