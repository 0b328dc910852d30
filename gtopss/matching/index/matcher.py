"""G-ToPSS made fast: the merged graph GM in flat arrays, searched by compiled kernels, changed while it is read.

The idea is the paper's (WWW 2005, section 4): one index of all subscriptions' edges, binding tables, joins. What
differs from `reference.py`, and why, is in docs/engine.md.

    subscription ──(writer)──> buffer ──> small segment ──(merging)──> large segments
                                                │
    publications ──(encode)──> batch ──(view)──> rows ──(results)──> Python's checks ──> reports

writer.py       add and remove; the locking rules     view.py       what one batch is matched against
merging.py      merge segments in the background      encode.py     publications as term numbers
slots.py        number subscriptions                  results.py    rows found -> checks -> index_batch.py
buffer.py       branches in no segment yet            storage.py    the index on disk
renumbering.py  forget terms of removed subscriptions
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import groupby, pairwise
from typing import NamedTuple, Self, Unpack

from gtopss.errors import MalformedPublication
from gtopss.matching.batch_source import BatchSource, GivenPublications
from gtopss.matching.index.encode import encode_batch, line_break_errors
from gtopss.matching.index.index_batch import RangeMatches
from gtopss.matching.index.kernels.pattern_task import SearchLimits
from gtopss.matching.index.results import ReportLimits
from gtopss.matching.index.storage import read_index, write_index
from gtopss.matching.index.view import ReadView
from gtopss.matching.index.warmup import compile_kernels
from gtopss.matching.index.writer import IndexWriter
from gtopss.matching.match_batch import MatchBatch
from gtopss.matching.matcher import DEFAULT_ROW_LIMIT, Capabilities, Matcher, MatcherLimits
from gtopss.matching.threads import ONE_THREAD, MatchThreads
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
"""Values of all matches of a range; one with more is matched in smaller parts, so that it takes no more memory."""
MAX_RANGE_PUBLICATIONS = 256
"""Publications that are encoded and searched at once: larger ranges gain little, and their text fills the caches."""
MIN_THREAD_PUBLICATIONS = 32
"""Publications of a batch for each thread: below this, starting a thread takes longer than it saves."""


class _NotMatched(NamedTuple):
    """Why a range has no result."""

    reason: str


_MAY_MATCH_BUFFERED = _NotMatched("a publication may match a branch that is in no segment yet")
_TOO_LARGE = _NotMatched("the matches of the range take too much memory")


def _split(numbers: range, threads: int) -> list[range]:
    """Return ranges of about the same length: as many as there are threads, or more."""
    count = max(min(threads, len(numbers) // MIN_THREAD_PUBLICATIONS), -(-len(numbers) // MAX_RANGE_PUBLICATIONS), 1)
    cuts = [len(numbers) * place // count for place in range(count + 1)]
    return [numbers[start:end] for start, end in pairwise(cuts)]


def _join(
    ranges: Sequence[range], found: Sequence[RangeMatches | _NotMatched], view: ReadView
) -> list[MatchBatch | range]:
    """Join the results of neighbours to one batch each; a range without a result stays between them."""
    if len(found) == 1 and isinstance(found[0], RangeMatches):
        return [view.reports.join([found[0]])]
    joined: list[MatchBatch | range] = []
    for has_result, group in groupby(zip(ranges, found, strict=True), lambda pair: isinstance(pair[1], RangeMatches)):
        pairs = list(group)
        if has_result:
            joined.append(view.reports.join([each for _, each in pairs if isinstance(each, RangeMatches)]))
        else:
            joined += [numbers for numbers, _ in pairs]
    return joined


class IndexMatcher(Matcher):
    """Match against the merged graph of all subscriptions. Thread-safe: several threads match at the same time."""

    name = "gm"
    capabilities = Capabilities(
        batches=True, threads=True, text=True, work_limits=True, saving=True, costs=True, segments=True,
        taxonomy_changes=True, queries=True,
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
            taxonomy,
            limits.get("expansion_limit", DEFAULT_EXPANSION_LIMIT),
            publication_work_limit,
            literals=self._literals,
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

    def match(self, publication: Publication, row_limit: int = DEFAULT_ROW_LIMIT) -> MatchReport:
        """Match one publication without the arrays of a batch, which take longer than its search."""
        compile_kernels()
        flush = False
        while True:
            view = self._writer.open_view(flush=flush)
            try:
                batch = encode_batch([publication], view.encoding)
                if not view.may_match_buffered(batch):
                    found = view.search(batch, self._search_limits(row_limit))  # complete: it is one publication
                    return view.reports.report(batch, found, view.edgeless, self._report_limits(row_limit))
                flush = True
            finally:
                self._writer.close_view()

    def encoded_search(self, publications: Sequence[Publication], row_limit: int) -> Callable[[], object]:
        """Encode publications, and return the search for them alone, for measurements.

        It searches the state of the index of this call, which must not change meanwhile.
        """
        compile_kernels()
        view = self._writer.open_view(flush=True)
        try:
            return partial(view.search, encode_batch(publications, view.encoding), self._search_limits(row_limit))
        finally:
            self._writer.close_view()

    def match_many(self, publications: Sequence[Publication], row_limit: int = DEFAULT_ROW_LIMIT) -> list[MatchReport]:
        batches = self.match_batches(GivenPublications(publications), row_limit)
        return [report for batch in batches for report in batch.reports()]

    def match_batches(
        self, source: BatchSource, row_limit: int = DEFAULT_ROW_LIMIT, threads: MatchThreads = ONE_THREAD
    ) -> Iterator[MatchBatch]:
        """Match in ranges, all against one state of the index, but for ranges whose results are too large."""
        compile_kernels()
        return self._match_ranges(source, _split(range(len(source)), threads.count), row_limit, threads)

    def _match_ranges(
        self, source: BatchSource, ranges: list[range], row_limit: int, threads: MatchThreads
    ) -> Iterator[MatchBatch]:
        """Yield the batches of successive ranges. A range whose result is too large is matched in halves, one after the
        other."""
        for batch in self._found_in(source, ranges, row_limit, threads):
            if isinstance(batch, MatchBatch):
                yield batch
                continue
            half = batch[len(batch) // 2]
            for part in (range(batch.start, half), range(half, batch.stop)):
                yield from self._match_ranges(source, [part], row_limit, ONE_THREAD)

    def _found_in(
        self, source: BatchSource, ranges: list[range], row_limit: int, threads: MatchThreads
    ) -> list[MatchBatch | range]:
        """Match ranges against one state of the index. Return batches, and the ranges that are too large in between."""
        flush = sum(map(len, ranges)) > MAX_PUBLICATIONS_COMPARED
        while True:
            view = self._writer.open_view(flush=flush)
            try:
                match_range = partial(self._match_range, source, view, row_limit)
                found = threads.map(match_range, ranges)
                if not any(each is _MAY_MATCH_BUFFERED for each in found):
                    return _join(ranges, found, view)
                flush = True
            finally:
                self._writer.close_view()

    def _match_range(
        self, source: BatchSource, view: ReadView, row_limit: int, numbers: range
    ) -> RangeMatches | _NotMatched:
        """Read, encode and search publications: the kernels in it run without Python's lock."""
        publications, errors = source.read(numbers.start, numbers.stop)
        try:
            batch = encode_batch(publications, view.encoding)
        except MalformedPublication:
            errors = {**errors, **line_break_errors(publications)}
            publications = [
                Publication.trusted(each.id, ()) if number in errors else each
                for number, each in enumerate(publications)
            ]
            batch = encode_batch(publications, view.encoding)
        if view.may_match_buffered(batch):
            return _MAY_MATCH_BUFFERED
        found = view.search(batch, self._search_limits(row_limit))
        if not found.complete:
            return _TOO_LARGE
        return view.reports.check(batch, found, view.edgeless, self._report_limits(row_limit), errors)

    def _report_limits(self, row_limit: int) -> ReportLimits:
        return ReportLimits(row_limit, self._evaluation_limits, self._literals)

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
        spent = Counter(self._writer.costs())
        spent.update(self._writer.reports.query_steps.by_id)
        return dict(spent.most_common())

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
