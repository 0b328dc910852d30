"""The budget of evaluation: what is charged, to whom, and what one subscription leaves to the next."""

from __future__ import annotations

import pytest

from gtopss.semantics.budget import (
    COMPUTED_CHARACTERS_PER_STEP,
    GUARANTEED_CHARACTERS,
    MIN_STEPS,
    PUBLICATION_WORK_SHARE,
    RESERVE_DIVISOR,
    RESERVE_PARTS,
    STEPS_PER_ROW,
    BudgetExceeded,
    EvaluationBudget,
    EvaluationLimits,
)


def test_a_subscription_has_its_own_steps() -> None:
    budget = EvaluationBudget(EvaluationLimits(work=1_000))
    budget.spend(1_000)
    with pytest.raises(BudgetExceeded, match="work_limit is reached: 1,001"):
        budget.spend(1)
    budget.start_subscription()
    budget.spend(1_000)


def _spend_shared_steps(work: int) -> EvaluationBudget:
    """Return a budget of which only the reserve is left."""
    budget = EvaluationBudget(EvaluationLimits(work=work))
    for _ in range(PUBLICATION_WORK_SHARE):
        budget.spend(work)
        budget.start_subscription()
    return budget


def test_all_subscriptions_share_the_steps_of_the_publication_but_for_a_part_of_the_reserve() -> None:
    work = 1_000 * RESERVE_PARTS * MIN_STEPS
    budget = _spend_shared_steps(work)
    reserve = work // RESERVE_DIVISOR
    budget.spend(reserve // RESERVE_PARTS)
    with pytest.raises(BudgetExceeded, match="publication_work_limit"):
        budget.spend(1)
    budget.start_subscription()
    budget.spend((reserve - reserve // RESERVE_PARTS) // RESERVE_PARTS)
    with pytest.raises(BudgetExceeded, match="publication_work_limit"):
        budget.spend(1)


def test_steps_that_are_refused_are_not_spent() -> None:
    budget = EvaluationBudget(EvaluationLimits(work=1_000_000))
    with pytest.raises(BudgetExceeded, match="work_limit is reached: 100,000,000,000"):
        budget.spend(10**11)
    budget.start_subscription()
    budget.spend(1_000_000)


def test_a_crowd_of_expensive_subscriptions_spends_the_reserve_and_little_more() -> None:
    """Each got 100,000 steps, so that 2,000 of them took 20 seconds more than the publication's budget."""
    work, crowd = 10_000_000, 5_000
    budget = _spend_shared_steps(work)
    spent = 0
    for _ in range(crowd):
        try:
            while True:
                budget.spend(100)
        except BudgetExceeded:
            spent += budget.steps
        budget.start_subscription()
    reserve = work // RESERVE_DIVISOR
    assert reserve < spent < reserve + crowd * (MIN_STEPS + 100)
    budget.spend(MIN_STEPS)


def test_each_row_may_compute_as_much_text() -> None:
    budget = EvaluationBudget(EvaluationLimits(row_text=100))
    for _ in range(3):
        budget.start_row(10)
        budget.charge_result("a" * 60)
        budget.charge_result(("a" * 40, "en"))
        budget.charge_result(7)
        with pytest.raises(BudgetExceeded, match="row_text_limit is reached: 101"):
            budget.charge_result("a")
        with pytest.raises(BudgetExceeded, match="row_text_limit"):
            budget.reserve(1)
    assert budget.steps == 3 * (STEPS_PER_ROW + 10 + 100 // COMPUTED_CHARACTERS_PER_STEP)


def test_solutions_of_all_subscriptions_share_what_a_publication_keeps_but_for_the_first_of_each() -> None:
    budget = EvaluationBudget(EvaluationLimits(publication_text=50_000))
    with pytest.raises(BudgetExceeded, match="publication_text_limit is reached: 50,001"):
        budget.keep(50_001)
    budget.start_subscription()
    budget.keep(GUARANTEED_CHARACTERS)
    with pytest.raises(BudgetExceeded, match="publication_text_limit"):
        budget.keep(1)
