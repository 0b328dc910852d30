"""Growable arrays: what was written stays when they grow."""

from __future__ import annotations

import numba
import numpy as np

from gtopss.compiled import borrow, keep_alive
from gtopss.matching.index.kernels.growable import grown, grown_table, has_room, new_growable, new_growable_table


@numba.njit
def _fill(count: int):  # type: ignore[no-untyped-def]
    """Fill an array and a table with the numbers below `count`, as the kernels do: borrowed, and grown by the owner."""
    numbers, table = new_growable(np.int32), new_growable_table(np.int64, 2)
    for number in range(count):
        while not has_room(borrow(numbers), 1):
            numbers = grown(numbers, 0)
        if not has_room(borrow(table), 1):
            table = grown_table(table, 1)
        lent = borrow(numbers)
        lent.items[lent.used[0]] = number
        lent.used[0] += 1
        table.items[table.used[0], 0], table.items[table.used[0], 1] = number, -number
        table.used[0] += 1
    keep_alive(numbers)
    return numbers.items[: numbers.used[0]], table.items[: table.used[0]]


def test_items_stay_when_the_array_grows() -> None:
    numbers, table = _fill(1_000)
    assert numbers.tolist() == list(range(1_000))
    assert table.tolist() == [[number, -number] for number in range(1_000)]
