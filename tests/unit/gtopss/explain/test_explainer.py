"""Explain whole subscriptions: joins, branches, limits, and random cases against the naive matcher."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from itertools import combinations

import pytest
from hypothesis import given
from support.explanations import A, B, C, D, P, Q, X, Y, explain_branch, failing_check
from support.strategies import Case, cases

from gtopss import Engine
from gtopss.explain import (
    BranchExplanation,
    ConstraintFailure,
    EdgeFailure,
    JoinFailure,
    explain,
    explainer,
    limits,
)
from gtopss.explain.step_budget import StepBudget
from gtopss.matching.naive import NaiveMatcher, solutions
from gtopss.model import Branch, Counters, Publication, Subscription, Triple
from gtopss.model.expressions import call, compare
from gtopss.model.terms import iri, literal
from gtopss.semantics import EvaluationContext, compile_expressions
from ontology import Taxonomy


def test_edges_that_match_only_alone_show_the_conflict() -> None:
    branch = explain_branch([(X, P, Y), (X, Q, C)], [(A, P, B), (B, Q, C), (D, Q, C)])
    assert [(each.edge, each.triple) for each in branch.matched_edges] == [((X, P, Y), (A, P, B))]
    assert isinstance(branch.failure, JoinFailure)
    assert branch.failure.edge == (X, Q, C)
    assert branch.failure.triples == ((B, Q, C), (D, Q, C))
    assert [(each.variable, each.in_part, each.in_edge) for each in branch.failure.conflicts] == [(X, A, B)]
    assert dict(branch.bindings) == {X: A, Y: B}


def test_row_with_the_fewest_conflicts_is_shown() -> None:
    branch = explain_branch([(X, P, Y), (X, Q, Y)], [(A, P, B), (C, P, D), (B, Q, A), (C, Q, A)])
    assert isinstance(branch.failure, JoinFailure)
    assert [(each.variable, each.in_part, each.in_edge) for each in branch.failure.conflicts] == [(Y, D, A)]
    assert dict(branch.bindings) == {X: C, Y: D}


def test_branch_without_edges_is_explained() -> None:
    made = explain(
        Subscription("s", branches=[Branch([], [call("<", 2, 1)])]), Publication("p", [(A, P, B)]), Taxonomy()
    )
    assert failing_check(made.branches[0]).substituted == call("<", 2, 1)
    assert "2 < 1 is false" in str(made)
    ET.fromstring(made.svg())


def test_ten_solutions_are_shown_and_the_rest_is_counted() -> None:
    branch = explain_branch([(A, P, Y)], [(A, P, n) for n in range(25)])
    assert (len(branch.solutions), branch.more) == (10, 15)


LARGE = Publication("large", [(iri(f"urn:n{i}"), P, iri(f"urn:m{j}")) for i in range(71) for j in range(71)])
CHAIN = [(f"?a{i}", f"?p{i}", f"?a{i + 1}") for i in range(10)]
CLIQUE = [(f"?a{i}", "?p", f"?a{j}") for i in range(5) for j in range(i + 1, 5)]
STAR = [("?x", f"?p{i}", f"?o{i}") for i in range(10)]


@pytest.mark.parametrize("pattern", [CHAIN, CLIQUE, STAR, CHAIN + CLIQUE], ids=["chain", "clique", "star", "mixed"])
@pytest.mark.parametrize("where", [False, True])
def test_hostile_patterns_stay_within_the_step_budget(
    pattern: list[tuple[str, str, str]], where: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    budgets = list[StepBudget]()

    def recorded(steps: int) -> StepBudget:
        budgets.append(StepBudget(steps))
        return budgets[-1]

    monkeypatch.setattr(explainer, "StepBudget", recorded)
    monkeypatch.setattr(limits, "MAX_STEPS", 20_000)
    assert len(LARGE.triples) > 5_000
    tests = [call("=", pattern[0][0], "<urn:nowhere>")] if where else []
    made = explain(Subscription("s", pattern, where=tests), LARGE, Taxonomy())
    assert made.matched is (pattern is STAR and not where)
    for _ in (str(made), made.svg(), made.mermaid(), json.dumps(made.to_json())):
        pass
    (budget,) = budgets
    assert limits.MAX_STEPS - budget.left < 1.05 * limits.MAX_STEPS
    if not made.complete:
        assert "stopped at its limits" in str(made)


def test_exhausted_search_does_not_deny_a_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_STEPS", 10)
    made = explain(Subscription("s", CHAIN), LARGE, Taxonomy())
    assert (made.matched, made.settled, made.complete) == (False, False, False)
    assert "s was not found to match large" in str(made)


def matches(edges: Iterable[Triple], publication: Publication) -> bool:
    branch = Branch(edges)
    found = solutions(
        branch, compile_expressions("part", branch), EvaluationContext(publication, Taxonomy()), Counters()
    )
    return next(found, None) is not None


@given(cases())
def test_explanations_agree_with_the_naive_matcher(case: Case) -> None:
    naive = NaiveMatcher(case.taxonomy)
    for subscription in case.subscriptions:
        naive.add(subscription)
    found = {match.subscription_id: match for match in naive.match(case.publication)}
    for subscription in case.subscriptions:
        made = explain(subscription, case.publication, case.taxonomy)
        assert made.complete
        assert made.matched is (subscription.id in found)
        if made.matched:
            shown = {
                (each.number, dict(s.bindings).items().__repr__()) for each in made.branches for s in each.solutions
            }
            assert len(shown) == len(made.solutions)
            if not subscription.distinct:
                assert len(found[subscription.id].solutions) == sum(len(b.solutions) + b.more for b in made.branches)
        for branch in made.branches:
            for solution in branch.solutions:
                assert all(check.holds for check in solution.checks)
                assert {each.triple for each in solution.edges} <= set(case.publication.triples)
            if not branch.matched:
                check_miss(branch, case.publication)
        json.dumps(made.to_json())


def check_miss(branch: BranchExplanation, publication: Publication) -> None:
    """The part matches, none larger does, and the failure is what it says."""
    edges, part = branch.branch.edges(), [each.edge for each in branch.matched_edges]
    assert branch.exact
    assert {each.triple for each in branch.matched_edges} <= set(publication.triples)
    assert matches(part, publication)
    assert not any(matches(subset, publication) for subset in combinations(edges, len(part) + 1))
    match branch.failure:
        case EdgeFailure(edge):
            assert not matches([edge], publication)
        case JoinFailure(edge, triples, _, conflicts):
            assert matches([edge], publication)
            assert triples
            assert conflicts
            assert all(each.in_part != each.in_edge for each in conflicts)
        case ConstraintFailure(check, checks):
            assert len(part) == len(edges)
            assert not check.holds
            assert check in checks
        case None:
            pytest.fail("a miss without a reason")


def test_rows_beyond_the_limit_of_a_branch_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ROWS_PER_BRANCH", 20)
    made = explain(Subscription("s", [(A, P, Y)]), Publication("p", [(A, P, n) for n in range(25)]), Taxonomy())
    (branch,) = made.branches
    assert len(branch.solutions) + branch.more == 20
    assert not made.complete


def test_expressions_beyond_their_limit_make_an_explanation_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_EVALUATION_STEPS", 1_000)
    engine = Engine(matcher="naive")
    engine.add("ASK { ?x <urn:p> ?y FILTER REGEX(?y, 'a.*b.*c.*d') }", id="s")
    publication = Publication("p", [("<urn:a>", "<urn:p>", f'"{"abcd" * 10_000}"')])
    assert not engine.explain(publication, "s").complete


def test_a_hostile_expression_is_explained_by_the_limit_that_it_reaches() -> None:
    alternatives = "|".join(f".*{letter}{number}.*Z" for letter in "abcdefgh" for number in range(200))
    for test, limit in [
        (call("REGEX", "?y", literal(alternatives)), "work_limit"),
        (compare(call("CONCAT", *["?y"] * 20), "=", literal("a")), "row_text_limit"),
    ]:
        subscription = Subscription("s", [("?x", "<urn:p>", "?y")], where=[test])
        found = explain(subscription, Publication("p", [("<urn:a>", "<urn:p>", literal("ab" * 500_000))]), Taxonomy())
        assert not found.matched
        assert not found.settled
        assert f"{limit} is reached" in str(found)
        assert len(str(found)) < 4_000_000


def test_few_triples_are_compared_with_the_edges_of_many_branches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of 60 branches compared its edge with all triples of a large publication, which took 14 seconds."""
    monkeypatch.setattr(limits, "MAX_EDGE_TRIPLES", 100)
    compared: list[int] = []
    monkeypatch.setattr(
        explainer, "near_triples", lambda edge, triples, most: compared.append(len(list(triples))) or ()
    )
    engine = Engine(matcher="naive")
    engine.add("SELECT ?x { ?x <urn:p> ?y VALUES ?y { 1 2 3 4 } }", id="s")
    publication = [("<urn:a>", "<urn:q>", number) for number in range(1_000)]
    assert not engine.explain(publication, "s").matched
    assert sum(compared) <= 100
    assert len(compared) == 4
