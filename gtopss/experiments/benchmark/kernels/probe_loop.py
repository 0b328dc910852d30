"""Probe a table at random places: what threads can gain on a machine where memory is what they wait for."""

from __future__ import annotations

import numpy as np

from gtopss.compiled import compiled

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@compiled
def probe_table(table, count, seed):
    """Read `count` elements of a table, whose length is a power of two, at pseudo-random places. Return their sum."""
    mask = np.uint64(table.shape[0] - 1)
    h, total = np.uint64(seed), np.uint64(0)
    for _ in range(count):
        h = (h ^ (h >> _SHIFT)) * _MULTIPLIER + np.uint64(1)
        total += table[(h >> _SHIFT) & mask]
    return total
