"""The number of steps that a search may still take."""

from __future__ import annotations


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
