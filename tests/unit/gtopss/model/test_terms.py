from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyoxigraph as ox
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st

from gtopss.errors import InvalidTerm
from gtopss.model.terms import (
    MAX_CACHED_TERM_CHARACTERS,
    MAX_CACHED_TERMS,
    RDF_LANG_STRING,
    XSD,
    XSD_STRING,
    Term,
    cache_short_terms,
    iri,
    literal,
    literal_parts,
    literal_start,
    parse_term,
    term,
    to_rdflib,
)

texts = st.text(st.characters(codec="utf-8"))


@given(texts)
def test_literals_are_printed_as_pyoxigraph_prints_them(text: str) -> None:
    assert literal(text) == str(ox.Literal(text))


@given(texts, st.sampled_from([None, XSD + "integer", "urn:other"]), st.sampled_from([None, "en", "de-CH"]))
def test_a_literal_gives_back_its_parts(text: str, datatype: str | None, language: str | None) -> None:
    expected = (text, RDF_LANG_STRING, language.lower()) if language else (text, datatype or XSD_STRING, None)
    made = literal(text, datatype, language)
    assert literal_parts(made) == expected
    assert parse_term(made) == made


@pytest.mark.parametrize(
    "value",
    [
        rdflib.URIRef("http://example.org/a"),
        rdflib.BNode("b0"),
        rdflib.Literal('a\n"b"\\'),
        rdflib.Literal("chat", lang="fr"),
        rdflib.Literal("01", datatype=rdflib.XSD.integer, normalize=False),
        rdflib.Literal("x", datatype=rdflib.URIRef("urn:unknown")),
        rdflib.Variable("x"),
    ],
)
def test_rdflib_terms_survive_the_round_trip(value: rdflib.term.Identifier) -> None:
    back = to_rdflib(term(value))
    assert back == value
    assert str(back) == str(value)
    assert isinstance(back, type(value))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, f'"5"^^<{XSD}integer>'),
        (True, f'"true"^^<{XSD}boolean>'),
        (Decimal("1.50"), f'"1.50"^^<{XSD}decimal>'),
        (dt.date(2001, 5, 21), f'"2001-05-21"^^<{XSD}date>'),
        (rdflib.Literal("a", datatype=rdflib.XSD.string), '"a"'),
        (rdflib.Literal("?x"), '"?x"'),
        ("$x", "?x"),
        ('"a"@EN-gb', '"a"@en-gb'),
        ('"\\u00e9"', '"é"'),
        (ox.NamedNode("urn:a"), "<urn:a>"),
    ],
)
def test_what_becomes_a_term(value: object, text: str) -> None:
    assert term(value) == text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [
        "Arno Jacobsen", "", "<http://a b>", "<unclosed", '"open', '"a"@', '"a"^^', '"a"^^<b c>', '"\\q"', '"\\uD8"',
        "_:", "_:a b", "?", "?a b", '"\\UFFFFFFFF"', None, [], object(), rdflib.URIRef("http://a b"),
        rdflib.URIRef("a>b"),
    ],
)  # fmt: skip
def test_what_does_not(value: object) -> None:
    with pytest.raises(InvalidTerm):
        term(value)  # type: ignore[arg-type]


@given(st.text(max_size=30))
def test_any_text_is_a_term_or_an_invalid_term(text: str) -> None:
    try:
        made = parse_term(text)
    except InvalidTerm:
        return
    assert parse_term(made) == made


def test_long_terms_are_not_cached() -> None:
    """Whoever sends many long ones would fill the memory."""
    calls: list[int] = []

    @cache_short_terms
    def length(term: Term) -> int:
        calls.append(len(term))
        return len(term)

    short, long = Term("<urn:a>"), Term(f"<urn:{'a' * MAX_CACHED_TERM_CHARACTERS}>")
    assert [length(short), length(short), length(long), length(long)] == [7, 7, len(long), len(long)]
    assert calls == [7, len(long), len(long)]
    for number in range(MAX_CACHED_TERMS):
        length(Term(f"<urn:{number}>"))
    length(short)
    assert calls[-1] == 7


@given(st.text(st.sampled_from('a\\"\n\x01\U0001f600ub0'), max_size=60), st.integers(0, 20))
def test_the_start_of_a_literal_is_that_of_its_text(text: str, characters: int) -> None:
    for made in (literal(text), literal(text, "urn:d"), literal(text, language="en")):
        assert literal_start(made, characters) == text[:characters]


def test_an_error_shows_little_of_a_long_text() -> None:
    long = "a" * 1_000_000
    for make in (lambda: literal("x", language=long), lambda: literal(long, language="-"), lambda: iri(f"{long} ")):
        with pytest.raises(InvalidTerm) as caught:
            make()
        assert len(str(caught.value)) < 1_000
