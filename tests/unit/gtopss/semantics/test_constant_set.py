"""IN over constants: the answers of a chain of `=` joined by `||`, errors included."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.evaluation import ALL, assert_agrees_with_oxigraph, evaluate, parse_expression

from gtopss.model import Call, Expression
from gtopss.semantics.constant_set import ConstantSet
from gtopss.semantics.values import TypeMismatch, equal, value_of

CLOSE = [
    "9007199254740993", "9007199254740992", "9007199254740992.0", "9007199254740992e0", "0.1", "0.1e0",
    '"0.1"^^xsd:float', '"0.10"^^xsd:decimal', "0", '"-0.0"^^xsd:double', '"NaN"^^xsd:double', '"NaN"^^xsd:float',
    '"INF"^^xsd:float', '"01"^^xsd:integer', "1", "1.0", '"1"^^xsd:byte', '"1"^^xsd:boolean', "true", '"1"',
    '"a"@en', '"a"@EN', '"a"', '"x"^^<urn:u>', '"y"^^<urn:u>', '"abc"^^xsd:integer', '"abc"^^xsd:decimal',
    '"2001-05-21T10:00:00Z"^^xsd:dateTime', '"2001-05-21T12:00:00+02:00"^^xsd:dateTime',
    '"2001-05-21T20:00:00"^^xsd:dateTime', '"2001-05-22T00:00:00"^^xsd:dateTime', '"2001-05-22T00:00:01"^^xsd:dateTime',
    '"2001-05-21"^^xsd:date', '"2001-05-21Z"^^xsd:date', '"P12M"^^xsd:duration', '"P1Y"^^xsd:yearMonthDuration',
    f'"{"9" * 400}"^^xsd:integer', "1e400", "<urn:a>", "<urn:b>",
]  # fmt: skip
TERMS = list(dict.fromkeys(map(parse_expression, [*ALL, *CLOSE])))
CONSTANTS = [each for each in TERMS if not isinstance(each, Call)]


def as_chain(call: Call) -> Call:
    """Return `=` joined by `||`, or `!=` joined by `&&`, which is what the specification says IN means."""
    one, *others = call.arguments
    sign, joined = ("=", "||") if call.function == "in" else ("!=", "&&")
    return Call(joined, tuple(Call(sign, (one, other)) for other in others))


@given(
    one=st.sampled_from(CONSTANTS),
    members=st.lists(st.sampled_from(CONSTANTS), min_size=1, max_size=6),
    computed=st.lists(
        st.sampled_from([Call("/", (CONSTANTS[0], CONSTANTS[0])), Call("STR", (CONSTANTS[0],))]), max_size=1
    ),
    function=st.sampled_from(["in", "not in"]),
)
def test_in_is_a_chain_of_comparisons(
    one: Expression, members: list[Expression], computed: list[Expression], function: str
) -> None:
    call = Call(function, (one, *members, *computed))
    assert evaluate(call) == evaluate(as_chain(call)), str(call)


def test_every_pair_of_values() -> None:
    for one in CONSTANTS:
        for other in CONSTANTS:
            first, second = value_of(one), value_of(other)
            try:
                expected = equal(first, second)
            except TypeMismatch:
                with pytest.raises(TypeMismatch):
                    ConstantSet([second]).has_equal(first)
            else:
                assert ConstantSet([second]).has_equal(first) is expected, (one, other)


def test_in_is_oxigraphs() -> None:
    chosen = random.Random(16)
    plain = ["1", "1.0", "2", '"a"', '"a"@en', '"b"', "<urn:a>", "<urn:b>", "true", "false", "2.5e0", '"x"^^<urn:u>']
    assert_agrees_with_oxigraph(
        f"{one} {sign} ({', '.join(chosen.sample(plain, 3))})"
        for one in plain
        for sign in ("IN", "NOT IN")
        for _ in range(5)
    )
