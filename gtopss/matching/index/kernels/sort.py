"""One sort for all kernels: each type that is sorted costs a second of compiling."""

from __future__ import annotations

import numpy as np

from gtopss.compiled import inner


@inner
def ranked(keys):
    """The positions of these 64-bit keys in their order; equal ones stay in theirs."""
    return np.argsort(keys, kind="mergesort")


@inner
def line_up(reals):
    """Keys in the order of these numbers, none of which is NaN: a float's bits, with those of negatives turned over."""
    bits = reals.view(np.int64)
    keys = np.empty(bits.shape[0], np.int64)
    for i in range(bits.shape[0]):
        keys[i] = bits[i] ^ ((bits[i] >> 63) & 0x7FFFFFFFFFFFFFFF)
    return keys
