"""The matches of a batch in the index's own numbers, and what is made of them when somebody looks.

A batch is matched in ranges, by several threads. Each range gives a `RangeMatches`; together they are one `IndexBatch`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import Any, NamedTuple, TypeVar, cast, overload

import numpy as np
import numpy.typing as npt

from gtopss.errors import GtopssError
from gtopss.matching.index.arrow_rows import SelectedColumns
from gtopss.matching.index.kernels.array_types import Int16Array, Int32Array, Int64Array
from gtopss.matching.index.lazy_reports import FoundRows, FoundValues, IndexReport
from gtopss.matching.match_batch import ArrowRows, BoolArray, MatchBatch, SolutionColumns, solutions_of_matches
from gtopss.model import MatchReport, Publication
from gtopss.model.codec import EncodedSubscription, SubscriptionCodec
from gtopss.model.text_block import ids_of

_Value = TypeVar("_Value")

MAX_FEW_MATCHES = 100
"""Matches of a batch, up to which Python's lists and sets are faster than arrays: mostly batches of one publication."""
MIN_SLOTS_PER_MATCH = 128
"""Slots of the index for each match, above which the slots of a batch are sorted instead of marked in an array."""


class MatchedRows(NamedTuple):
    """Rows that need no test, publication after publication: one for each match, or for each solution."""

    counts: Int64Array
    """Publication -> the number of its rows."""
    slot: Int32Array
    branch: Int16Array
    row_start: Int64Array
    """Its first value; -1 if it has none."""

    def publication(self) -> Int32Array:
        """Return by row the number of its publication."""
        return np.repeat(np.arange(len(self.counts), dtype=np.int32), self.counts)

    def where(self, keep: BoolArray) -> MatchedRows:
        """Return these rows alone."""
        counts = np.bincount(self.publication()[keep], minlength=len(self.counts))
        return MatchedRows(counts, self.slot[keep], self.branch[keep], self.row_start[keep])

    def has_each_slot_once(self) -> bool:
        """Return whether no slot has a second row in all publications together, if the rows are few; else False."""
        return len(self.slot) <= MAX_FEW_MATCHES and len(set(self.slot.tolist())) == len(self.slot)

    def is_first_of_slot(self) -> BoolArray:
        """Return by row whether it is the first one of its slot in its publication."""
        keys = (self.publication().astype(np.int64) << 32) | self.slot
        is_first = np.zeros(len(keys), np.bool_)
        is_first[np.unique(keys, return_index=True)[1]] = True
        return is_first


class RangeMatches(NamedTuple):
    """What was found in successive publications of a batch."""

    publications: Sequence[Publication]
    rows: MatchedRows
    """The rows of the publications that are not in `checked`."""
    values: FoundValues | None
    """None if solutions are not wanted."""
    counters: Int64Array
    checked: Mapping[int, MatchReport]
    """The reports of publications in which Python tested something, under their numbers in this range."""
    errors: Mapping[int, GtopssError] = {}


class IndexBatch(MatchBatch):
    """The matches of a batch. It keeps the text of its publications until it is freed."""

    def __init__(
        self,
        ranges: Sequence[RangeMatches],
        by_slot: Sequence[EncodedSubscription | None],
        codec: SubscriptionCodec,
    ) -> None:
        """`by_slot` belongs to the index and changes: it is read only here, while a read view is open."""
        encoded, subscription = _number_slots([each.rows.slot for each in ranges], by_slot)
        if not all(encoded):  # some were removed since the search began
            is_kept = np.array([each is not None for each in encoded])
            numbers = np.cumsum(is_kept, dtype=np.int32) - 1
            kept = [is_kept[each] for each in subscription]
            ranges = [each._replace(rows=each.rows.where(keep)) for each, keep in zip(ranges, kept, strict=True)]
            subscription = [numbers[each[keep]] for each, keep in zip(subscription, kept, strict=True)]
            encoded = [each for each in encoded if each is not None]
        self._encoded = cast("list[EncodedSubscription]", encoded)
        self._ranges, self._codec, self._subscription = ranges, codec, subscription
        self._starts = [0, *accumulate(len(each.publications) for each in ranges)]
        self.errors = self._by_number(each.errors for each in ranges)
        self._checked = self._by_number(each.checked for each in ranges)
        self.exceeded = {number: each.exceeded for number, each in self._checked.items() if each.exceeded}
        reached = {number: each.limits_reached for number, each in self._checked.items() if each.limits_reached}
        self.limits_reached = reached
        self.undecided = {}

    def _by_number(self, found: Iterable[Mapping[int, _Value]]) -> dict[int, _Value]:
        """Return values by number of publication from what each range has."""
        pairs = zip(self._starts, found, strict=False)
        return {start + number: value for start, each in pairs for number, value in each.items()}

    @cached_property
    def publications(self) -> Sequence[Publication]:  # type: ignore[override]
        return _Joined([each.publications for each in self._ranges])

    @cached_property
    def publication_ids(self) -> Sequence[str]:
        return _Joined([ids_of(each.publications) for each in self._ranges])

    @cached_property
    def subscription_ids(self) -> tuple[str, ...]:
        return (*[each.id for each in self._encoded], *self._checked_ids)

    @cached_property
    def _checked_ids(self) -> dict[str, int]:
        """Return the ids that only checked reports have, with their places in `subscription_ids`."""
        known = {each.id for each in self._encoded} if self._checked else set()
        found = dict.fromkeys(id for report in self._checked.values() for id in report.subscription_ids)
        return {id: place for place, id in enumerate((id for id in found if id not in known), len(self._encoded))}

    @cached_property
    def _columns(self) -> _Columns:
        counts = _joined([each.rows.counts for each in self._ranges], np.int64)
        publication = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        columns = _Columns(publication, _joined(self._subscription, np.int32))
        if not self._checked:
            return columns
        places = {each.id: place for place, each in enumerate(self._encoded)} | self._checked_ids
        numbers = [number for number, report in self._checked.items() for _ in report]
        found = [places[match.subscription_id] for report in self._checked.values() for match in report]
        publications = np.concatenate([columns.publication, np.array(numbers, np.int32)])
        order = np.argsort(publications, kind="stable")
        subscriptions = np.concatenate([columns.subscription, np.array(found, np.int32)])
        return _Columns(publications[order], subscriptions[order])

    @property
    def publication(self) -> Int32Array:
        return self._columns.publication

    @property
    def subscription(self) -> Int32Array:
        return self._columns.subscription

    @cached_property
    def truncated(self) -> BoolArray:
        marks = np.zeros(len(self), np.bool_)
        for number, report in self._checked.items():
            start = np.searchsorted(self.publication, number)
            marks[start : start + len(report)] = [match.truncated for match in report]
        return marks

    @cached_property
    def solutions(self) -> SolutionColumns:
        return solutions_of_matches(match for report in self.reports() for match in report)

    def arrow_rows(self, text_limit: int) -> ArrowRows:
        if any(each.values is None for each in self._ranges):
            return super().arrow_rows(text_limit)
        import pyarrow as pa

        selected = SelectedColumns(self._encoded)
        names = pa.array(selected.names, pa.string())
        others = {*self._checked, *self.errors}
        publications, subscriptions, bindings = [], [], []
        for start, each, subscription in zip(self._starts, self._ranges, self._subscription, strict=False):
            values, rows, publication = cast("FoundValues", each.values), each.rows, each.rows.publication()
            found = selected.values_of(rows, subscription)
            characters = np.bincount(publication, found.characters(selected.names, values), len(each.publications))
            if (is_long := characters > text_limit).any():
                others.update((start + np.flatnonzero(is_long)).tolist())
                keep = ~is_long[publication]
                rows, subscription, publication = rows.where(keep), subscription[keep], publication[keep]
                found = selected.values_of(rows, subscription)
            publications.append(publication + np.int32(start))
            subscriptions.append(subscription)
            bindings.append(found.bindings(names, values))
        joined = pa.concat_arrays(bindings) if bindings else pa.array([], pa.map_(pa.string(), pa.string()))
        return ArrowRows(_joined(publications, np.int32), _joined(subscriptions, np.int32), joined, sorted(others))

    def reports_of(self, numbers: Sequence[int]) -> Iterator[tuple[int, MatchReport]]:
        for start, each, subscription in zip(self._starts, self._ranges, self._subscription, strict=False):
            wanted = {number for number in numbers if start <= number < start + len(each.publications)}
            if wanted:
                reports = enumerate(self._reports_of(each, subscription), start)
                yield from ((number, report) for number, report in reports if number in wanted)

    def reports(self) -> Iterator[MatchReport]:
        for each, subscription in zip(self._ranges, self._subscription, strict=True):
            yield from self._reports_of(each, subscription)

    def _reports_of(self, found: RangeMatches, subscription: Int32Array) -> Iterator[MatchReport]:
        matching = list(map(self._encoded.__getitem__, subscription.tolist()))
        ends = np.cumsum(found.rows.counts).tolist()
        rows = None if found.values is None else FoundRows(found.rows.branch, found.rows.row_start, found.values)
        start, codec, counters, has_reports = 0, self._codec, found.counters, bool(found.checked or found.errors)
        for number, (id, end) in enumerate(zip(ids_of(found.publications), ends, strict=True)):
            if has_reports and number in found.errors:
                yield MatchReport(id, (), error=found.errors[number])
            elif has_reports and number in found.checked:
                yield found.checked[number]
            else:
                yield IndexReport(id, matching[start:end], codec, counters, number, rows, start)
            start = end


class _Columns(NamedTuple):
    publication: Int32Array
    subscription: Int32Array


class _Joined(Sequence[_Value]):
    """The publications of several ranges, or their ids, as one sequence. None is created before it is needed."""

    def __init__(self, parts: Sequence[Sequence[_Value]]) -> None:
        self._parts, self._starts = parts, [0, *accumulate(map(len, parts))]

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, place: int) -> _Value: ...

    @overload
    def __getitem__(self, place: slice) -> list[_Value]: ...

    def __getitem__(self, place: int | slice) -> _Value | list[_Value]:
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        place = range(len(self))[place]
        part = bisect_right(self._starts, place) - 1
        return self._parts[part][place - self._starts[part]]

    def __iter__(self) -> Iterator[_Value]:
        return chain.from_iterable(self._parts)


def _joined(arrays: Sequence[npt.NDArray[Any]], kind: type[np.generic]) -> npt.NDArray[Any]:
    if len(arrays) == 1:
        return arrays[0].astype(kind, copy=False)
    return np.concatenate([np.zeros(0, kind), *arrays]).astype(kind, copy=False)


def _number_slots(
    slots: Sequence[Int32Array], by_slot: Sequence[EncodedSubscription | None]
) -> tuple[list[EncodedSubscription | None], list[Int32Array]]:
    """Return the subscriptions of all these slots, each once, and for each array the places of its slots among them."""
    count = sum(map(len, slots))
    if count <= MAX_FEW_MATCHES:
        numbers: dict[int, int] = {}
        found = [[numbers.setdefault(slot, len(numbers)) for slot in each.tolist()] for each in slots]
        return [by_slot[slot] for slot in numbers], [np.array(each, np.int32) for each in found]
    if count * MIN_SLOTS_PER_MATCH < len(by_slot):
        used, places = np.unique(_joined(slots, np.int32), return_inverse=True)
        ends = np.cumsum([len(each) for each in slots])[:-1]
        return list(map(by_slot.__getitem__, used.tolist())), np.split(places.astype(np.int32), ends)
    is_used = np.zeros(len(by_slot), np.bool_)
    for each in slots:
        is_used[each] = True
    used = np.flatnonzero(is_used)
    place_of_slot = np.empty(len(by_slot), np.int32)
    place_of_slot[used] = np.arange(len(used), dtype=np.int32)
    return list(map(by_slot.__getitem__, used.tolist())), [place_of_slot[each] for each in slots]
