"""Which predicate to ask next: the strategies by name. To add one: a file, a line here."""

from __future__ import annotations

from collections.abc import Callable

from gtopss.operators.strategies.adaptive import Adaptive
from gtopss.operators.strategies.naive import Naive
from gtopss.operators.strategies.protocol import Run, Strategy
from gtopss.operators.strategies.sequential import Sequential
from gtopss.operators.strategies.sub_order import SubOrder

__all__ = ["STRATEGIES", "Adaptive", "Naive", "Run", "Sequential", "Strategy", "SubOrder"]

STRATEGIES: dict[str, Callable[[], Strategy]] = {
    "naive": Naive,
    "sequential": Sequential,
    "sub_order": SubOrder,
    "adaptive": Adaptive,
}
