"""Compare the engine with its peers: first their answers, then their times, in turns in one process.

All start from the same Publication objects and end with subscription ids. A slow peer is timed on fewer items, and our
engine on the same ones beside it. The best turn counts, because disturbances only add time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

from gtopss.experiments.answer_agreement import Disagreement
from gtopss.experiments.peers import GtopssPeer, GtopssPeerOnBytes, Peer
from gtopss.experiments.timing import wall_seconds
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication

MAX_SECONDS_PER_ITEM = 5.0  # a peer that is expected to take longer is left out
TURNS = 3
MIN_ITEMS = 3

MatchMany: TypeAlias = Callable[[Sequence[Publication]], Iterable[object]]


class ComparisonLimits(NamedTuple):
    """How much to measure: items per point, and seconds per engine and point."""

    items: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PeerTiming:
    """One engine on one workload at one size. If `left_out` gives a reason, there are no times."""

    workload: str
    title: str
    size: int
    engine: str
    tuning: str = ""
    items: int = 0
    matches: float = 0.0  # subscriptions per item
    ms: float | None = None  # per item
    ours_ms: float | None = None  # our engine on the same items, without bindings
    prepare_s: float = 0.0
    left_out: str = ""


def compare_with_peers(
    workload: Workload,
    matcher: str,
    peers: Sequence[Peer],
    smaller: Mapping[str, PeerTiming],
    limits: ComparisonLimits,
    progress: Callable[[str], None],
) -> list[PeerTiming]:
    """Measure our engine, without and with bindings, and each peer; raise Disagreement if answers differ.

    `smaller` has the timings at a smaller size, to leave out peers that would be too slow.
    """
    publications = workload.publications(limits.items)
    ours = GtopssPeerOnBytes(matcher) if workload.has_text else GtopssPeer(matcher)
    prepare_s = _prepare(ours, workload, progress)
    expected = [set(ids) for ids in ours.match_many(publications)]
    with_bindings = ours.engine.match_many
    bound_items = _affordable(with_bindings, publications, limits.seconds)
    runs = [
        _EngineRun(ours.name, ours.tuning, ours.match_many, publications, prepare_s),
        _EngineRun(
            f"{ours.name} with bindings",
            ours.tuning,
            lambda given: list(with_bindings(given)),
            bound_items,
            prepare_s,
        ),
    ]
    left_out = []
    for peer in peers:
        reason = peer.declines(workload) or _too_slow(smaller.get(peer.name), workload.size)
        if reason:
            left_out.append(
                PeerTiming(workload.name, workload.title, workload.size, peer.name, peer.tuning, left_out=reason)
            )
            continue
        prepare_s = _prepare(peer, workload, progress)
        progress(f"{workload.name}, {workload.size:,}: comparing {peer.name}'s answers")
        items = _affordable(peer.match_many, publications, limits.seconds)
        _require_expected_answers(peer, workload, items, expected)
        runs.append(_EngineRun(peer.name, peer.tuning, peer.match_many, items, prepare_s))
    progress(f"{workload.name}, {workload.size:,}: timing")
    for _ in range(TURNS):
        for run in runs:
            run.take_turn(ours)
    matches = [len(ids) for ids in expected]
    return [run.timing(workload, matches) for run in runs] + left_out


def _prepare(peer: Peer, workload: Workload, progress: Callable[[str], None]) -> float:
    """Return the seconds to generate and register the workload's subscriptions."""
    progress(f"{workload.name}, {workload.size:,}: preparing {peer.name}")
    started = time.perf_counter()
    peer.prepare(workload.subscriptions(), workload.taxonomy)
    return time.perf_counter() - started


def _require_expected_answers(
    peer: Peer, workload: Workload, items: Sequence[Publication], expected: Sequence[set[str]]
) -> None:
    for publication, ours, found in zip(items, expected, peer.match_many(items), strict=False):
        theirs = set(found)
        if theirs != ours:
            differences = (("ours", ours - theirs), (peer.name, theirs - ours))
            only = [f"only {who}: {sorted(ids)[:3]}" for who, ids in differences if ids]
            where = f"workload {workload.name}, {workload.size} subscriptions, publication {publication.id}"
            raise Disagreement(f"{peer.name} disagrees on {where}: {'; '.join(only)}")


class _EngineRun:
    """One engine with its items, and its best times so far."""

    def __init__(
        self, name: str, tuning: str, match_many: MatchMany, items: Sequence[Publication], prepare_s: float
    ) -> None:
        self.name, self.tuning, self.match_many, self.items, self.prepare_s = name, tuning, match_many, items, prepare_s
        self.best, self.ours = float("inf"), float("inf")

    def take_turn(self, ours: GtopssPeer) -> None:
        """Time this engine, and ours on the same items."""
        self.best = min(self.best, self._best_of_two(self.match_many))
        self.ours = self.best if self.name == ours.name else min(self.ours, self._best_of_two(ours.match_many))

    def _best_of_two(self, match_many: MatchMany) -> float:
        """Return the better of two consecutive times: after another engine, the processor's caches are cold."""
        return min(wall_seconds(lambda: list(match_many(self.items))) for _ in range(2))

    def timing(self, workload: Workload, matches: Sequence[int]) -> PeerTiming:
        count = len(self.items)
        return PeerTiming(
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


def _affordable(match_many: MatchMany, publications: Sequence[Publication], seconds: float) -> Sequence[Publication]:
    """Return as many items as can be matched in that time, three at least. The search for them warms up."""
    count = MIN_ITEMS
    while True:
        taken = wall_seconds(partial(_exhaust, match_many, publications[:count]))
        if count >= len(publications) or taken > seconds / 2:
            return publications[: max(MIN_ITEMS, int(count * seconds / taken))]
        count *= 4  # an engine that matches item by item then takes at most twice the time


def _exhaust(match_many: MatchMany, publications: Sequence[Publication]) -> None:
    for _ in match_many(publications):
        pass


def _too_slow(smaller: PeerTiming | None, size: int) -> str | None:
    """Return why a peer is left out if its time would be too long, assuming that it grows with the subscriptions."""
    if smaller is None:
        return None
    if smaller.ms is None:
        return smaller.left_out
    if smaller.ms / 1e3 * size / smaller.size < MAX_SECONDS_PER_ITEM:
        return None
    return f"not run above {smaller.size:,}: {smaller.ms / 1e3:.1f} s per item there"
