"""G-ToPSS made fast: the merged graph GM in flat arrays, searched by compiled kernels, changed while it is read.

The idea is the paper's (WWW 2005, section 4): one index of all subscriptions' edges, binding tables, joins. What
differs from `reference.py`, and why, is in docs/engine.md.

    subscription ──(writer)──> buffer ──> small segment ──(merging)──> large segments
                                                │
    publications ──(encode)──> batch ──(view)──> rows ──(results)──> Python's checks ──> reports

writer.py       add and remove; the locking rules     view.py       what one batch is matched against
merging.py      merge segments in the background      encode.py     publications as term numbers
slots.py        number subscriptions                  results.py    rows found -> reports (lazy_reports.py)
buffer.py       branches in no segment yet            storage.py    the index on disk
renumbering.py  forget terms of removed subscriptions
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Self, Unpack

from gtopss.errors import MalformedPublication
from gtopss.matching.index.encode import encode_batch
from gtopss.matching.index.kernels.pattern_task import SearchLimits
from gtopss.matching.index.results import ReportLimits
from gtopss.matching.index.storage import read_index, write_index
from gtopss.matching.index.warmup import compile_kernels
from gtopss.matching.index.writer import IndexWriter
from gtopss.matching.matcher import DEFAULT_ROW_LIMIT, Capabilities, Matcher, MatcherLimits
from gtopss.model import MatchReport, Publication, Subscription
from gtopss.semantics.budget import PUBLICATION_SHARE, STEPS_PER_ROW
from gtopss.semantics.entailment import DEFAULT_EXPANSION_LIMIT
from gtopss.snapshot_files import SnapshotReader, SnapshotWriter, reading
from ontology import Taxonomy

MAX_PUBLICATIONS_COMPARED = 16
"""Publications of a batch that is compared with the buffer; for a larger batch the buffer becomes a segment at once."""
DEFAULT_PUBLICATION_WORK_LIMIT = 100_000_000
"""Steps of all patterns of a segment together per publication."""

MAX_BATCH_VALUES = 4_000_000
"""Values of all matches of a batch; one with more is matched in smaller parts, so that it takes no more memory."""


class IndexMatcher(Matcher):
    """Match against the merged graph of all subscriptions. Thread-safe: several threads match at the same time."""

    name = "gm"
    capabilities = Capabilities(
        batches=True, threads=True, text=True, work_limits=True, saving=True, costs=True, segments=True,
        taxonomy_changes=True,
    )  # fmt: skip

    def __init__(
        self,
        taxonomy: Taxonomy,
        *,
        publication_work_limit: int = DEFAULT_PUBLICATION_WORK_LIMIT,
        **limits: Unpack[MatcherLimits],
    ) -> None:
        super().__init__(taxonomy, **limits)
        self._publication_work_limit = publication_work_limit
        self._writer = IndexWriter(
            taxonomy, limits.get("expansion_limit", DEFAULT_EXPANSION_LIMIT), publication_work_limit
        )

    def __len__(self) -> int:
        return len(self._writer)

    def add(self, subscription: Subscription) -> None:
        self._writer.add(subscription)

    def adding_many(self) -> AbstractContextManager[object]:
        return self._writer.adding_many()

    def remove(self, subscription_id: str) -> None:
        self._writer.remove(subscription_id)

    def subscription(self, subscription_id: str) -> Subscription:
        return self._writer.subscription(subscription_id)

    def ids(self) -> tuple[str, ...]:
        return self._writer.slots.ids()

    def match_many(self, publications: Sequence[Publication], row_limit: int = DEFAULT_ROW_LIMIT) -> list[MatchReport]:
        return list(self.match_each(publications, row_limit))

    def match_each(
        self, publications: Sequence[Publication], row_limit: int = DEFAULT_ROW_LIMIT
    ) -> Iterator[MatchReport]:
        """Match in one batch; a malformed publication in it, or too large a result, splits it."""
        compile_kernels()
        parts = [publications]
        while parts:
            part = parts.pop()
            try:
                reports = self._match_batch(part, row_limit, flush=len(part) > MAX_PUBLICATIONS_COMPARED)
            except MalformedPublication as error:
                reports = [MatchReport(part[0].id, (), error=error)] if len(part) == 1 else None
            if reports is None:
                half = len(part) // 2
                parts += [part[half:], part[:half]]
                continue
            reports.reverse()
            while reports:  # so that a report can be freed before the next one is used
                yield reports.pop()

    def _match_batch(
        self, publications: Sequence[Publication], row_limit: int, *, flush: bool
    ) -> list[MatchReport] | None:
        """Return the reports; None if they are too large to have all of them at once."""
        while True:
            view = self._writer.open_view(flush=flush)
            try:
                batch = encode_batch(publications, view.encoding)
                if view.may_match_buffered(batch):
                    flush = True
                    continue
                found = view.search(batch, self._search_limits(row_limit))
                if not found.complete:
                    return None
                limits = ReportLimits(row_limit, self._evaluation_limits)
                return view.reports.build(batch, found, view.edgeless, limits)
            finally:
                self._writer.close_view()

    def _search_limits(self, row_limit: int) -> SearchLimits:
        return SearchLimits(
            rows=row_limit,
            values=self._evaluation_limits.match_values,
            checks=self._evaluation_limits.work // STEPS_PER_ROW,
            steps_per_check=STEPS_PER_ROW,
            pattern_steps=self._evaluation_limits.work,
            publication_steps=self._publication_work_limit,
            publication_values=PUBLICATION_SHARE * self._evaluation_limits.match_values,
            batch_values=MAX_BATCH_VALUES,
            publication_checks=self._publication_work_limit // STEPS_PER_ROW,
        )

    def costs(self) -> dict[str, int]:
        return self._writer.costs()

    def segments(self) -> list[int]:
        """Return the number of entries in each segment."""
        return list(map(len, self._writer.merger.segments))

    def optimise(self) -> None:
        self._writer.optimise()

    def index_bytes(self) -> int:
        return self._writer.index_bytes()

    def affected_by_taxonomy(self) -> tuple[str, ...]:
        return self._writer.affected_by_taxonomy()

    def save(self, snapshot: SnapshotWriter) -> None:
        write_index(snapshot, self._writer.contents())

    @classmethod
    def load(cls, snapshot: SnapshotReader, taxonomy: Taxonomy, **limits: Unpack[MatcherLimits]) -> Self:
        """Read what `save` wrote. Segments stay mapped into memory."""
        matcher = cls(taxonomy, **limits)
        contents = read_index(snapshot)
        with reading(snapshot.folder):
            matcher._writer.restore(contents)
        return matcher
