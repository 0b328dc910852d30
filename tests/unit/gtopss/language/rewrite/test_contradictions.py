"""Contradictions are named, registered with a warning, and never evaluated."""

from __future__ import annotations

import warnings

import pytest
from rdflib import Literal
from support.language import EX, PREFIX, only_branch

from gtopss import Engine
from gtopss.errors import NeverMatches
from gtopss.language.rewrite.contradictions import find_contradiction


def test_the_contradiction_names_the_constraints() -> None:
    branch = only_branch("SELECT * { ?x :p ?y FILTER(?y > 2000 && ?y < 1990) }")
    assert find_contradiction(branch) == "never matches: (?y > 2000) and (?y < 1990)"
    assert find_contradiction(only_branch("SELECT * { ?x :p ?y FILTER(?y > 1990) }")) is None


def test_few_bounds_of_a_variable_are_compared() -> None:
    bounds = " && ".join(f"?y > {number}" for number in range(3_000))
    assert find_contradiction(only_branch(f"SELECT * {{ ?x :p ?y FILTER({bounds} && ?y < 0) }}")) is None
    assert find_contradiction(only_branch(f"SELECT * {{ ?x :p ?y FILTER(?y < 0 && {bounds}) }}")) is not None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ASK { ?x :p ?y FILTER(?y > 2000 && ?y < 1990) }", r"never matches: \(\?y > 2000\) and \(\?y < 1990\)"),
        ("ASK { ?x :p ?y FILTER(?y > 5) FILTER(5 >= ?y) }", "never matches"),
        ("ASK { ?x :p ?y FILTER(?y = 5 && ?y = 6) }", "never matches"),
        ("ASK { ?x :p ?y FILTER(?y = 5 && ?y > 5) }", "never matches"),
        ("ASK { ?x :p ?y FILTER(?y = 'a' && ?y = 'b') }", "never matches"),
        ("ASK { ?x :p ?y FILTER(false) }", "never matches"),
        ("ASK { ?x :p ?y VALUES ?x { 5 } }", "cannot stand where"),
        ("ASK { 5 :p ?y }", "cannot be a subject"),
        ("ASK { ?x :p ?y VALUES ?y {} }", "leave no row"),
        ("ASK { VALUES ?y { 1 } VALUES ?y { 2 } ?x :p ?y }", "leave no row"),
    ],
)
def test_a_contradiction_is_registered_with_a_warning_and_never_evaluated(text: str, reason: str) -> None:
    engine = Engine()
    with pytest.warns(NeverMatches, match=reason):
        engine.add(PREFIX + text, id="s")
    assert len(engine) == 1
    report = engine.match([(EX.x, EX.p, value) for value in (1, 5, 1995, 2005)])
    assert report.matches == ()
    assert report.counters.candidates == 0
    engine.remove("s")
    assert len(engine) == 0


@pytest.mark.parametrize(
    "text",
    [
        "ASK { ?x :p ?y FILTER(?y > 1990 && ?y < 2000) }",
        "ASK { ?x :p ?y FILTER(?y >= 5 && ?y <= 5) }",
        "ASK { ?x :p ?y FILTER(?y > 5 && ?y < 'a') }",  # no common order: we do not say
        "ASK { ?x :p ?y FILTER(?y = 5 && ?y = 5.0) }",
        "ASK { ?x :p ?y FILTER(?y > 1 || ?y < 0) }",
        "ASK { ?x :p ?y FILTER(isA(:Cat, :Animal)) }",  # a publication may say so
    ],
)
def test_satisfiable_constraints_raise_no_warning(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", NeverMatches)
        Engine().add(PREFIX + text)


def test_a_branch_that_cannot_match_leaves_the_others() -> None:
    engine = Engine()
    with pytest.warns(NeverMatches, match="a branch of subscription 's'"):
        engine.add(PREFIX + "SELECT * { { ?x :p ?y FILTER(?y > 5 && ?y < 5) } UNION { ?x :q ?z } }", id="s")
    assert engine.match([(EX.a, EX.q, 1), (EX.a, EX.p, 5)])[0].bindings == ({"x": EX.a, "z": Literal(1)},)
