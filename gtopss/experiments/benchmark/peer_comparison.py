"""Compare the engine with its peers: first their answers, then their times, in turns in one process.

All start from the same N-Triples documents and end with subscription ids; the peers' documents are split at their
spaces, which is the fastest way that Python has to read them. (Peers for words start from titles.) A slow peer is timed
on fewer items, and our engine on the same ones beside it. The best turn counts, because disturbances only add time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias, cast

from gtopss.experiments.answer_agreement import Disagreement
from gtopss.experiments.peers import GtopssPeer, Peer, document_of
from gtopss.experiments.peers.duckdb_by_shape import DuckDBByShape
from gtopss.experiments.timing import wall_seconds
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Triple
from gtopss.rdf.ntriples import split_ntriples

MAX_SECONDS_PER_ITEM = 5.0  # a peer that is expected to take longer is left out
TURNS = 3
MIN_ITEMS = 3

AS_ARRAYS = ", as arrays"
"""Ends the name of a peer whose result is arrays, beside ours as arrays."""


class BenchmarkItem(NamedTuple):
    """A publication, and the same as a document."""

    publication: Publication
    document: bytes


class SplitDocument(NamedTuple):
    """What a peer needs of a publication."""

    id: str
    triples: Sequence[Triple]
    inferred: frozenset[Triple] = frozenset()


Match: TypeAlias = Callable[[Sequence[BenchmarkItem]], Iterable[object]]


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
    given = [BenchmarkItem(each, document_of(each)) for each in workload.publications(limits.items)]
    ours = GtopssPeer(matcher)
    prepare_s = _prepare(ours, workload, progress)
    expected = [set(ids) for ids in ours.match_documents([each.document for each in given])]
    match_ours = _on_documents(ours.match_documents)
    bind_ours = _on_documents(ours.rows_of_documents)
    runs = [
        _EngineRun(ours.name, ours.tuning, match_ours, match_ours, given, prepare_s),
        _EngineRun(
            f"{ours.name} with bindings",
            ours.tuning,
            bind_ours,
            match_ours,
            _affordable(bind_ours, given, limits.seconds),
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
        match = _match_of(peer, workload)
        items = _affordable(match, given, limits.seconds)
        _require_expected_answers(peer.name, match, workload, items, expected)
        runs.append(_EngineRun(peer.name, peer.tuning, match, match_ours, items, prepare_s))
        if isinstance(peer, DuckDBByShape):
            arrays, our_arrays = _on_split(peer.match_to_arrays), _on_documents(ours.match_to_arrays)
            runs.append(_EngineRun(peer.name + AS_ARRAYS, peer.tuning, arrays, our_arrays, items, prepare_s))
    progress(f"{workload.name}, {workload.size:,}: timing")
    for _ in range(TURNS):
        for run in runs:
            run.take_turn()
    matches = [len(ids) for ids in expected]
    return [run.timing(workload, matches) for run in runs] + left_out


def _prepare(peer: Peer, workload: Workload, progress: Callable[[str], None]) -> float:
    """Return the seconds to generate and register the workload's subscriptions."""
    progress(f"{workload.name}, {workload.size:,}: preparing {peer.name}")
    started = time.perf_counter()
    peer.prepare(workload.subscriptions(), workload.taxonomy)
    return time.perf_counter() - started


def _on_documents(match: Callable[[Sequence[bytes]], Iterable[object]]) -> Match:
    return lambda items: match([each.document for each in items])


def _on_split(match: Callable[[Sequence[Publication]], Iterable[object]]) -> Match:
    """Return a function that splits documents and passes them to a peer."""
    return lambda items: match(cast("Sequence[Publication]", [_split(each.document) for each in items]))


def _split(document: bytes) -> SplitDocument:
    return SplitDocument("", split_ntriples(document))


def _match_of(peer: Peer, workload: Workload) -> Match:
    """Return what is timed of a peer: from documents, but for peers that take only titles."""
    if workload.has_text:
        return lambda items: peer.match_many([each.publication for each in items])
    return _on_documents(peer.match_documents) if isinstance(peer, GtopssPeer) else _on_split(peer.match_many)


def _require_expected_answers(
    name: str, match: Match, workload: Workload, items: Sequence[BenchmarkItem], expected: Sequence[set[str]]
) -> None:
    found = cast("Iterable[Iterable[str]]", match(items))
    for item, ours, ids in zip(items, expected, found, strict=False):
        theirs = set(ids)
        if theirs != ours:
            differences = (("ours", ours - theirs), (name, theirs - ours))
            only = [f"only {who}: {sorted(ids)[:3]}" for who, ids in differences if ids]
            where = f"workload {workload.name}, {workload.size} subscriptions, publication {item.publication.id}"
            raise Disagreement(f"{name} disagrees on {where}: {'; '.join(only)}")


@dataclass(slots=True)
class _EngineRun:
    """One engine with its items, and its best times so far; `match_ours` does the same with our engine."""

    name: str
    tuning: str
    match: Match
    match_ours: Match
    items: Sequence[BenchmarkItem]
    prepare_s: float
    best: float = float("inf")
    ours: float = float("inf")

    def take_turn(self) -> None:
        """Time this engine, and ours on the same items."""
        self.best = min(self.best, self._best_of_two(self.match))
        is_ours = self.match is self.match_ours
        self.ours = self.best if is_ours else min(self.ours, self._best_of_two(self.match_ours))

    def _best_of_two(self, match: Match) -> float:
        """Return the better of two consecutive times: after another engine, the processor's caches are cold."""
        return min(wall_seconds(lambda: list(match(self.items))) for _ in range(2))

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


def _affordable(match: Match, given: Sequence[BenchmarkItem], seconds: float) -> Sequence[BenchmarkItem]:
    """Return as many items as can be matched in that time, three at least. The search for them warms up."""
    count = MIN_ITEMS
    while True:
        taken = wall_seconds(partial(_exhaust, match, given[:count]))
        if count >= len(given) or taken > seconds / 2:
            return given[: max(MIN_ITEMS, int(count * seconds / taken))]
        count *= 4  # an engine that matches item by item then takes at most twice the time


def _exhaust(match: Match, items: Sequence[BenchmarkItem]) -> None:
    for _ in match(items):
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
