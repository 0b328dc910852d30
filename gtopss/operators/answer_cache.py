"""A cache for the answers of pure operators, shared by all publications."""

from __future__ import annotations

from collections import OrderedDict

from gtopss.operators.declaration import Rows
from gtopss.operators.predicates import OperatorCall


class AnswerCache:
    """The most recently used answers, at most `max_answers`. Not thread-safe: `OperatorStage` has one caller."""

    def __init__(self, max_answers: int) -> None:
        self.max_answers = max_answers
        self._rows: OrderedDict[OperatorCall, Rows] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, call: OperatorCall) -> Rows | None:
        rows = self._rows.get(call)
        if rows is not None:
            self._rows.move_to_end(call)
        return rows

    def put(self, call: OperatorCall, rows: Rows) -> None:
        self._rows[call] = rows
        if len(self._rows) > self.max_answers:
            self._rows.popitem(last=False)
