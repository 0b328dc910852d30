"""The bytes of a structure: everything reachable from it, each object once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_NO_PART = (type, FunctionType, MethodType, ModuleType)


def size_of(*roots: object, without: tuple[object, ...] = ()) -> int:
    """Bytes of the roots and what they hold, but for the objects of `without` and what only those hold.

    >>> size_of(np.zeros(1000, np.uint8)) - 1000 < 200
    True
    """
    seen = {id(each) for each in without}
    total, stack = 0, list(roots)
    while stack:
        each = stack.pop()
        if id(each) in seen or isinstance(each, _NO_PART):
            continue
        seen.add(id(each))
        total += sys.getsizeof(each)
        if isinstance(each, np.ndarray) and each.base is not None:
            stack.append(each.base)
        stack.extend(_parts(each))
    return total


def _parts(each: Any) -> Iterator[object]:
    if isinstance(each, (str, bytes, int, float, np.ndarray)):
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
