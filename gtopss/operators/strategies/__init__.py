"""Strategies: which predicate to evaluate next, by name.

To add one, write a module with a class that implements `Strategy` (protocol.py) and add it to `STRATEGIES`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gtopss.lazy_table import LazyTable

if TYPE_CHECKING:
    from gtopss.operators.strategies.protocol import Strategy

STRATEGIES: LazyTable[Callable[[], Strategy]] = LazyTable(
    "gtopss.operators.strategies",
    {
        "naive": ("naive", "Naive"),
        "sequential": ("sequential", "Sequential"),
        "sub_order": ("sub_order", "SubOrder"),
        "linked_gain_order": ("gain_order", "LinkedGainOrder"),
        "gain_order": ("gain_order", "GainOrder"),
        "adaptive": ("adaptive", "Adaptive"),
    },
)
