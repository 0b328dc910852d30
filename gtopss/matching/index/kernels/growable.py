"""Fill an array whose final size is not known before it is filled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gtopss.compiled import inlined, inner
from gtopss.matching.index.kernels.array_types import Int64Array

_FIRST_CAPACITY = 64


class Growable(NamedTuple):
    """An array that is filled from its beginning. The elements after the used ones are uninitialised.

    Kernels that fill it check for room (`has_room`) and change `used` in place. Only the kernel that owns it can
    replace it by a larger one (`grown`): so those who fill it can borrow it, and return when it is full.
    """

    items: npt.NDArray[np.generic]
    used: Int64Array  # one element: how many items are in use


@inner
def new_growable(kind):
    """Return an empty growable array of numbers of this kind."""
    return Growable(np.empty(_FIRST_CAPACITY, kind), np.zeros(1, np.int64))


@inner
def new_growable_table(kind, columns):
    """Return an empty growable array of rows with so many numbers."""
    return Growable(np.empty((_FIRST_CAPACITY, columns), kind), np.zeros(1, np.int64))


@inlined
def has_room(growable, count):
    """Return whether so many items can be added."""
    return growable.used[0] + count <= growable.items.shape[0]


@inner
def grown(growable, count):
    """Return a growable array with the same items, and room for so many more, at least twice as many as before."""
    used = growable.used[0]
    larger = np.empty(max(2 * growable.items.shape[0], used + count), growable.items.dtype)
    for i in range(used):  # in loops, because numba compiles the copy of a slice for a second
        larger[i] = growable.items[i]
    return Growable(larger, growable.used)


@inner
def grown_table(growable, count):
    """Do the work of `grown` for an array of rows."""
    used, columns = growable.used[0], growable.items.shape[1]
    larger = np.empty((max(2 * growable.items.shape[0], used + count), columns), growable.items.dtype)
    for i in range(used):
        for column in range(columns):
            larger[i, column] = growable.items[i, column]
    return Growable(larger, growable.used)
