"""Bounds on values, compared with the naive matcher."""

from __future__ import annotations

import random
import warnings
from typing import Any

import pytest
from support.answers import answers
from support.index_publications import P, Q, node

from gtopss import Engine, Publication, Subscription
from gtopss.errors import NeverMatches
from gtopss.matching.index.value_intervals import NO_INTERVAL, interval_of
from gtopss.model.expressions import compare
from gtopss.model.terms import XSD, Term, iri, literal


@pytest.mark.parametrize("members", [3, 200])
@pytest.mark.parametrize(
    "value",
    ['"5"^^<{x}integer>', '"5.0"^^<{x}decimal>', '"0.1"^^<{x}decimal>', '"0.1"^^<{x}double>', '"0.1"^^<{x}float>',
     '"9007199254740993"^^<{x}integer>', '"1e400"^^<{x}double>', '"NaN"^^<{x}double>', '"2001-05-21"^^<{x}date>',
     '"2001-05-21Z"^^<{x}date>', '"INF"^^<{x}float>', '"-INF"^^<{x}float>', '"1e-45"^^<{x}float>',
     '"2001-05-21T12:00:00"^^<{x}dateTime>', '"five"'],
)  # fmt: skip
def test_bounds_agree_with_naive_however_near(value: str, members: int) -> None:
    thresholds = [
        literal(text, XSD + kind)
        for kind, texts in {
            "integer": ("5", "4", "9007199254740992", "9007199254740993", "1" + "0" * 39, "-1" + "0" * 39),
            "decimal": ("0.1", "0.10000000000000000001", "5.0", "3" * 39 + ".0", "0." + "0" * 44 + "10"),
            "double": ("0.1", "INF"),
            "float": ("0.1",),
            "date": ("2001-05-21", "2001-05-21Z", "2001-05-22+14:00"),
            "dateTime": ("2001-05-21T12:00:00Z", "2001-05-21T12:00:00", "2001-05-22T03:00:00Z"),
        }.items()
        for text in texts
    ]
    fast, slow = Engine(matcher="gm"), Engine(matcher="naive")
    for number in range(members):
        sign, threshold = ("<", "<=", ">", ">=", "=")[number % 5], thresholds[number % len(thresholds)]
        subscription = Subscription(f"s{number}", [(node(1), P, "?v", [], [compare("v", sign, threshold)])])
        fast.add(subscription)
        slow.add(subscription)
    publication = Publication("p", [(node(1), P, value.format(x=XSD))])
    assert answers(fast.match(publication)) == answers(slow.match(publication))


@pytest.mark.parametrize("members", [17, 300, 2_000])
def test_boxes_of_two_values_are_found_whatever_ends_they_lack(members: int) -> None:
    chance = random.Random(members)
    fast, slow = Engine(matcher="gm"), Engine(matcher="naive")
    for number in range(members):
        tests: dict[str, list[Any]] = {"v": [], "w": []}
        for name, sign in (("v", ">="), ("v", "<"), ("w", ">"), ("w", "<=")):
            if chance.random() < 0.7:
                value: int | Term = chance.randrange(100)
                if chance.random() < 0.05:
                    value = literal(f"20{value:02}-01-01", XSD + "date")
                tests[name].append(compare(name, sign, value))
        made = Subscription(f"s{number}", [(node(1), P, "?v", [], tests["v"]), (node(1), Q, "?w", [], tests["w"])])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NeverMatches)
            fast.add(made)
            slow.add(made)
    values = [
        *range(-1, 101, 7),
        literal("2050-01-01", XSD + "date"),
        literal("2050-01-01Z", XSD + "date"),
        literal("x"),
    ]
    for number in range(20):
        some, others = chance.sample(values, 2), chance.sample(values, 1)
        made = Publication(f"p{number}", [*((node(1), P, v) for v in some), *((node(1), Q, w) for w in others)])
        assert answers(fast.match(made)) == answers(slow.match(made))


def test_two_lower_bounds_on_one_variable() -> None:
    engine = Engine()
    engine.add(Subscription("s", [(node(1), P, "?v", [], [compare("v", ">", 3), compare("v", ">", 7)])]))
    assert not engine.match([(node(1), P, 5)])
    assert engine.match([(node(1), P, 8)])


def test_what_is_no_number_or_moment_lies_nowhere() -> None:
    assert interval_of(literal("text")) == NO_INTERVAL
    assert interval_of(iri("urn:x")) == NO_INTERVAL
    assert interval_of(literal("9" * 3000, XSD + "integer"))[1:] == (1.7976931348623157e308, float("inf"))
