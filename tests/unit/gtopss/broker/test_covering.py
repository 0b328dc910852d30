from __future__ import annotations

import itertools
import warnings

import pytest
from hypothesis import given
from support.strategies import Case, cases

from gtopss import Engine
from gtopss.broker import covering
from gtopss.broker.covering import covers
from gtopss.errors import NeverMatches
from gtopss.language import rewrite_subscription, subscription_from_text
from gtopss.model import Branch, Subscription


def normal(text: str) -> Subscription:
    made, _ = rewrite_subscription(subscription_from_text(f"SELECT * {{ {text} }}", "s"))
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ("?x <urn:p> ?y", "?a <urn:p> <urn:b>"),
        ("?x <urn:p> ?y", "?a <urn:p> ?b . ?b <urn:q> ?c"),
        ("?x <urn:p> ?y FILTER(?y > 5)", "?a <urn:q> ?c . ?a <urn:p> ?b FILTER(?b > 5) FILTER(?b < 9)"),
        ("?x <urn:p> ?y . ?x <urn:p> ?z", "?x <urn:p> ?y"),
        ("{ ?x <urn:p> ?y } UNION { ?x <urn:q> ?y }", "?x <urn:q> <urn:b>"),
        ("?x ?p ?y", "?x <urn:p> ?x"),
    ],
)
def test_what_has_fewer_edges_and_constraints_covers(wide: str, narrow: str) -> None:
    assert covers(normal(wide), normal(narrow))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("?x <urn:p> <urn:b>", "?x <urn:p> ?y"),
        ("?x <urn:p> ?y FILTER(?y > 5)", "?x <urn:p> ?y"),
        ("?x <urn:p> ?y FILTER(?y > 5)", "?x <urn:p> ?y FILTER(?y > 6)"),  # it does, but that is not found
        ("?x <urn:p> ?y . ?y <urn:q> ?z", "?x <urn:p> ?y . ?a <urn:q> ?z . ?x <urn:r> ?a"),
        ("?x <urn:q> <urn:b>", "{ ?x <urn:p> ?y } UNION { ?x <urn:q> <urn:b> }"),
        ("?x <urn:p> ?x", "?x <urn:p> ?y"),
    ],
)
def test_what_demands_more_does_not_cover(one: str, other: str) -> None:
    assert not covers(normal(one), normal(other))


def test_the_search_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    many = normal(" . ".join(f"?x <urn:p> ?y{number}" for number in range(20)))
    other = normal(" . ".join(f"?x <urn:p> ?z{number}" for number in range(20)) + " . ?x <urn:q> ?x")
    assert covers(many, other)
    monkeypatch.setattr(covering, "MAX_COVER_STEPS", 10)
    assert not covers(many, other)


def wider(subscription: Subscription) -> Subscription:
    """Return the subscription without half of its edges, and without constraints."""
    branches = [Branch(each.edges()[::2]) for each in subscription.branches]
    return Subscription(f"{subscription.id} wider", branches=branches)


@given(cases())
def test_what_is_covered_never_matches_alone(case: Case) -> None:
    candidates = [*case.subscriptions, *map(wider, case.subscriptions)]
    matched = {}
    for each in candidates:
        engine = Engine(matcher="naive", taxonomy=case.taxonomy, allow_cartesian=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NeverMatches)
            engine.add(each)
        matched[each.id] = len(engine.match(case.publication)) == 1
    normals = {each.id: rewrite_subscription(each).subscription for each in candidates}
    for one, other in itertools.permutations(candidates, 2):
        first, second = normals[one.id], normals[other.id]
        if first is not None and second is not None and covers(first, second):
            assert matched[one.id] or not matched[other.id]
