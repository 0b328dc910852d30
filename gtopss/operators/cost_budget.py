"""The cost budget of one publication."""

from __future__ import annotations

from gtopss.operators.kernels.arrays import Reals


class CostBudget:
    """Compares the cost of calls with a limit. A started call is reserved at its expected cost until it returns."""

    def __init__(self, limit: float | None, expected_costs: Reals | None) -> None:
        """`expected_costs` are by predicate, and needed only if there is a limit."""
        self.limit = limit
        self._expected_costs = expected_costs
        self._committed = 0.0

    @property
    def left(self) -> float:
        return float("inf") if self.limit is None else self.limit - self._committed

    def expected_cost(self, predicate: int) -> float:
        """Return the expected cost of a call; 0 without a limit."""
        return 0.0 if self._expected_costs is None else float(self._expected_costs[predicate])

    def allows(self, predicate: int) -> bool:
        return self.limit is None or self._committed + self.expected_cost(predicate) <= self.limit

    def reserve(self, predicate: int) -> None:
        self._committed += self.expected_cost(predicate)

    def release(self, predicate: int) -> None:
        self._committed -= self.expected_cost(predicate)

    def spend(self, cost: float) -> None:
        self._committed += cost
