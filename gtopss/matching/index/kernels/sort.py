"""Sort: one sort for all kernels, because each type that is sorted takes a second to compile."""

from __future__ import annotations

import numpy as np

from gtopss.compiled import inner


@inner
def argsort(keys):
    """Return the positions of 64-bit integer keys in ascending order; equal keys stay in their order."""
    return np.argsort(keys, kind="mergesort")


@inner
def float_sort_keys(numbers):
    """Return 64-bit integers in the same order as these floats, none of which may be NaN.

    A float's bits already are in order, except that those of negative numbers must be inverted.
    """
    bits = numbers.view(np.int64)
    keys = np.empty(bits.shape[0], np.int64)
    for i in range(bits.shape[0]):
        keys[i] = bits[i] ^ ((bits[i] >> 63) & 0x7FFFFFFFFFFFFFFF)
    return keys
