"""Give a batch of publications one consistent state of the index, whatever is added, removed or merged meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gtopss.matching.index.encode import EncodedBatch, EncodingContext
from gtopss.matching.index.kernels.array_types import UInt8Array
from gtopss.matching.index.kernels.buffered import BufferedConstants, may_match_buffered
from gtopss.matching.index.kernels.pattern_task import SearchInput, SearchLimits
from gtopss.matching.index.kernels.search import SearchResult, search
from gtopss.matching.index.results import ReportBuilder
from gtopss.matching.index.segment import IndexSegment, example_segment, segment_addresses


class ReadView(NamedTuple):
    """What one batch is matched against. Nothing in it is replaced after it was made.

    Only `alive` may change: a subscription that is removed while a batch is matched may or may not match.
    """

    segments: tuple[IndexSegment, ...]
    alive: UInt8Array
    encoding: EncodingContext
    edgeless: Mapping[int, tuple[int, ...]]
    """Slot -> the numbers of its branches without edges, which no segment has."""
    buffered: BufferedConstants | None
    reports: ReportBuilder
    """For the subscriptions and term numbers of this view."""

    def may_match_buffered(self, batch: EncodedBatch) -> bool:
        """Return whether some publication has all constants of some buffered branch."""
        return self.buffered is not None and bool(may_match_buffered(batch.batch, self.buffered))

    def search(self, batch: EncodedBatch, limits: SearchLimits) -> SearchResult:
        """Search all segments. The view keeps them alive meanwhile."""
        result: SearchResult = search(
            segment_addresses(self.segments),
            example_segment().handle,
            SearchInput(batch.batch, batch.values, self.alive),
            limits,
        )
        return result
