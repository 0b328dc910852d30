"""Strategies: which predicate to evaluate next, by name.

To add one, write a module with a class that implements `Strategy` (protocol.py) and add it to `STRATEGIES`.
"""

from __future__ import annotations

from collections.abc import Callable

from gtopss.operators.strategies.adaptive import Adaptive
from gtopss.operators.strategies.gain_order import GainOrder, LinkedGainOrder
from gtopss.operators.strategies.naive import Naive
from gtopss.operators.strategies.protocol import PredicateSelector, Strategy
from gtopss.operators.strategies.sequential import Sequential
from gtopss.operators.strategies.sub_order import SubOrder

__all__ = [
    "STRATEGIES",
    "Adaptive",
    "GainOrder",
    "LinkedGainOrder",
    "Naive",
    "PredicateSelector",
    "Sequential",
    "Strategy",
    "SubOrder",
]

STRATEGIES: dict[str, Callable[[], Strategy]] = {
    "naive": Naive,
    "sequential": Sequential,
    "sub_order": SubOrder,
    "linked_gain_order": LinkedGainOrder,
    "gain_order": GainOrder,
    "adaptive": Adaptive,
}
