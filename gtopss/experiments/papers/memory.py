"""How many bytes a structure takes: the objects that are reached from it, each counted once.

The process's size would say little: it holds the workload, the other matchers, and what the allocator keeps. What is
shared by all matchers (the taxonomy, code, classes) is left out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from gtopss.matching.matcher import Matcher
from gtopss.model import Branch, FiveTuple, Subscription
from gtopss.semantics import BranchExpressions
from ontology import Taxonomy

_CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
_SUBSCRIPTIONS = (Subscription, Branch, FiveTuple, BranchExpressions)


@dataclass(frozen=True, slots=True)
class Footprint:
    """Bytes of a matcher: its index alone (Figure 9(c)'s "matrix"), and with the subscriptions that it keeps."""

    index: int
    whole: int


def footprint(matcher: Matcher) -> Footprint:
    """A matcher that knows the size of its index, as one made of compiled arrays must, is asked for it."""
    index_bytes = getattr(matcher, "index_bytes", None)
    whole = deep_size(matcher, without=(Taxonomy,))
    if index_bytes is not None:
        return Footprint(int(index_bytes()), max(whole, int(index_bytes())))
    return Footprint(deep_size(matcher, without=(Taxonomy, *_SUBSCRIPTIONS)), whole)


def deep_size(root: object, without: tuple[type, ...] = ()) -> int:
    """Bytes of all objects reached from `root`, but through code and the types in `without`.

    >>> deep_size([]) < deep_size([["a"], ["b"]]) < deep_size([["a"], ["b", "b", "c"]])
    True
    """
    seen: set[int] = set()
    total, left = 0, [root]
    while left:
        thing = left.pop()
        if id(thing) in seen or isinstance(thing, (*_CODE, *without)):
            continue
        seen.add(id(thing))
        total += sys.getsizeof(thing)
        left.extend(_inside(thing))
    return total


def _inside(thing: Any) -> Iterator[object]:
    if isinstance(thing, (str, bytes, int, float)):
        return
    if isinstance(thing, dict):
        yield from thing.keys()
        yield from thing.values()
    elif isinstance(thing, (list, tuple, set, frozenset)):
        yield from thing
    yield from getattr(thing, "__dict__", {}).values()
    for name in _slots(type(thing)):
        if hasattr(thing, name):
            yield getattr(thing, name)
    base = getattr(thing, "base", None)  # a numpy view: its bytes are in the array that it looks at
    if base is not None and hasattr(thing, "nbytes"):
        yield base


def _slots(cls: type) -> Iterable[str]:
    for each in cls.__mro__:
        slots = each.__dict__.get("__slots__", ())
        yield from (slots,) if isinstance(slots, str) else slots
