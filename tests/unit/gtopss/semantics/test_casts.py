"""Casts, by the specification's own examples and against Oxigraph (SPARQL 1.1, section 17.5)."""

from __future__ import annotations

import pytest
from support.evaluation import ALL, CASTABLE, assert_agrees_with_oxigraph, evaluate_text, examples, expected_term

EXAMPLES = r"""
xsd:string(<urn:a>)                         -> "urn:a"
xsd:string("01"^^xsd:integer)               -> "1"
xsd:string("1.0"^^xsd:decimal)              -> "1"
xsd:string(1.5e0)                           -> "1.5"
xsd:string(1e2)                             -> "100"
xsd:string(1e7)                             -> "1.0E7"
xsd:string(0.0000001e0)                     -> "1.0E-7"
xsd:string(-0e0)                            -> "-0"
xsd:string("0.1"^^xsd:float)                -> "0.1"
xsd:string("1"^^xsd:boolean)                -> "true"
xsd:string("2001-05-21T10:00:00.50+00:00"^^xsd:dateTime) -> "2001-05-21T10:00:00.5Z"
xsd:string("P0Y"^^xsd:yearMonthDuration)    -> "P0M"
xsd:string("a"@en)                          -> error
xsd:string("x"^^<urn:u>)                    -> error
xsd:boolean("true")                         -> true
xsd:boolean("1")                            -> true
xsd:boolean("TRUE")                         -> error
xsd:boolean(0.0)                            -> false
xsd:boolean("NaN"^^xsd:double)              -> false
xsd:integer("-5")                           -> -5
xsd:integer("5.0")                          -> error
xsd:integer(-5.9)                           -> -5
xsd:integer("NaN"^^xsd:double)              -> error
xsd:integer(true)                           -> 1
xsd:integer("5"@en)                         -> error
xsd:integer("5"^^<urn:u>)                   -> error
xsd:integer(<urn:a>)                        -> error
xsd:byte(127.9)                             -> "127"^^xsd:byte
xsd:byte(128)                               -> error
xsd:int("5")                                -> "5"^^xsd:int
xsd:unsignedLong(-1)                        -> error
xsd:decimal("1e3")                          -> error
xsd:decimal(1.5e0)                          -> 1.5
xsd:decimal("INF"^^xsd:double)              -> error
xsd:decimal(true)                           -> "1"^^xsd:decimal
xsd:double("INF")                           -> "INF"^^xsd:double
xsd:double(2.5)                             -> "2.5E0"^^xsd:double
xsd:float("0.1")                            -> "1.0E-1"^^xsd:float
xsd:float(16777217)                         -> "1.6777216E7"^^xsd:float
xsd:float(1e300)                            -> "INF"^^xsd:float
xsd:dateTime(" 2001-05-21T10:00:00Z ")      -> "2001-05-21T10:00:00Z"^^xsd:dateTime
xsd:dateTime("2001-05-21+02:00"^^xsd:date)  -> "2001-05-21T00:00:00+02:00"^^xsd:dateTime
xsd:dateTime("2001-05-21T10:00:00Z"^^xsd:dateTimeStamp) -> "2001-05-21T10:00:00Z"^^xsd:dateTime
xsd:dateTime("10:00:00"^^xsd:time)          -> error
xsd:dateTime(5)                             -> error
xsd:date("2001-05-21T24:00:00"^^xsd:dateTime) -> "2001-05-22"^^xsd:date
xsd:date("-0001-05-21")                     -> "-0001-05-21"^^xsd:date
xsd:time("2001-05-21T09:08:07.60Z"^^xsd:dateTime) -> "09:08:07.6Z"^^xsd:time
xsd:dayTimeDuration("PT36H")                -> "P1DT12H"^^xsd:dayTimeDuration
xsd:dayTimeDuration("P1Y")                  -> error
xsd:dayTimeDuration("-P1Y1DT0.50S"^^xsd:duration) -> "-P1DT0.5S"^^xsd:dayTimeDuration
xsd:yearMonthDuration("P14M")               -> "P1Y2M"^^xsd:yearMonthDuration
xsd:yearMonthDuration("P1D"^^xsd:duration)  -> "P0M"^^xsd:yearMonthDuration
xsd:yearMonthDuration("P1D")                -> error
"""


@pytest.mark.parametrize(("text", "expected"), examples(EXAMPLES))
def test_by_the_specification(text: str, expected: str) -> None:
    assert evaluate_text(text) == expected_term(expected)


CAST = ["boolean", "double", "float", "decimal", "integer", "dateTime", "string", "date", "time"]
CAST += ["dayTimeDuration", "yearMonthDuration"]


@pytest.mark.parametrize("name", CAST)
def test_casts_are_oxigraphs(name: str) -> None:
    assert_agrees_with_oxigraph(f"xsd:{name}({one})" for one in [*ALL, *CASTABLE])
