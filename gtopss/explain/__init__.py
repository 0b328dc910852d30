"""Explain why a subscription matched a publication, or what is missing.

An explanation is plain frozen data (`explanation`). Text, JSON, SVG and Mermaid are made from that data.

| to change | look in |
|---|---|
| the step budget, how many rows are examined, how many solutions and triples are shown | `limits` |
| which branch (or subscription) counts as the nearest miss | `closeness` |
| the search for solutions and for the reason of a miss | `explainer` |
| the largest part of a pattern that matches | `largest_part` |
| the search for rows within a budget | `row_search`, `triple_index`, `step_budget` |
| the triples shown for an edge that nothing matches | `near_triples` |
| why a constraint holds or fails | `constraint_checks`, `isa_checks`, `label_checks`, `text_checks` |
| where a needle was found, and what is shown around it | `needle_places`, `excerpts` |
| the value that came closest to a limit | `closest_value` |
| how IRIs are shortened, and how terms and expressions are written | `formatting` |
| the wording of an explanation | `text` |
| what a diagram contains | `diagram` |
| the colours and marks of diagrams | `diagram_style` |
| where nodes and labels are placed | `graph_layout` |
| the drawing itself | `svg`, `mermaid` |
"""

from gtopss.explain.excerpts import Excerpt
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
    LabelCheck,
    NearTriple,
    SolutionExplanation,
    TextCheck,
)

__all__ = [
    "BranchExplanation", "Check", "ClosestValue", "ComputedValue", "ConstraintFailure", "EdgeFailure", "EdgeMatch",
    "Excerpt", "Explanation", "Failure", "IsACheck", "JoinFailure", "LabelCheck", "NearTriple", "SolutionExplanation",
    "TextCheck", "explain",
]  # fmt: skip
