"""What each strategy would have asked of a publication, told from answers that are known: nothing is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gtopss.operators.board import FALSE, TRUE, UNKNOWN, Board, Problem
from gtopss.operators.declaration import Rows
from gtopss.operators.predicates import Request
from gtopss.operators.registered import Registered
from gtopss.operators.sheet import Sheet
from gtopss.operators.strategies import STRATEGIES


class Taken(NamedTuple):
    """Calls made, calls spared, and what those made are expected to cost."""

    strategy: str
    calls: int
    saved: int
    cost: float


def alternatives(
    sheet: Sheet, problem: Problem, registered: Registered, answers: Mapping[Request, Rows | None]
) -> tuple[Taken, ...]:
    """One for each strategy; a call that `answers` lacks is one without an answer."""
    return tuple(_taken(name, sheet, problem, registered, answers) for name in STRATEGIES)


def _taken(
    name: str, sheet: Sheet, problem: Problem, registered: Registered, answers: Mapping[Request, Rows | None]
) -> Taken:
    strategy, board = STRATEGIES[name](), Board(problem)
    run = strategy.begin(board, strategy.plan(problem))
    calls, cost = 0, 0.0
    while (predicate := run.next()) >= 0:
        calls += 1
        cost += float(problem.cost[predicate])
        rows = answers.get(sheet.request(predicate, registered))
        for each in sheet.siblings.get(predicate, (predicate,)):
            found = None if rows is None else registered.predicate(sheet.numbers[each]).bindings(rows)
            board.answer(each, UNKNOWN if found is None else TRUE if found else FALSE)
    return Taken(name, calls, len(problem.unit_predicates) - calls, cost)
