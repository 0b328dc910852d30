"""Times of the fast engine and its peers: answers compared first, then timed in turns in one process.

Everyone starts from the same Publication objects and ends with the ids of subscriptions. A peer that is slow is timed
on fewer items, and our engine on the same ones beside it. The best turn counts: what disturbs a run only adds to it.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from gtopss.errors import GtopssError
from gtopss.experiments.peers import Ours, Peer
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication

PATIENCE = 5.0  # seconds an item may be expected to take before a peer is left out
TURNS = 3


class Disagreement(GtopssError):
    """A peer and the engine gave different answers: one of the two is wrong, and no time of either means anything."""

    def __init__(
        self, peer: str, workload: Workload, publication: Publication, ours: set[str], theirs: set[str]
    ) -> None:
        only = [
            f"only {who}: {sorted(ids)[:3]}" for who, ids in (("ours", ours - theirs), (peer, theirs - ours)) if ids
        ]
        where = f"workload {workload.name}, {workload.size} subscriptions, publication {publication.id}"
        super().__init__(f"{peer} disagrees on {where}: {'; '.join(only)}")


@dataclass(frozen=True, slots=True)
class Point:
    """One engine on one workload at one size; times in milliseconds an item. `left_out` says why there are none."""

    workload: str
    title: str
    size: int
    engine: str
    tuning: str = ""
    items: int = 0
    matches: float = 0.0  # subscriptions an item
    ms: float | None = None
    ours_ms: float | None = None  # our engine on the same items, existence only
    prepare_s: float = 0.0
    left_out: str = ""


def compare(
    workload: Workload,
    matcher: str,
    peers: Sequence[Peer],
    before: Mapping[str, Point],
    *,
    items: int,
    seconds: float,
    progress: Callable[[str], None],
) -> list[Point]:
    """Our engine, without and with bindings, then each peer. `before` has the peers' points at a smaller size."""
    publications = workload.publications(items)
    ours = Ours(matcher)
    taken = prepared(ours, workload, progress)
    expected = [set(ids) for ids in ours.match_many(publications)]
    runs = [_Run(ours.name, ours.tuning, ours.match_many, publications, taken)]
    bound = f"{ours.name} with bindings"
    with_bindings = ours.engine.match_many
    few = _affordable(with_bindings, publications, seconds)
    runs.append(_Run(bound, ours.tuning, lambda given: list(with_bindings(given)), few, taken))
    left_out = []
    for peer in peers:
        reason = peer.declines(workload) or _hopeless(before.get(peer.name), workload.size)
        if reason:
            left_out.append(
                Point(workload.name, workload.title, workload.size, peer.name, peer.tuning, left_out=reason)
            )
            continue
        taken = prepared(peer, workload, progress)
        progress(f"{workload.name}, {workload.size:,}: comparing {peer.name}'s answers")
        few = _affordable(peer.match_many, publications, seconds)
        for publication, wanted, found in zip(few, expected, peer.match_many(few), strict=False):
            if set(found) != wanted:
                raise Disagreement(peer.name, workload, publication, wanted, set(found))
        runs.append(_Run(peer.name, peer.tuning, peer.match_many, few, taken))
    progress(f"{workload.name}, {workload.size:,}: timing")
    for _ in range(TURNS):
        for run in runs:
            run.turn(ours)
    matches = [len(ids) for ids in expected]
    return [run.point(workload, matches) for run in runs] + left_out


def prepared(peer: Peer, workload: Workload, progress: Callable[[str], None]) -> float:
    """Seconds to register the workload's subscriptions, making them included."""
    progress(f"{workload.name}, {workload.size:,}: preparing {peer.name}")
    started = time.perf_counter()
    peer.prepare(workload.subscriptions(), workload.taxonomy)
    return time.perf_counter() - started


def timed(task: Callable[[], object]) -> float:
    """Seconds, with the garbage collector held back as `timeit` does: a million objects of ours are nobody's fault."""
    gc.disable()
    try:
        started = time.perf_counter()
        task()
        return time.perf_counter() - started
    finally:
        gc.enable()


class _Run:
    """One engine with its items, and its best turn so far."""

    def __init__(
        self,
        name: str,
        tuning: str,
        match_many: Callable[[Sequence[Publication]], Iterable[object]],
        items: Sequence[Publication],
        prepare_s: float,
    ) -> None:
        self.name, self.tuning, self.match_many, self.items, self.prepare_s = name, tuning, match_many, items, prepare_s
        self.best, self.ours = float("inf"), float("inf")

    def turn(self, ours: Ours) -> None:
        self.best = min(self.best, self._twice(self.match_many))
        self.ours = self.best if self.name == ours.name else min(self.ours, self._twice(ours.match_many))

    def _twice(self, match_many: Callable[[Sequence[Publication]], Iterable[object]]) -> float:
        """The better of two in a row: after another engine the processor's caches hold nothing of this one's."""
        return min(timed(lambda: list(match_many(self.items))) for _ in range(2))

    def point(self, workload: Workload, matches: Sequence[int]) -> Point:
        count = len(self.items)
        return Point(
            workload.name,
            workload.title,
            workload.size,
            self.name,
            self.tuning,
            count,
            sum(matches[:count]) / count,
            1e3 * self.best / count,
            1e3 * self.ours / count,
            self.prepare_s,
        )


def _affordable(
    match_many: Callable[[Sequence[Publication]], Iterable[object]], publications: Sequence[Publication], seconds: float
) -> Sequence[Publication]:
    """As many items as are answered in that time, three at least; asking is a warm-up."""
    few = 3
    while True:
        taken = timed(partial(_exhaust, match_many, publications[:few]))
        if few >= len(publications) or taken > seconds / 2:
            return publications[: max(3, int(few * seconds / taken))]
        few *= 4  # gently: who answers item by item takes twice the time at most, who takes them together far less


def _exhaust(
    match_many: Callable[[Sequence[Publication]], Iterable[object]], publications: Sequence[Publication]
) -> None:
    for _ in match_many(publications):
        pass


def _hopeless(before: Point | None, size: int) -> str | None:
    """Time grows at most in proportion, for those that look at every subscription; even that can be too much."""
    if before is None:
        return None
    if before.ms is None:
        return before.left_out
    if before.ms / 1e3 * size / before.size < PATIENCE:
        return None
    return f"not run above {before.size:,}: {before.ms / 1e3:.1f} s an item there"
