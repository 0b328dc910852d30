"""Compile all kernels on first use, in two processes, and log a warning if that takes long."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from subprocess import DEVNULL

import numpy as np

from gtopss.matching.index.branch_plan import EncodedBranch
from gtopss.matching.index.buffer import BufferedEntry
from gtopss.matching.index.kernels.array_types import Int64Array, UInt8Array
from gtopss.matching.index.kernels.bounds import TermValues
from gtopss.matching.index.kernels.buffered import BufferedConstants, may_match_buffered
from gtopss.matching.index.kernels.is_a_edges import Closure, add_is_a_edges
from gtopss.matching.index.kernels.needles import copy_needles, insert_needles, new_needle_table
from gtopss.matching.index.kernels.ntriples import GraphNames, read_plain_nquads, read_plain_ntriples
from gtopss.matching.index.kernels.pattern_task import SearchInput, SearchLimits
from gtopss.matching.index.kernels.search import search
from gtopss.matching.index.kernels.terms import PADDING, Batch, TermTable, insert_terms, read_lines
from gtopss.matching.index.kernels.text_edges import add_text_edges
from gtopss.matching.index.kernels.text_hits import TextSearch, find_in_texts, find_needles
from gtopss.matching.index.kernels.values import read_values
from gtopss.matching.index.segment import (
    entries_from_branches,
    example_segment,
    merge_index_segments,
    segment_addresses,
)
from gtopss.matching.index.text_tables import empty_tables
from gtopss.matching.threads import available_processors

_log = logging.getLogger("gtopss")
_LOOK_SECONDS = 0.2  # between two looks whether the caller still waits for the other process
_COMPILING = "compiling the matching loops: about a minute, once"
_OTHER_PROCESS_TIMEOUT = 60.0  # seconds that the other process may take longer than this one


_compiling = threading.Lock()


def compile_kernels() -> None:
    """Run every kernel once on tiny inputs, so that no publication waits for the compiler. Later calls do nothing.

    Threads that call it meanwhile wait until the kernels are compiled.
    """
    with _compiling:
        _compile_once()


@cache
def _compile_once() -> None:
    if not has_compiled_code():
        _log.warning(_COMPILING)
        with _in_other_process("compile_other_kernels"):
            compile_search_kernels()
    compile_search_kernels()
    compile_other_kernels()


def compile_search_kernels() -> None:
    """Compile the kernels that number terms and search: they take as long as all others together."""
    batch, _, _ = _example_batch()
    may_match_buffered(batch, BufferedConstants(np.ones(1, np.int32), np.ones(1, np.int32)))
    alive, values = np.ones(1, np.uint8), TermValues(np.zeros(0, np.int8), np.zeros(0), np.zeros(0))
    search(segment_addresses([]), example_segment().handle, SearchInput(batch, values, alive), SearchLimits(*[1] * 9))


def compile_other_kernels() -> None:
    """Compile the kernels that read texts and values, and those that build and merge segments."""
    branch = BufferedEntry(0, 0, EncodedBranch(1, [(-1, 1, -1)], 0))
    segment, _ = merge_index_segments([], np.ones(1, np.uint8), entries_from_branches([branch]))
    segment.slots()
    segment.rates()
    _compile_text_kernels()


def _compile_text_kernels() -> None:
    seed, counts, text_ends = np.uint64(1), np.zeros(1, np.int64), np.zeros(1, np.int64)
    batch, text, begins = _example_batch()
    read_plain_ntriples(text.copy(), np.array([0, 12]), counts, text_ends)
    read_plain_nquads(text.copy(), 12, counts, text_ends, GraphNames(np.zeros(1, np.uint8), np.zeros(1, np.int64)))
    read_values(text, begins, batch.first, False)
    closure = Closure(np.full(2, -1, np.int32), np.zeros(1, np.int64), np.zeros(0, np.int32))
    batch, _ = add_is_a_edges(batch, closure, 0, np.zeros(1, np.uint8), 1)
    needles = new_needle_table(16, 1, seed)
    insert_needles(needles, np.frombuffer(b"a" + PADDING, np.uint8), np.array([[1, 0, 0, 0]]))
    copy_needles(needles, needles)
    texts = TextSearch(needles, np.zeros(1, np.int64), 1, empty_tables())
    hits, unmapped, steps = find_needles(text, begins, batch, texts, 1)
    find_in_texts(text, np.zeros(1, np.int64), unmapped, needles, steps)
    add_text_edges(batch, hits, 1)


def _example_batch() -> tuple[Batch, UInt8Array, Int64Array]:
    """Return a publication of one triple, its text, and where the lines of the text begin."""
    seed, text = np.uint64(1), np.frombuffer(b"<a>\n<p>\n<a>\n" + PADDING, np.uint8)
    table = TermTable(np.zeros(64, np.uint64), np.frombuffer(b"<a>\n<p>\n" + PADDING, np.uint8).copy())
    insert_terms(table.slots, table.heap, np.array([0, 4]), 0, seed)
    batch: Batch
    batch, begins = read_lines(text, np.array([0, 1]), True, table, seed)
    return batch, text, begins


def compile_kernels_elsewhere(is_stopped: Callable[[], bool]) -> None:
    """Do as `compile_kernels`, but compile in another process, so that the threads of this one go on meanwhile.

    If `is_stopped` says so, the other process is ended, and nothing is compiled.
    """
    if not has_compiled_code() and Path(sys.executable or "").name.startswith("python"):
        _log.warning(_COMPILING)
        with suppress(OSError):
            _wait_for(_start_process("compile_kernels", start_new_session=True), is_stopped)
    if not is_stopped():
        compile_kernels()


def _wait_for(other: subprocess.Popen[bytes], is_stopped: Callable[[], bool]) -> None:
    try:
        while not is_stopped():
            with suppress(subprocess.TimeoutExpired):
                other.wait(_LOOK_SECONDS)
                return
    finally:
        with suppress(ProcessLookupError):
            os.killpg(other.pid, signal.SIGKILL)  # it has a process of its own
        other.wait()


@contextmanager
def _in_other_process(task: str) -> Iterator[None]:
    """Run a function of this module in a second Python process during the block.

    What it compiles is in the cache afterwards. It need not succeed: what is not in the cache is compiled here.
    """
    if available_processors() < 2 or not Path(sys.executable or "").name.startswith("python"):
        yield
        return
    try:
        other = _start_process(task)
    except OSError:
        yield
        return
    try:
        yield
        with suppress(subprocess.TimeoutExpired):
            other.wait(_OTHER_PROCESS_TIMEOUT)
    finally:
        other.kill()
        other.wait()


def _start_process(task: str, *, start_new_session: bool = False) -> subprocess.Popen[bytes]:
    """Run a function of this module in another Python process. Raise OSError if there can be none."""
    command = [sys.executable, "-P", "-c", f"from {__name__} import {task}; {task}()"]
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    return subprocess.Popen(
        command,
        env=settings,
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=DEVNULL,
        start_new_session=start_new_session,
    )


def has_compiled_code() -> bool:
    """Return whether the cache has compiled code for both halves."""
    kept = getattr(getattr(search, "_cache", None), "cache_path", None)
    return kept is not None and all(
        any(Path(kept).glob(f"{name}*.nbi")) for name in ("search.search", "text_edges.add_text_edges")
    )
