"""Where a needle is in the text as it was written, though the mapped text has another length."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gtopss.explain.needle_places import find_needle, original_range
from gtopss.model import Term
from gtopss.model.expressions import call
from gtopss.model.terms import literal
from gtopss.semantics.budget import EvaluationBudget, EvaluationLimits

ALPHABET = "aSßİıΣσςŉǰΐﬃ ə́e\u0301語👍"


def place(function: str, mapping: Callable[[str], str] | None, text: str, needle: str) -> str | None:
    test = call(function, Term("?t"), literal(needle))
    found = find_needle(test, mapping, text, needle, EvaluationBudget(EvaluationLimits()))
    return None if found is None else found.text[found.start : found.end]


@pytest.mark.parametrize(
    ("function", "mapping", "text", "needle", "found"),
    [
        ("CONTAINS", None, "after the flood in", "flood", "flood"),
        ("CONTAINS", str.upper, "Große Straße 5", "SSE 5", "ße 5"),
        ("CONTAINS", str.upper, "Große Straße 5", "SE 5", "ße 5"),
        ("CONTAINS", str.lower, "İİ Istanbul", "stan", "stan"),
        ("CONTAINS", str.lower, "ΟΔΟΣ ΟΔΟΣΑ", "οδος", "ΟΔΟΣ"),
        ("STRSTARTS", str.upper, "ß ss", "S", "ß"),
        ("STRENDS", str.upper, "ss ß", "S", "ß"),
        ("=", str.upper, "Straße", "STRASSE", "Straße"),
        ("REGEX", None, "日本 the flood", "fl(oo|u)d", "flood"),
        ("REGEX", str.upper, "ßß the flood", "FL(OO|U)D", "flood"),
        ("WORDS", None, "<p>&auml;&amp; O<b>pe</b>n source</p>", "open source", "Open source"),
        ("HAS", None, "Sponsored &lt;b&gt; by", "b by", "b> by"),
        ("CONTAINS", None, "text", "", None),
        ("STRENDS", None, "d", "flood", None),
    ],
)
def test_a_needle_is_found_where_it_was_written(
    function: str, mapping: Callable[[str], str] | None, text: str, needle: str, found: str | None
) -> None:
    assert place(function, mapping, text, needle) == found


@given(st.text(st.sampled_from(ALPHABET), min_size=1, max_size=12), st.sampled_from([str.lower, str.upper]), st.data())
def test_the_range_is_the_characters_whose_images_overlap(
    text: str, mapping: Callable[[str], str], data: st.DataObject
) -> None:
    owners = [number for number, each in enumerate(text) for _ in mapping(each)]
    assert len(owners) == len(mapping(text))
    start = data.draw(st.integers(0, len(owners) - 1))
    end = data.draw(st.integers(start + 1, len(owners)))
    assert original_range(text, mapping, start, end) == (owners[start], owners[end - 1] + 1)


def test_a_place_in_a_long_text() -> None:
    assert place("CONTAINS", str.upper, "ß" * 5_000 + "flood", "SFLOOD") == "ßflood"
