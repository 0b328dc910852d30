"""The largest part of a pattern that matches."""

from __future__ import annotations

from support.explanations import A, B, P, Q, R, X, explain_branch

from gtopss.explain import (
    JoinFailure,
)


def test_largest_part_is_not_the_greedy_one() -> None:
    """The first edge alone keeps the three others out."""
    branch = explain_branch([(X, P, A), (X, Q, A), (X, R, A), (X, R, B)], [(A, P, A), (B, Q, A), (B, R, A), (B, R, B)])
    assert [each.edge for each in branch.matched_edges] == [(X, Q, A), (X, R, A), (X, R, B)]
    assert branch.exact
    assert isinstance(branch.failure, JoinFailure)
    assert branch.failure.edge == (X, P, A)
