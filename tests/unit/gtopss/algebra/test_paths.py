"""Paths of any length, against the reachability of networkx."""

from __future__ import annotations

import random

import networkx
import pytest

from gtopss.algebra import Dataset
from gtopss.algebra.paths import extend_by_path, steps
from gtopss.algebra.results import start_evaluation
from gtopss.model import Call, Publication, Term, Triple
from gtopss.model.algebra import text_term
from gtopss.semantics import BudgetExceeded, EvaluationContext, EvaluationLimits
from ontology import Taxonomy

P, Q = Term("<urn:p>"), Term("<urn:q>")


def node(number: int) -> Term:
    return Term(f"<urn:{number}>")


def graph(chance: random.Random) -> list[Triple]:
    triples = {(node(chance.randrange(6)), chance.choice((P, Q)), node(chance.randrange(6))) for _ in range(8)}
    return sorted(triples)


def state(triples: list[Triple], work: int = 10_000_000):  # type: ignore[no-untyped-def]
    context = EvaluationContext(Publication("p", []), Taxonomy(), EvaluationLimits(work=work))
    return start_evaluation(context, Dataset(triples))


def repeat(path: Term | Call, sign: str) -> Call:
    return Call("REPEAT", (path, text_term(sign)))


@pytest.mark.parametrize("seed", range(20))
def test_repetitions_reach_what_networkx_reaches(seed: int) -> None:
    triples = graph(random.Random(seed))
    edges = networkx.DiGraph((s, o) for s, p, o in triples if p == P)
    nodes = {end for s, _, o in triples for end in (s, o)}
    edges.add_nodes_from(nodes)
    evaluation = state(triples)
    for start in nodes:
        several = {end for _, first in edges.out_edges(start) for end in networkx.descendants(edges, first) | {first}}
        found = list(steps(repeat(P, "+"), start, evaluation, forward=True))
        assert set(found) == several
        assert len(found) == len(several)
        assert set(steps(repeat(P, "*"), start, evaluation, forward=True)) == several | {start}
        assert set(steps(repeat(P, "?"), start, evaluation, forward=True)) == {start, *edges.successors(start)}
        back = {end for end in nodes if start in set(steps(repeat(P, "+"), end, evaluation, forward=True))}
        assert set(steps(repeat(P, "+"), start, evaluation, forward=False)) == back
        inverse = Call("INVERSE", (repeat(P, "+"),))
        assert set(steps(inverse, start, evaluation, forward=True)) == back


@pytest.mark.parametrize("seed", range(10))
def test_fixed_paths_are_compositions_of_triples(seed: int) -> None:
    triples = graph(random.Random(seed))
    evaluation = state(triples)
    for start in {s for s, _, _ in triples}:
        ways = [o2 for s, p, o in triples if (s, p) == (start, P) for s2, p2, o2 in triples if (s2, p2) == (o, Q)]
        assert sorted(steps(Call("SEQUENCE", (P, Q)), start, evaluation, forward=True)) == sorted(ways)
        either = [o for s, _, o in triples if s == start]
        assert sorted(steps(Call("ALTERNATIVE", (P, Q)), start, evaluation, forward=True)) == sorted(either)
        negated = Call("NOT", (Call("FORWARD", (P,)), Call("BACKWARD", ())))
        others = [o for s, p, o in triples if s == start and p != P]
        assert sorted(steps(negated, start, evaluation, forward=True)) == sorted(others)
        backward = Call("NOT", (Call("FORWARD", ()), Call("BACKWARD", (Q,))))
        before = [s for s, p, o in triples if o == start and p != Q]
        assert sorted(steps(backward, start, evaluation, forward=True)) == sorted(before)


def test_a_path_between_variables_connects_only_terms_of_the_graph() -> None:
    evaluation = state([(node(1), P, node(2))])
    pattern = Call("PATH", (Term("?x"), repeat(P, "*"), Term("?y")))
    outside = {Term("?x"): Term("<urn:elsewhere>")}
    assert list(extend_by_path(outside, pattern, evaluation)) == []
    constant = Call("PATH", (Term("<urn:elsewhere>"), repeat(P, "*"), Term("?y")))
    assert list(extend_by_path({}, constant, evaluation)) == [{Term("?y"): Term("<urn:elsewhere>")}]
    same = Call("PATH", (Term("?x"), repeat(P, "+"), Term("?x")))
    assert list(extend_by_path({}, same, evaluation)) == []


def test_a_path_ends_at_the_work_limit_and_unknown_paths_are_refused() -> None:
    triples = [(node(one), P, node(other)) for one in range(40) for other in range(40)]
    pattern = Call("PATH", (Term("?x"), repeat(P, "*"), Term("?y")))
    with pytest.raises(BudgetExceeded):
        list(extend_by_path({}, pattern, state(triples, work=50_000)))
    with pytest.raises(ValueError, match="not a property path"):
        steps(Call("ZIGZAG", ()), node(1), state(triples), forward=True)
