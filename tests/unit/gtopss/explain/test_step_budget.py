"""Budgets of steps, and slices of them."""

from __future__ import annotations

from gtopss.explain.step_budget import StepBudget


def test_budget_is_exhausted_after_its_last_step() -> None:
    budget = StepBudget(2)
    assert budget.spend()
    assert budget.spend()
    assert not budget.exhausted
    assert not budget.spend()
    assert budget.exhausted


def test_slice_also_spends_the_whole_budget_and_exhausts_it() -> None:
    budget = StepBudget(10)
    share = budget.half()
    assert share.spend(5)
    assert budget.left == 5
    assert not share.spend()
    assert budget.exhausted


def test_slice_cannot_spend_more_than_the_whole_budget() -> None:
    budget = StepBudget(3)
    share = budget.slice(100)
    assert share.spend(3)
    assert not share.spend()
