"""The matches of many publications as arrays. Reports are created from them on demand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gtopss.errors import GtopssError
from gtopss.model import Exceeded, Match, MatchReport, Publication, Term, Undecided

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


class SolutionColumns(NamedTuple):
    """The solutions of all matches of a batch, match after match."""

    offsets: Int64Array
    """Match -> its first solution; one more at the end."""
    branch: npt.NDArray[np.int16]
    """Solution -> the number of the branch that it satisfies."""
    value_offsets: Int64Array
    """Solution -> its first value; one more at the end."""
    values: Int32Array
    """Values in the order of `Branch.columns()`, as places in `terms`; -1 for a bind that has no value."""
    terms: Sequence[Term]


class ArrowRows(NamedTuple):
    """Solutions as Arrow columns, one row for each: what a batch gives without a Python object per row."""

    publication: Int32Array
    """Row -> the number of its publication."""
    subscription: Int32Array
    """Row -> the place of its subscription in `subscription_ids`."""
    bindings: pa.Array
    """Row -> the selected names and their terms: map<string, string>."""
    others: Sequence[int]
    """The numbers of the publications whose solutions are not among the rows: see `reports_of`."""


class MatchBatch(ABC):
    """The matches of a batch of publications, as arrays.

    Publications are numbered from 0. Match `i` says that the publication with the number `publication[i]` matches the
    subscription with the id `subscription_ids[subscription[i]]`. Matches are in the order of the publications. The
    mappings `errors`, `exceeded`, `undecided` and `limits_reached` have the numbers of publications as keys. Do not
    change the arrays: several threads may read them. Later changes of the engine do not affect the batch.

    Use `ids()` for the subscription ids per publication, `reports()` for a MatchReport per publication, and
    `to_arrow()` or `to_pandas()` for a table.

    >>> from gtopss import Engine
    >>> engine = Engine()
    >>> _ = engine.add("SELECT ?x { ?x <urn:p> <urn:b> }", id="to-b")
    >>> found = engine.match_batch([b"<urn:a> <urn:p> <urn:c> .", b"<urn:a> <urn:p> <urn:b> ."], "nt")
    >>> found.publication, found.subscription, found.subscription_ids
    (array([1], dtype=int32), array([0], dtype=int32), ('to-b',))
    """

    errors: Mapping[int, GtopssError]
    """Why a publication could not be read or matched. Such a publication has no matches."""
    exceeded: Mapping[int, tuple[Exceeded, ...]]
    """The subscriptions whose matching was stopped by a limit, as in `MatchReport.exceeded`."""
    undecided: Mapping[int, tuple[Undecided, ...]]
    """The subscriptions without an answer of their operators, as in `MatchReport.undecided`."""
    limits_reached: Mapping[int, tuple[str, ...]]
    """The limits that the publication itself reached, as in `MatchReport.limits_reached`."""
    publications: Sequence[Publication]
    """The publications that were matched. One that could not be read is empty."""

    @property
    @abstractmethod
    def publication_ids(self) -> Sequence[str]:
        """The ids of all publications."""

    @property
    @abstractmethod
    def subscription_ids(self) -> tuple[str, ...]:
        """The ids of the subscriptions that match some publication, each once."""

    @property
    @abstractmethod
    def publication(self) -> Int32Array:
        """For each match, the number of its publication."""

    @property
    @abstractmethod
    def subscription(self) -> Int32Array:
        """For each match, the index of its subscription in `subscription_ids`."""

    @property
    @abstractmethod
    def truncated(self) -> BoolArray:
        """For each match, whether solutions were left out because of a limit."""

    @property
    @abstractmethod
    def solutions(self) -> SolutionColumns:
        """The solutions of all matches, as columns. With `bindings=False` there are none."""

    @abstractmethod
    def reports(self) -> Iterator[MatchReport]:
        """Yield the report of each publication. A report creates its matches on first use."""

    def __len__(self) -> int:
        """Return the number of matches."""
        return len(self.publication)

    @property
    def offsets(self) -> Int64Array:
        """For each publication, the index of its first match; and at the end, the number of matches, as in Arrow."""
        return np.searchsorted(self.publication, np.arange(len(self.publications) + 1))

    def ids(self) -> Iterator[tuple[str, ...]]:
        """Yield for each publication the ids of the subscriptions that match it."""
        ids = self.subscription_ids
        names = list(map(ids.__getitem__, self.subscription.tolist()))
        for start, end in pairwise(self.offsets.tolist()):
            yield tuple(names[start:end])

    def arrow_rows(self, text_limit: int) -> ArrowRows:
        """Return the solutions as Arrow columns, without creating Python objects, as far as that is possible.

        `others` of the result lists the publications that it leaves out, whose solutions are in their reports: those
        with an error, a reached limit or an undecided subscription, and those whose names and values may have more than
        `text_limit` characters. Raises GtopssError if pyarrow is not installed.
        """
        pa = _pyarrow("MatchBatch.arrow_rows()")
        others = sorted(
            {*self.publication.tolist(), *self.errors, *self.exceeded, *self.undecided, *self.limits_reached}
        )
        none = np.zeros(0, np.int32)
        return ArrowRows(none, none, pa.array([], pa.map_(pa.string(), pa.string())), others)

    def reports_of(self, numbers: Sequence[int]) -> Iterator[tuple[int, MatchReport]]:
        """Yield the reports of these publications, each with its number."""
        wanted = set(numbers)
        if wanted:
            yield from ((number, report) for number, report in enumerate(self.reports()) if number in wanted)

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with one row per match. Raises GtopssError if pyarrow is not installed.

        Columns: publication (its number), publication_id, subscription_id, truncated, and bindings: a list with one map
        per solution, from selected variables to terms. Ids are dictionary-encoded.
        """
        pa = _pyarrow("MatchBatch.to_arrow()")
        numbers, text = pa.int32(), pa.string()
        rows = [[list(row.items()) for row in match.rows] for report in self.reports() for match in report]
        places: dict[str, int] = {}  # pandas refuses a dictionary that has an id twice
        place_of_publication = [places.setdefault(id, len(places)) for id in self.publication_ids]
        publications = pa.DictionaryArray.from_arrays(
            pa.array(np.array(place_of_publication, np.int32)[self.publication], numbers), pa.array(list(places), text)
        )
        subscriptions = pa.DictionaryArray.from_arrays(
            pa.array(self.subscription, numbers), pa.array(self.subscription_ids, text)
        )
        columns = {
            "publication": pa.array(self.publication, numbers),
            "publication_id": publications,
            "subscription_id": subscriptions,
            "truncated": pa.array(self.truncated, pa.bool_()),
            "bindings": pa.array(rows, pa.list_(pa.map_(text, text))),
        }
        return pa.table(columns)

    def to_pandas(self) -> pd.DataFrame:
        """Return `to_arrow()` as a DataFrame. Raises GtopssError if pyarrow or pandas is not installed."""
        try:
            import pandas  # noqa: F401
        except ImportError as error:
            raise GtopssError(f"MatchBatch.to_pandas() needs pandas ({error}): pip install pandas pyarrow") from error
        return self.to_arrow().to_pandas()


def _pyarrow(feature: str) -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise GtopssError(f"{feature} needs pyarrow ({error}): pip install pyarrow") from error
    return pyarrow


class ReportBatch(MatchBatch):
    """A batch that is made from reports: of matchers without arrays, and where operators take part."""

    def __init__(self, publications: Sequence[Publication], reports: Iterable[MatchReport]) -> None:
        self.publications = publications
        self._reports = tuple(reports)
        self.errors = {number: each.error for number, each in enumerate(self._reports) if each.error is not None}
        self.exceeded = {number: each.exceeded for number, each in enumerate(self._reports) if each.exceeded}
        self.undecided = {number: each.undecided for number, each in enumerate(self._reports) if each.undecided}
        self.limits_reached = {
            number: each.limits_reached for number, each in enumerate(self._reports) if each.limits_reached
        }

    @property
    def publication_ids(self) -> Sequence[str]:
        return [each.publication_id for each in self._reports]

    @cached_property
    def _matches(self) -> list[Match]:
        return [match for report in self._reports for match in report]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """Subscription id -> its place in `subscription_ids`."""
        return {id: place for place, id in enumerate(dict.fromkeys(each.subscription_id for each in self._matches))}

    @property
    def subscription_ids(self) -> tuple[str, ...]:
        return tuple(self._numbers)

    @cached_property
    def publication(self) -> Int32Array:
        counts = [len(each) for each in self._reports]
        return np.repeat(np.arange(len(counts), dtype=np.int32), counts)

    @cached_property
    def subscription(self) -> Int32Array:
        return np.array([self._numbers[each.subscription_id] for each in self._matches], np.int32)

    @cached_property
    def truncated(self) -> BoolArray:
        return np.array([each.truncated for each in self._matches], np.bool_)

    @cached_property
    def solutions(self) -> SolutionColumns:
        return solutions_of_matches(self._matches)

    def reports(self) -> Iterator[MatchReport]:
        return iter(self._reports)


def join_batches(batches: Sequence[MatchBatch]) -> MatchBatch:
    """Return the matches of successive batches as one."""
    publications = [each for batch in batches for each in batch.publications]
    return ReportBatch(publications, [report for batch in batches for report in batch.reports()])


def solutions_of_matches(matches: Iterable[Match]) -> SolutionColumns:
    """Return the solutions of matches as columns."""
    places: dict[Term, int] = {}
    offsets, branches, value_offsets, values = [0], list[int](), [0], list[int]()
    for match in matches:
        known = match.subscription.branches
        for branch, row in match.solutions:
            branches.append(0 if len(known) == 1 or match.subscription.query is not None else known.index(branch))
            values += [-1 if value is None else places.setdefault(value, len(places)) for value in row]
            value_offsets.append(len(values))
        offsets.append(len(branches))
    return SolutionColumns(
        np.array(offsets, np.int64),
        np.array(branches, np.int16),
        np.array(value_offsets, np.int64),
        np.array(values, np.int32),
        tuple(places),
    )
