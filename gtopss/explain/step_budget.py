"""The number of steps that a search may still take, and what its expressions may still compute."""

from __future__ import annotations

from typing import NoReturn

from gtopss.explain import limits
from gtopss.semantics import EvaluationLimits
from gtopss.semantics.budget import EvaluationBudget
from gtopss.semantics.values import TypeMismatch


class StepBudget:
    """Count down the steps of a search. Reading one triple, or one term of a constraint, is one step.

    `exhausted` becomes True when a search under this budget, or under a slice of it, stopped early. Not thread-safe:
    one explanation owns its budget.
    """

    def __init__(self, steps: int, parent: StepBudget | None = None) -> None:
        self.left, self.exhausted, self._parent = steps, False, parent

    def spend(self, steps: int = 1) -> bool:
        """Take steps from the budget. Return False from the moment that there are not enough."""
        self.left -= steps
        if (self._parent is None or self._parent.spend(steps)) and self.left >= 0:
            return True
        self.mark_exhausted()
        return False

    def mark_exhausted(self) -> None:
        """Record that a search stopped early, here and in the budgets that this one is a slice of."""
        self.exhausted = True
        if self._parent is not None:
            self._parent.mark_exhausted()

    def slice(self, steps: int) -> StepBudget:
        """Return a smaller budget that also spends this one, so that one search cannot use all the steps."""
        return StepBudget(steps, self)

    def half(self) -> StepBudget:
        """Return a slice of half of the remaining steps, and of at least one."""
        return self.slice(max(self.left // 2, 1))


class ExplainedEvaluation(EvaluationBudget):
    """The budget of the expressions of one explanation. A limit that is reached is an error of the expression.

    An explanation has something to say nevertheless, but it is not complete then: `exhausted` is True.
    """

    __slots__ = ("exhausted",)

    def __init__(self, steps: int | None = None) -> None:
        self.exhausted = False
        super().__init__(EvaluationLimits(work=limits.MAX_EVALUATION_STEPS if steps is None else steps))

    def start_row(self, steps: int) -> None:
        self.row_text = self.kept = 0  # an explanation keeps few rows, and its search counts their size

    def exceed(self, limit: str, amount: int) -> NoReturn:
        self.exhausted = True
        raise TypeMismatch(f"{limit} is reached: {amount:,}")
