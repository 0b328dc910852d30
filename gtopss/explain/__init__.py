"""Why a subscription matched a publication, or what it failed on: data first, then text and pictures of it."""

from gtopss.explain.explainer import explain
from gtopss.explain.explanation import (
    BranchExplanation,
    Check,
    ClosestValue,
    ComputedValue,
    ConstraintFailure,
    EdgeFailure,
    EdgeMatch,
    Explanation,
    Failure,
    IsACheck,
    JoinFailure,
    NearTriple,
    SolutionExplanation,
)

__all__ = [
    "BranchExplanation",
    "Check",
    "ClosestValue",
    "ComputedValue",
    "ConstraintFailure",
    "EdgeFailure",
    "EdgeMatch",
    "Explanation",
    "Failure",
    "IsACheck",
    "JoinFailure",
    "NearTriple",
    "SolutionExplanation",
    "explain",
]  # fmt: skip
