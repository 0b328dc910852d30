"""Values against Oxigraph's, pair by pair, and the places where the two differ by intent."""

from __future__ import annotations

import itertools

import pytest
from support.evaluation import evaluate, oxigraph
from support.strategies import CANONICAL, NODES

from gtopss.model import Call
from gtopss.model.expressions import call
from gtopss.model.terms import XSD, Term, iri, literal
from gtopss.semantics.values import TypeMismatch, effective_boolean, value_of


@pytest.mark.parametrize("sign", ["=", "!="])
def test_equality_is_oxigraphs(sign: str) -> None:
    for one, other in itertools.product([*CANONICAL, *NODES[:2]], repeat=2):
        assert evaluate(call(sign, one, other)) == oxigraph(f"({one} {sign} {other})"), (one, other)


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">="])
def test_order_is_oxigraphs_within_sparqls_table(sign: str) -> None:
    """Except where Oxigraph leaves the table: language strings, booleans, and terms it cannot read."""
    outside = [t for t in CANONICAL if "@" in t or "boolean" in t or "urn:unknown" in t or t.startswith('"abc"^^')]
    for one, other in itertools.product([t for t in CANONICAL if t not in outside], repeat=2):
        assert evaluate(call(sign, one, other)) == oxigraph(f"({one} {sign} {other})"), (one, other)


@pytest.mark.parametrize("sign", ["+", "-", "*", "/"])
def test_arithmetic_is_oxigraphs(sign: str) -> None:
    for one, other in itertools.product([t for t in CANONICAL if "@" not in t], repeat=2):
        if "Time" in one + other or "#date" in one + other or "#time" in one + other:
            continue  # Oxigraph calculates with dates; SPARQL 1.1 does not
        ours, theirs = evaluate(call(sign, one, other)), oxigraph(f"({one} {sign} {other})")
        if "error" in (ours, theirs):
            assert ours == theirs, (one, other)
        else:
            mine, his = value_of(Term(ours)), value_of(Term(theirs))
            assert mine.kind is his.kind
            assert float(mine.data) == pytest.approx(float(his.data))


BOOLEAN = XSD + "boolean"


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (call("<", literal("false", BOOLEAN), literal("true", BOOLEAN)), "true"),
        (call("<", literal("a", language="en"), literal("b", language="en")), "error"),
        (call("<=", literal("x", "urn:u"), literal("x", "urn:u")), "error"),
        (call("=", literal("NaN", XSD + "double"), literal("NaN", XSD + "double")), "false"),
        (call("=", literal("01", XSD + "integer"), 1), "true"),
        (call("SAMETERM", literal("01", XSD + "integer"), 1), "false"),
        (call("=", literal("300", XSD + "byte"), 300), "error"),  # no byte is 300
        (call("=", literal("16777217", XSD + "integer"), literal("16777216", XSD + "float")), "true"),  # 24 bits
        (call("=", 10**30, literal("1" + "0" * 30, XSD + "decimal")), "true"),
        (call("/", 1, 0), "error"),
        (call("/", literal("1", XSD + "double"), 0), f'"INF"^^<{XSD}double>'),
        (call("||", call("/", 1, 0), literal("true", BOOLEAN)), "true"),
        (call("||", call("/", 1, 0), literal("false", BOOLEAN)), "error"),
        (call("&&", call("/", 1, 0), literal("false", BOOLEAN)), "false"),
        (call("&&", call("/", 1, 0), literal("true", BOOLEAN)), "error"),
        (call("in", 1, call("/", 1, 0), 1), "true"),
        (call("in", 2, call("/", 1, 0), 1), "error"),
        (call("not in", 2, call("/", 1, 0), 1), "error"),
        (call("in", call("/", 1, 0)), "false"),
        (call("CONTAINS", literal("abc"), literal("b", language="en")), "error"),
        (call("CONTAINS", literal("abc", language="en"), literal("b")), "true"),
        (call("LANGMATCHES", literal("de-CH"), literal("*")), "true"),
        (call("LANGMATCHES", literal("den"), literal("de")), "false"),
        (call("REGEX", literal("a.c"), literal("."), literal("q")), "true"),
        (call("REGEX", literal("abc"), literal("."), literal("q")), "false"),
        (call("REGEX", 5, literal(".")), "error"),
        (call("STR", iri("urn:a")), '"urn:a"'),
        (call("DATATYPE", literal("a", language="en")), "<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>"),
        (call(f"<{XSD}integer>", literal(" 42 ")), f'"42"^^<{XSD}integer>'),
        (call(f"<{XSD}integer>", literal("2.7", XSD + "decimal")), f'"2"^^<{XSD}integer>'),
        (call(f"<{XSD}integer>", literal("INF", XSD + "double")), "error"),
        (call(f"<{XSD}decimal>", literal("1e3", XSD + "double")), f'"1000"^^<{XSD}decimal>'),
        (call(f"<{XSD}double>", literal("1e3")), f'"1.0E3"^^<{XSD}double>'),
        (call(f"<{XSD}boolean>", literal("0.0", XSD + "double")), "false"),
        (call(f"<{XSD}dateTime>", literal("2001-05-21T00:00:00Z")), f'"2001-05-21T00:00:00Z"^^<{XSD}dateTime>'),
        (call(f"<{XSD}dateTime>", literal("yesterday")), "error"),
    ],
    ids=str,
)  # fmt: skip
def test_by_the_specification(tree: Call, expected: str) -> None:
    shown = {"true": f'"true"^^<{BOOLEAN}>', "false": f'"false"^^<{BOOLEAN}>'}.get(expected, expected)
    assert evaluate(tree) == shown


@pytest.mark.parametrize(
    ("term", "truth"),
    [
        (literal("false", BOOLEAN), False), (literal("maybe", BOOLEAN), False), (literal(""), False),
        (literal("false"), True), (literal("", language="en"), False), (literal("0", XSD + "integer"), False),
        (literal("many", XSD + "integer"), False), (literal("NaN", XSD + "double"), False),
        (literal("0.1", XSD + "decimal"), True), (literal("x", "urn:u"), None), (iri("urn:a"), None),
        (literal("2001-05-21", XSD + "date"), None),
    ],
)  # fmt: skip
def test_effective_boolean_values(term: Term, truth: bool | None) -> None:
    if truth is None:
        with pytest.raises(TypeMismatch):
            effective_boolean(value_of(term))
    else:
        assert effective_boolean(value_of(term)) is truth
