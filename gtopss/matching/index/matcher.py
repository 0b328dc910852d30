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
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Self, Unpack

from gtopss.errors import MalformedPublication
from gtopss.matching.index.encode import encode_batch
from gtopss.matching.index.kernels.search import SearchLimits
from gtopss.matching.index.results import ReportLimits
from gtopss.matching.index.storage import read_index, write_index
from gtopss.matching.index.warmup import compile_kernels
from gtopss.matching.index.writer import IndexWriter
from gtopss.matching.matcher import DEFAULT_ROW_LIMIT, Capabilities, Matcher, MatcherLimits
from gtopss.model import MatchReport, Publication, Subscription
from gtopss.semantics.budget import STEPS_PER_ROW
from gtopss.snapshot_files import SnapshotReader, SnapshotWriter, reading
from ontology import Taxonomy

MAX_PUBLICATIONS_COMPARED = 16
"""Publications of a batch that is compared with the buffer; for a larger batch the buffer becomes a segment at once."""
DEFAULT_PUBLICATION_WORK_LIMIT = 100_000_000
"""Steps of all patterns of a segment together per publication."""

MAX_MATCH_VALUES = 200_000
"""Values of a match, in all its rows together: a match with more rows is truncated."""
MAX_PUBLICATION_VALUES = 2_000_000
"""Values of all matches of a publication together, without their first rows, per segment."""


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
        self._writer = IndexWriter(taxonomy)

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
        compile_kernels()
        flush = len(publications) > MAX_PUBLICATIONS_COMPARED
        try:
            while (reports := self._match_batch(publications, row_limit, flush=flush)) is None:
                flush = True
        except MalformedPublication as error:
            if len(publications) == 1:
                return [MatchReport(publications[0].id, (), error=error)]
            return [report for each in publications for report in self.match_many([each], row_limit)]
        return reports

    def _match_batch(
        self, publications: Sequence[Publication], row_limit: int, *, flush: bool
    ) -> list[MatchReport] | None:
        """Return the reports; None if a buffered branch may match and the buffer was not flushed."""
        view = self._writer.open_view(flush=flush)
        try:
            batch = encode_batch(publications, view.encoding)
            if view.may_match_buffered(batch):
                return None
            found = view.search(batch, self._search_limits(row_limit))
            return view.reports.build(batch, found, view.edgeless, ReportLimits(row_limit, self._evaluation_limits))
        finally:
            self._writer.close_view()

    def _search_limits(self, row_limit: int) -> SearchLimits:
        return SearchLimits(
            rows=row_limit,
            values=MAX_MATCH_VALUES,
            checks=self._evaluation_limits.work // STEPS_PER_ROW,
            steps_per_check=STEPS_PER_ROW,
            pattern_steps=self._evaluation_limits.work,
            publication_steps=self._publication_work_limit,
            publication_values=MAX_PUBLICATION_VALUES,
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
