"""The rows of a range of publications as Arrow columns, without a Python object for each row.

A row is three numbers: its subscription, its branch, and the place of its first value. The selected names and the
positions of their values belong to the template of the subscription. numpy finds the lines of the text that hold the
values, and Arrow copies these lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gtopss.matching.index.branch_plan import BranchPlan
from gtopss.matching.index.encode import BatchTerms
from gtopss.matching.index.kernels.array_types import Int32Array, Int64Array
from gtopss.matching.index.lazy_reports import FoundValues
from gtopss.model.codec import EncodedSubscription

if TYPE_CHECKING:
    import pyarrow as pa

    from gtopss.matching.index.index_batch import MatchedRows


class SelectedColumns:
    """Branch by branch, what the subscriptions of a batch select: names, and the positions of values in a row."""

    def __init__(self, encoded: Sequence[EncodedSubscription]) -> None:
        first_branch: dict[int, int] = {}
        plans: list[BranchPlan] = []
        for each in encoded:
            if id(each.template) not in first_branch:
                first_branch[id(each.template)] = len(plans)
                plans += each.template.plan
        self._first_branch = np.array([first_branch[id(each.template)] for each in encoded], np.int64)
        self._counts = np.array([len(plan.selected) for plan in plans], np.int64)
        self._starts = np.cumsum(self._counts) - self._counts
        self.names = [name for plan in plans for name, _ in plan.selected]
        self._places = np.array([place for plan in plans for _, place in plan.selected], np.int64)

    def values_of(self, rows: MatchedRows, subscription: Int32Array) -> RowValues:
        """Return where the selected values of rows are."""
        branch = self._first_branch[subscription] + rows.branch if len(subscription) else np.zeros(0, np.int64)
        counts = np.where(rows.row_start >= 0, self._counts[branch], 0)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        row = np.repeat(np.arange(len(counts)), counts)
        selected = self._starts[branch][row] + np.arange(offsets[-1]) - offsets[row]
        return RowValues(offsets, selected, rows.row_start[row] + self._places[selected])


class RowValues(NamedTuple):
    """The selected values of rows, row after row."""

    offsets: Int64Array
    """Row -> its first value; one more at the end."""
    name: Int64Array
    """Value -> the place of its name in `SelectedColumns.names`."""
    place: Int64Array
    """Value -> its place in `FoundValues.values`."""

    def bindings(self, names: Any, found: FoundValues) -> pa.MapArray:
        """Return the rows as maps from names (an Arrow array) to terms."""
        import pyarrow as pa

        terms = arrow_terms(found.lines, found.values[self.place])
        return pa.MapArray.from_arrays(pa.array(self.offsets, pa.int32()), names.take(pa.array(self.name)), terms)

    def characters(self, names: Sequence[str], found: FoundValues) -> Int64Array:
        """Return for each row an upper bound of the characters of its names and values: the bytes of the values."""
        lengths = np.array([len(name) for name in names], np.int64)[self.name]
        lengths = lengths + found.lines.lengths(found.values[self.place])
        ends = np.concatenate([[0], np.cumsum(lengths)])
        return np.asarray(ends[self.offsets[1:]] - ends[self.offsets[:-1]])


def arrow_terms(lines: BatchTerms, numbers: Int32Array) -> pa.Array:
    """Return the terms on these lines as an Arrow array of strings."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text, begins = lines.buffers()
    count = len(begins) - 1
    offsets = pa.py_buffer(np.ascontiguousarray(begins, np.int64))
    whole = pa.LargeBinaryArray.from_buffers(pa.large_binary(), count, [None, offsets, pa.py_buffer(text)])
    taken = whole.take(pa.array(numbers, pa.int64()))
    return pc.binary_slice(taken.cast(pa.binary()), 0, -1).cast(pa.string())  # without the end of the line
