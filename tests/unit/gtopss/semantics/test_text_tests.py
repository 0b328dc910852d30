"""Which texts a constraint needs, and which constraints never hold."""

from __future__ import annotations

import sys
import warnings

import pytest
from support.evaluation import parse_expression

from gtopss import Engine
from gtopss.errors import NeverMatches
from gtopss.model.expressions import Call
from gtopss.model.terms import Term
from gtopss.semantics.text_tests import MAX_NEEDLE_CHARACTERS, NO_NEEDS, TextMapping, map_text, never_occurs, text_needs
from gtopss.semantics.words import SEPARATOR


def test_of(text: str) -> Call:
    made = parse_expression(text)
    assert isinstance(made, Call)
    return made


test_of.__test__ = False  # type: ignore[attr-defined]


def needs_of(text: str) -> tuple[list[list[str]], bool]:
    """The clauses of a constraint, each atom as `mapping kind variable needle`, and whether they are exact."""
    clauses, exact = text_needs(test_of(text))
    written = [
        [
            f"{atom.mapping.name}{' of str' if atom.of_str else ''} {atom.kind.name} {atom.variable} {atom.needle}"
            for atom in clause
        ]
        for clause in clauses
    ]
    return written, exact


@pytest.mark.parametrize(
    ("text", "clauses", "exact"),
    [
        ('CONTAINS(?t, "x")', [["WRITTEN CONTAINS ?t x"]], True),
        ('STRSTARTS(LCASE(?t), "x")', [["LOWER STARTS ?t x"]], True),
        ('STRENDS(UCASE(STR(?t)), "X")', [["UPPER of str ENDS ?t X"]], True),
        ('LCASE(?t) = "x"', [["LOWER EQUALS ?t x"]], True),
        ('"x" = STR(?t)', [["WRITTEN of str EQUALS ?t x"]], True),
        ('?t = "x"', [['TERM EQUALS ?t "x"']], True),
        ('sameTerm(?t, "1"^^xsd:integer)', [['TERM EQUALS ?t "1"^^<http://www.w3.org/2001/XMLSchema#integer>']], True),
        ('words(?t, "Open Source")', [[f"WORDS CONTAINS ?t {SEPARATOR}open{SEPARATOR}source{SEPARATOR}"]], True),
        ('CONTAINS(?t, "x"@en)', [["WRITTEN CONTAINS ?t x"]], False),
        ('LCASE(?t) = "x"@en', [["LOWER CONTAINS ?t x"]], False),
        ('?t IN ("a", <u:b>, "c"@en)', [['TERM EQUALS ?t "a"', "TERM EQUALS ?t <u:b>", 'TERM EQUALS ?t "c"@en']], True),
        ('LCASE(?t) IN ("a", "b")', [["LOWER EQUALS ?t a", "LOWER EQUALS ?t b"]], True),
        ('CONTAINS(?t, "a") && CONTAINS(?u, "b")', [["WRITTEN CONTAINS ?t a"], ["WRITTEN CONTAINS ?u b"]], True),
        ('CONTAINS(?t, "a") && ?t > 5', [["WRITTEN CONTAINS ?t a"]], False),
        ('CONTAINS(?t, "a") || CONTAINS(?u, "b")', [["WRITTEN CONTAINS ?t a", "WRITTEN CONTAINS ?u b"]], True),
        (
            '(CONTAINS(?t, "a") && CONTAINS(?t, "longer")) || CONTAINS(?t, "b")',
            [["WRITTEN CONTAINS ?t longer", "WRITTEN CONTAINS ?t b"]],
            False,
        ),
    ],
)  # fmt: skip
def test_needs(text: str, clauses: list[list[str]], exact: bool) -> None:
    assert needs_of(text) == (clauses, exact)


@pytest.mark.parametrize(
    "text",
    [
        'CONTAINS(?t, "")',  # holds of every string
        'CONTAINS(STR(?t), "x"@en)',  # never holds, which the evaluator knows
        "CONTAINS(?t, ?u)",
        'CONTAINS("x", ?t)',
        'CONTAINS(CONCAT(?t, "x"), "x")',
        'CONTAINS(STR(LCASE(?t)), "x")',
        "?t = 5",  # equal to 5.0 too
        "?t IN (5, 6)",
        '?t IN ("a", 5)',
        'CONTAINS(?t, "a") || ?t > 5',
        '!CONTAINS(?t, "a")',
        '?t != "a"',
        '"a" = "b"',
    ],
)
def test_what_is_not_known(text: str) -> None:
    assert text_needs(test_of(text)) == NO_NEEDS


@pytest.mark.parametrize("function", ["CONTAINS", "STRSTARTS", "STRENDS", "="])
def test_of_a_long_needle_the_beginning_is_looked_for(function: str) -> None:
    for length in (MAX_NEEDLE_CHARACTERS, MAX_NEEDLE_CHARACTERS + 1, 10_000):
        needle = "abcd" * (length // 4) + "x" * (length % 4)
        call = f'STR(?t) = "{needle}"' if function == "=" else f'{function}(STR(?t), "{needle}")'
        ((atom,),), exact = text_needs(test_of(call))
        assert exact == (length <= MAX_NEEDLE_CHARACTERS)
        assert needle.startswith(atom.needle)
        expected = {"CONTAINS": "CONTAINS", "STRSTARTS": "STARTS", "STRENDS": "ENDS", "=": "EQUALS"}[function]
        shortened = {"ENDS": "CONTAINS", "EQUALS": "STARTS"}
        assert atom.kind.name == (expected if exact else shortened.get(expected, expected))


def test_alternatives_of_conjunctions_do_not_multiply() -> None:
    pairs = [f'(CONTAINS(?t, "a{number}") && CONTAINS(?t, "bb{number}"))' for number in range(200)]
    (clause,), exact = text_needs(test_of(" || ".join(pairs)))
    assert [atom.needle for atom in clause] == [f"bb{number}" for number in range(200)]
    assert not exact


def test_the_mappings_of_a_term() -> None:
    term = Term('"Stra\\u00DFe\\n"@de')
    assert map_text(term, TextMapping.WRITTEN) == "Straße\n"
    assert map_text(term, TextMapping.LOWER) == "straße\n"
    assert map_text(term, TextMapping.UPPER) == "STRASSE\n"
    assert map_text(term, TextMapping.TERM) == term
    assert map_text(Term("<urn:A>"), TextMapping.LOWER) == "urn:a"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('CONTAINS(LCASE(?t), "NASA")', 'LCASE never gives the letter "N"'),
        ('STRSTARTS(UCASE(?t), "NASa")', 'UCASE never gives the letter "a"'),
        ('STRENDS(LCASE(STR(?t)), "aÉ")', 'LCASE never gives the letter "É"'),
        ('UCASE(?t) = "ß"', 'UCASE never gives the letter "ß"'),
        ('"İ" = LCASE(?t)', 'LCASE never gives the letter "İ"'),
        ('CONTAINS(STR(?t), "a"@en)', 'STR has no language, and "a"@en has one'),
        ('CONTAINS(UCASE(STR(?t)), "A"@en)', 'STR has no language, and "A"@en has one'),
    ],
)
def test_what_never_occurs_is_announced(text: str, reason: str) -> None:
    assert never_occurs(test_of(text)) == reason
    with pytest.warns(NeverMatches, match="s"):
        Engine().add(f"SELECT ?t {{ ?x <urn:p> ?t FILTER({text}) }}")


@pytest.mark.parametrize(
    "text",
    [
        'CONTAINS(LCASE(?t), "nasa")',
        'CONTAINS(?t, "NASA"@en)',
        'CONTAINS(LCASE(?t), "ıß日ς\u0307")',
        'CONTAINS(UCASE(?t), "SS日ŉ")'.replace("ŉ", "ʼN"),
        'CONTAINS(LCASE(?t), "nasa"@en)',
        '!CONTAINS(LCASE(?t), "NASA")',
        'CONTAINS(LCASE(?t), "NASA") || CONTAINS(?t, "x")',
    ],
)
def test_what_may_occur_is_not_announced(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", NeverMatches)
        Engine().add(f"SELECT ?t {{ ?x <urn:p> ?t FILTER({text}) }}")


def test_a_case_mapping_changes_nothing_that_it_gave() -> None:
    """`never_occurs` relies on it, for every character of Unicode."""
    for character in map(chr, range(sys.maxunicode + 1)):
        for change in (str.lower, str.upper):
            mapped = change(character)
            if mapped != character:
                assert all(change(each) == each for each in mapped), hex(ord(character))
