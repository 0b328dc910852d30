"""Functions on dates and times, by the specification's own examples (SPARQL 1.1, section 17.4.5)."""

from __future__ import annotations

import datetime as dt

import pytest
from support.evaluation import evaluate_text, examples, expected_term

from gtopss.model import Publication
from gtopss.model.terms import XSD, literal
from gtopss.semantics import EvaluationContext
from ontology import Taxonomy

EXAMPLES = r"""
YEAR("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime)     -> 2011
MONTH("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime)    -> 1
DAY("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime)      -> 10
HOURS("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime)    -> 14
MINUTES("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime)  -> 45
SECONDS("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime)  -> 13.815
TIMEZONE("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime) -> "-PT5H"^^xsd:dayTimeDuration
TIMEZONE("2011-01-10T14:45:13.815Z"^^xsd:dateTime)      -> "PT0S"^^xsd:dayTimeDuration
TIMEZONE("2011-01-10T14:45:13.815+05:30"^^xsd:dateTime) -> "PT5H30M"^^xsd:dayTimeDuration
TIMEZONE("2011-01-10T14:45:13.815"^^xsd:dateTime)       -> error
TZ("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime)       -> "-05:00"
TZ("2011-01-10T14:45:13.815Z"^^xsd:dateTime)            -> "Z"
TZ("2011-01-10T14:45:13.815"^^xsd:dateTime)             -> ""
YEAR("2001-12-31T24:00:00"^^xsd:dateTime)   -> 2002
YEAR("-0001-12-31T00:00:00Z"^^xsd:dateTime) -> -1
YEAR("123456-01-01T00:00:00Z"^^xsd:dateTime) -> 123456
MONTH("2001-05-21"^^xsd:date)               -> 5
HOURS("2001-05-21"^^xsd:date)               -> error
SECONDS("10:20:30.50Z"^^xsd:time)           -> 30.5
DAY("10:20:30Z"^^xsd:time)                  -> error
YEAR("2001")                                -> error
NOW()                                       -> "2001-05-21T12:00:00.500000Z"^^xsd:dateTime
YEAR(NOW())                                 -> 2001
"""


@pytest.mark.parametrize(("text", "expected"), examples(EXAMPLES))
def test_by_the_specification(text: str, expected: str) -> None:
    assert evaluate_text(text) == expected_term(expected)


def test_a_publication_that_did_not_arrive_has_no_now() -> None:
    published = Publication("p", [], published_at=dt.datetime(2001, 5, 21, tzinfo=dt.UTC))
    assert evaluate_text("NOW()", EvaluationContext(published, Taxonomy())) == "error"


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        (None, "2001-05-21T12:00:00"),
        (dt.timezone(dt.timedelta(hours=-8)), "2001-05-21T12:00:00-08:00"),
        (dt.timezone(dt.timedelta(hours=2, seconds=30)), "2001-05-21T09:59:30Z"),  # XSD knows no such zone
    ],
)
def test_now_in_other_time_zones(zone: dt.tzinfo | None, expected: str) -> None:
    moment = dt.datetime(2001, 5, 21, 12, tzinfo=zone)
    context = EvaluationContext(Publication("p", [], received_at=moment), Taxonomy())
    assert evaluate_text("NOW()", context) == literal(expected, XSD + "dateTime")
