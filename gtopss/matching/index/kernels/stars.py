"""Canonical star names, so that equal structures become one pattern (the paper's section 6: "better star mapping").

A variable's name says nothing; where it stands does. Each variable gets a colour from the edges it is in, then from the
colours of its neighbours, and the stars are numbered in the order of their colours. Variables that look alike to the
end keep the order in which they were written: then two equal structures may stay two patterns, which costs a little
sharing and never an answer.

An edge is (subject, property, object); a constant is its global number, the variable v is -1 - v.
"""

from __future__ import annotations

import numpy as np

from gtopss.compiled import compiled, inner
from gtopss.matching.index.kernels.sort import ranked

ROUNDS = 3


@inner
def mixed(a, b):
    """One number of two, well stirred."""
    h = (np.uint64(a) ^ (np.uint64(b) + np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xD6E8FEB86659FD93)
    h ^= h >> np.uint64(32)
    h *= np.uint64(0xD6E8FEB86659FD93)
    return h ^ (h >> np.uint64(29))


@inner
def _seen(part, colours):
    return np.uint64(part) if part >= 0 else mixed(colours[-1 - part], np.uint64(7))


@compiled
def name_stars(starts, edges, variable_starts):
    """Renames the variables of each entry's edges in place; gives the star of each variable."""
    stars = np.empty(variable_starts[-1], np.int16)
    for entry in range(starts.shape[0] - 1):
        first, last = starts[entry], starts[entry + 1]
        begin = variable_starts[entry]
        count = variable_starts[entry + 1] - begin
        if count == 1:
            stars[begin] = 0
            continue
        if count == 0:
            continue
        colours, next_ = np.ones(count, np.uint64), np.empty(count, np.uint64)
        for _ in range(ROUNDS):
            next_[:] = 0
            for e in range(first, last):
                s, p, o = edges[e, 0], edges[e, 1], edges[e, 2]
                cs, cp, co = _seen(s, colours), _seen(p, colours), _seen(o, colours)
                if s < 0:  # sums, since the order of the edges must not matter
                    next_[-1 - s] += mixed(mixed(cp, co), np.uint64(1 + 4 * (s == o) + 8 * (s == p)))
                if p < 0:
                    next_[-1 - p] += mixed(mixed(cs, co), np.uint64(2 + 4 * (p == s) + 8 * (p == o)))
                if o < 0:
                    next_[-1 - o] += mixed(mixed(cs, cp), np.uint64(3 + 4 * (o == s) + 8 * (o == p)))
            for v in range(count):
                colours[v] = mixed(colours[v], next_[v])
        order = ranked(colours.view(np.int64))
        for star in range(count):
            stars[begin + order[star]] = star
        for e in range(first, last):
            for part in range(3):
                if edges[e, part] < 0:
                    edges[e, part] = -1 - stars[begin - 1 - edges[e, part]]
    return stars
