"""The bounded search for rows, beside the naive matcher that the explainer's tests compare it with."""

from __future__ import annotations

from support.explanations import A, B, C, P, Q, X, Y, Z

from gtopss.explain.row_search import components, find_row, rows
from gtopss.explain.step_budget import StepBudget
from gtopss.explain.triple_index import TripleIndex


def test_rows_are_all_joins_of_the_edges() -> None:
    index = TripleIndex([(A, P, B), (B, Q, C), (C, Q, A)])
    found = list(rows([(X, P, Y), (Y, Q, Z)], index, StepBudget(100)))
    assert found == [{X: A, Y: B, Z: C}]


def test_search_stops_when_the_budget_is_exhausted() -> None:
    index, budget = TripleIndex([(A, P, B), (B, P, C)]), StepBudget(1)
    assert len(list(rows([(X, P, Y)], index, budget))) == 1
    assert budget.exhausted


def test_edges_without_a_common_variable_are_separate_components() -> None:
    first, second, third = (X, P, Y), (Z, P, A), (Y, Q, B)
    assert components([first, second, third]) == [[first, third], [second]]


def test_no_row_is_found_if_one_component_has_none() -> None:
    index = TripleIndex([(A, P, B)])
    assert find_row([(X, P, B), (Y, Q, B)], index, StepBudget(100)) is None
    assert find_row([(X, P, B), (Y, P, B)], index, StepBudget(100)) == {X: A, Y: A}
