"""Name stars canonically, so that equal structures become one pattern (the paper's section 6: "better star mapping").

The name of a variable means nothing; its position does. Each variable gets a colour from the edges it is in, then from
the colours of its neighbours, and the stars are numbered in the order of their colours. Variables of equal colour keep
the order in which they were written: then two equal structures may stay two patterns, which costs a little sharing and
never an answer.

An edge is (subject, property, object). A constant is its global term number, the variable v is -1 - v.
"""

from __future__ import annotations

import numpy as np

from gtopss.compiled import compiled, inner
from gtopss.matching.index.kernels.hash_tables import mix
from gtopss.matching.index.kernels.sort import argsort

COLOUR_ROUNDS = 3
"""How often colours spread to neighbours: variables that differ only by something farther away stay alike."""

_VARIABLE = np.uint64(7)  # mixed into a variable's colour, so that it differs from the number of a constant


@inner
def _colour(part, colours):
    return np.uint64(part) if part >= 0 else mix(colours[-1 - part], _VARIABLE)


@inner
def _spread_colours(edges, first, last, colours, gathered):
    """Change each variable's colour by those of its edges. `gathered` is scratch space of the same length."""
    gathered[:] = 0
    for e in range(first, last):
        s, p, o = edges[e, 0], edges[e, 1], edges[e, 2]
        subject, property_, object_ = _colour(s, colours), _colour(p, colours), _colour(o, colours)
        if s < 0:  # sums, because the order of the edges must not matter
            gathered[-1 - s] += mix(mix(property_, object_), np.uint64(1 + 4 * (s == o) + 8 * (s == p)))
        if p < 0:
            gathered[-1 - p] += mix(mix(subject, object_), np.uint64(2 + 4 * (p == s) + 8 * (p == o)))
        if o < 0:
            gathered[-1 - o] += mix(mix(subject, property_), np.uint64(3 + 4 * (o == s) + 8 * (o == p)))
    for variable in range(colours.shape[0]):
        colours[variable] = mix(colours[variable], gathered[variable])


@compiled
def name_stars(starts, edges, variable_starts):
    """Rename the variables in `edges`, in place, to canonical stars. Return the star of each variable.

    `starts` and `variable_starts` hold the first edge and the first variable of each entry, and the end of the last.
    """
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
        colours, gathered = np.ones(count, np.uint64), np.empty(count, np.uint64)
        for _ in range(COLOUR_ROUNDS):
            _spread_colours(edges, first, last, colours, gathered)
        order = argsort(colours.view(np.int64))
        for star in range(count):
            stars[begin + order[star]] = star
        for e in range(first, last):
            for part in range(3):
                if edges[e, part] < 0:
                    edges[e, part] = -1 - stars[begin - 1 - edges[e, part]]
    return stars
