"""A binary heap in two arrays, `keys` and `items`: greatest key on top, and of equal ones the smaller item.

The first `size` entries count. The arrays are the caller's, and large enough.
"""

from __future__ import annotations

from gtopss.operators.arrays import Integers, Reals, compiled


@compiled
def push(keys: Reals, items: Integers, size: int, key: float, item: int) -> int:
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if keys[above] > key or (keys[above] == key and items[above] <= item):
            break
        keys[at], items[at] = keys[above], items[above]
        at = above
    keys[at], items[at] = key, item
    return size + 1


@compiled
def pop(keys: Reals, items: Integers, size: int) -> int:
    keys[0], items[0] = keys[size - 1], items[size - 1]
    sink(keys, items, size - 1)
    return size - 1


@compiled
def sink(keys: Reals, items: Integers, size: int) -> None:
    """Put the top where it belongs; equal keys by the smaller number, so that runs repeat."""
    key, item = keys[0], items[0]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        right = below + 1
        if right < size and (keys[right] > keys[below] or (keys[right] == keys[below] and items[right] < items[below])):
            below = right
        if keys[below] < key or (keys[below] == key and items[below] >= item):
            break
        keys[at], items[at] = keys[below], items[below]
        at = below
    keys[at], items[at] = key, item
