"""Numbers and moments as compiled code reads them, beside the rules that they are read by everywhere else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gtopss.matching.index.kernels.terms import PADDING
from gtopss.matching.index.kernels.values import NEEDS_PYTHON, read_values
from gtopss.matching.index.value_intervals import NO_INTERVAL, ValueInterval, interval_of
from gtopss.model.terms import XSD, Term, iri, literal

TYPES = ("integer", "decimal", "double", "float", "dateTime", "date", "time", "int", "boolean", "dateTimeStamp")
PLAIN = [
    ("5", "integer"),
    ("-17", "integer"),
    ("123456789012345", "integer"),
    ("0.1", "decimal"),
    ("-2.50", "decimal"),
    (".5", "decimal"),
    ("5.", "decimal"),
    ("1e3", "double"),
    ("-1.25E-7", "double"),
    ("3.14", "double"),
    ("2026-11-16T07:06:39Z", "dateTime"),
    ("2024-02-29T23:59:59", "dateTime"),
    ("1999-12-31T00:00:00-05:30", "dateTime"),
    ("2000-02-29", "date"),
    ("2026-11-16+01:00", "date"),
]
ODD = [
    ("5.0", "integer"),
    ("", "integer"),
    ("+", "decimal"),
    (".", "decimal"),
    ("1.2.3", "decimal"),
    ("1e", "double"),
    ("1e9999", "double"),
    ("INF", "double"),
    ("NaN", "double"),
    ("9" * 30, "integer"),
    ("0." + "1" * 30, "decimal"),
    ("2023-02-29T00:00:00Z", "dateTime"),
    ("2023-13-01", "date"),
    ("2023-00-01", "date"),
    ("2023-01-00", "date"),
    ("0000-01-01", "date"),
    ("-0001-01-01", "date"),
    ("+2023-01-01", "date"),
    ("12023-01-01", "date"),
    ("2023-01-01T24:00:00", "dateTime"),
    ("2023-01-01T10:00:00.5Z", "dateTime"),
    ("2023-01-01T10:00:00+14:00", "dateTime"),
    ("2023-01-01T10:00:00+14:30", "dateTime"),
    ("2023-01-01T10:00Z", "dateTime"),
    ("2023-01-01", "dateTime"),
    ("2023-01-01T10:00:00", "date"),
    ("5 ", "integer"),
    ("٥", "integer"),
    ("5", "integers"),
]


def read(*terms: Term, plain_literals: bool = False) -> list[ValueInterval]:
    lines = [f"{term}\n".encode() for term in terms]
    begins = np.cumsum([0, *map(len, lines)])
    domain, low, high = read_values(
        np.frombuffer(b"".join(lines) + PADDING, np.uint8),
        begins,
        np.arange(len(terms), dtype=np.int32),
        plain_literals,
    )
    return list(zip(domain.tolist(), low.tolist(), high.tolist(), strict=True))


@pytest.mark.parametrize(("text", "name"), PLAIN)
def test_usual_forms_are_read(text: str, name: str) -> None:
    term = literal(text, XSD + name)
    assert read(term) == [interval_of(term)]


@pytest.mark.parametrize(("text", "name"), ODD)
def test_other_values_are_left_to_python_or_read_alike(text: str, name: str) -> None:
    term = literal(text, XSD + name)
    (found,) = read(term)
    assert found[0] == NEEDS_PYTHON or found == interval_of(term)


def test_what_has_no_value_is_nowhere() -> None:
    terms = [iri("urn:5"), literal("5"), literal("5", language="en"), Term("_:5"), literal('5"^^<urn:x>')]
    assert read(*terms) == [interval_of(term) for term in terms]


@st.composite
def lexicals(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(("number", "double", "moment", "noise")))
    if kind == "number":
        return draw(st.from_regex(r"[+-]?[0-9]{0,9}(\.[0-9]{0,9})?", fullmatch=True))
    if kind == "double":
        return draw(st.from_regex(r"[+-]?[0-9]{1,9}(\.[0-9]{0,7})?[eE][+-]?[0-9]{1,3}", fullmatch=True))
    if kind == "moment":
        date = r"[0-9]{4}-[01][0-9]-[0-3][0-9]"
        return draw(
            st.from_regex(date + r"(T[0-2][0-9]:[0-6][0-9]:[0-6][0-9])?(Z|[+-][01][0-9]:[0-6][0-9])?", fullmatch=True)
        )
    return draw(st.text("0123456789+-.:TZeE ", max_size=24))


@given(st.lists(st.tuples(lexicals(), st.sampled_from(TYPES)), min_size=1, max_size=20))
def test_any_text_is_left_or_read_as_everywhere(texts: list[tuple[str, str]]) -> None:
    terms = [literal(text, XSD + name) for text, name in texts]
    for term, found in zip(terms, read(*terms), strict=True):
        assert found[0] == NEEDS_PYTHON or found == interval_of(term), term


@pytest.mark.parametrize(("text", "name"), PLAIN)
def test_plain_literals_are_read_if_they_count(text: str, name: str) -> None:
    typed = literal(text, XSD + ("decimal" if text == "3.14" else name))
    assert read(literal(text), plain_literals=True) == [interval_of(typed)]
    assert read(literal(text)) == [NO_INTERVAL]


@given(st.lists(lexicals(), min_size=1, max_size=20))
def test_any_plain_literal_is_left_or_read_as_everywhere(texts: list[str]) -> None:
    terms = [*map(literal, texts), *(literal(text, language="en") for text in texts)]
    for term, found in zip(terms, read(*terms, plain_literals=True), strict=True):
        assert found[0] == NEEDS_PYTHON or found == interval_of(term, plain_literals=True), term


def test_texts_that_are_no_numbers_are_not_left_to_python() -> None:
    terms = [literal(text) for text in ("10 Downing Street", "", "abc", "2001\n", '"', "\\", "1,000", "INF", "NaN")]
    assert read(*terms, plain_literals=True) == [NO_INTERVAL] * len(terms)
