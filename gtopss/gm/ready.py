"""The kernels compiled before they are needed, with a word about it where that takes long."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path

import numpy as np

from gtopss.gm.kernels.bounds import Values
from gtopss.gm.kernels.is_a import Closure, with_is_a
from gtopss.gm.kernels.ntriples import read_plain
from gtopss.gm.kernels.search import Limits, search
from gtopss.gm.kernels.terms import PADDING, TermTable, enter, read_lines
from gtopss.gm.kernels.values import read_values
from gtopss.gm.patterns import Filled
from gtopss.gm.segment import Level, merged, new_entries

_log = logging.getLogger("gtopss")


@cache
def make_ready() -> None:
    """Run every kernel once on next to nothing, so that no publication waits for a compiler."""
    if not _kept():
        _log.warning("compiling the matching loops: half a minute, once")
    seed, text = np.uint64(1), np.frombuffer(b"<a>\n<p>\n<a>\n" + PADDING, np.uint8)
    table = TermTable(np.zeros(64, np.uint64), np.frombuffer(b"<a>\n<p>\n" + PADDING, np.uint8).copy())
    enter(table.slots, table.heap, np.array([0, 4]), 0, seed)
    read_plain(text.copy())
    batch, begins = read_lines(text, np.array([0, 1]), True, table, seed)
    read_values(text, begins, batch.first)
    closure = Closure(np.full(2, -1, np.int32), np.zeros(1, np.int64), np.zeros(0, np.int32))
    batch = with_is_a(batch, closure, 0, np.zeros(1, np.uint8))
    level = Level(merged([], np.ones(1, np.uint8), [new_entries([(0, 0, Filled(1, [(-1, 1, -1)], 0))])]).segment)
    alive = np.ones(1, np.uint8)
    values = Values(np.zeros(0, np.int8), np.zeros(0), np.zeros(0))
    search(merged([level], alive).held, batch, values, alive, Limits(1, 1, 1))


def _kept() -> bool:
    """Whether an earlier start left compiled code."""
    kept = getattr(getattr(search, "_cache", None), "cache_path", None)
    return kept is not None and any(Path(kept).glob("search.search*.nbi"))
