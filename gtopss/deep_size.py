"""Measure the memory of a data structure: all objects reachable from it, each counted once.

The size of the process says little about one structure: it includes the workload, other matchers and the memory that
the allocator keeps for reuse.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_CODE_TYPES = (type, FunctionType, BuiltinFunctionType, MethodType, ModuleType)


def deep_size(*roots: object, without: tuple[object, ...] = (), without_types: tuple[type, ...] = ()) -> int:
    """Return the bytes of the roots and of everything they reference, except code.

    Objects in `without`, instances of `without_types`, and what is reachable only through them are not counted.

    >>> deep_size([]) < deep_size([["a"], ["b"]]) < deep_size([["a"], ["b", "b", "c"]])
    True
    >>> deep_size(np.zeros(1000, np.uint8)) - 1000 < 200
    True
    """
    seen = {id(each) for each in without}
    skipped = (*_CODE_TYPES, *without_types)
    total, stack = 0, list(roots)
    while stack:
        each = stack.pop()
        if id(each) in seen or isinstance(each, skipped):
            continue
        seen.add(id(each))
        total += sys.getsizeof(each)
        stack.extend(_referenced(each))
    return total


def _referenced(each: Any) -> Iterator[object]:
    if isinstance(each, (str, bytes, int, float)):
        return
    if isinstance(each, np.ndarray):
        if each.base is not None:  # a view: its bytes are in the array that it shares
            yield each.base
        return
    if isinstance(each, dict):
        yield from each.keys()
        yield from each.values()
    elif isinstance(each, (list, tuple, set, frozenset)):
        yield from each
    if hasattr(each, "__dict__"):
        yield each.__dict__
    for cls in type(each).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(each, name):
                yield getattr(each, name)
