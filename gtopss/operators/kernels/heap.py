"""A binary heap in two arrays, `keys` and `items`: the greatest key is on top, and of equal keys the smaller item.

Only the first `size` entries count. The caller owns the arrays and makes them large enough. Breaking ties by the item
makes runs repeatable.
"""

from __future__ import annotations

from gtopss.compiled import inner
from gtopss.operators.kernels.arrays import Integers, Reals


@inner
def push(keys: Reals, items: Integers, size: int, key: float, item: int) -> int:
    """Insert an item and return the new size."""
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        if keys[parent] > key or (keys[parent] == key and items[parent] <= item):
            break
        keys[at], items[at] = keys[parent], items[parent]
        at = parent
    keys[at], items[at] = key, item
    return size + 1


@inner
def pop(keys: Reals, items: Integers, size: int) -> int:
    """Remove the top and return the new size."""
    keys[0], items[0] = keys[size - 1], items[size - 1]
    sift_down(keys, items, size - 1)
    return size - 1


@inner
def sift_down(keys: Reals, items: Integers, size: int) -> None:
    """Restore the heap after the top's key became smaller."""
    key, item = keys[0], items[0]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        right = child + 1
        if right < size and (keys[right] > keys[child] or (keys[right] == keys[child] and items[right] < items[child])):
            child = right
        if keys[child] < key or (keys[child] == key and items[child] >= item):
            break
        keys[at], items[at] = keys[child], items[child]
        at = child
    keys[at], items[at] = key, item
