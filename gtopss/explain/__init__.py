"""Why a subscription matched a publication, or what it failed on: data first, then text and pictures of it."""

from gtopss.explain.explanation import (
    BranchExplanation,
    Check,
    Closest,
    Computed,
    EdgeMatch,
    Explanation,
    Failure,
    NearTriple,
    NoJoin,
    NoRow,
    NoTriple,
    Question,
    SolutionExplanation,
)
from gtopss.explain.search import explain

__all__ = [
    "BranchExplanation", "Check", "Closest", "Computed", "EdgeMatch", "Explanation", "Failure", "NearTriple", "NoJoin",
    "NoRow", "NoTriple", "Question", "SolutionExplanation", "explain",
]  # fmt: skip
