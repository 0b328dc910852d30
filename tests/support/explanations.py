"""Shared terms and helpers for tests of explanations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gtopss.explain import BranchExplanation, Check, ConstraintFailure, explain
from gtopss.model import Call, Publication, Subscription, Term
from gtopss.model.terms import XSD, iri, literal
from ontology import Taxonomy

P, Q, R = (iri(f"urn:{name}") for name in "pqr")
A, B, C, D = (iri(f"urn:{name}") for name in "abcd")
X, Y, Z = Term("?x"), Term("?y"), Term("?z")


def explain_branch(
    tuples: Iterable[Any], triples: Iterable[Any], taxonomy: Taxonomy | None = None, where: Iterable[Call] = ()
) -> BranchExplanation:
    """Explain a subscription that has one branch."""
    made = explain(Subscription("s", tuples, where=where), Publication("p", triples), taxonomy or Taxonomy())
    assert made.complete
    return made.branches[0]


def failing_check(branch: BranchExplanation) -> Check:
    """Return the constraint that a branch failed on."""
    assert isinstance(branch.failure, ConstraintFailure)
    return branch.failure.check


def integer(number: int) -> Term:
    return literal(str(number), XSD + "integer")
