"""Compatible solutions: join, left join and difference (SPARQL 1.1, section 18.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gtopss.algebra.evaluation import STEPS_PER_TRIPLE, Condition, Evaluation, Row
from gtopss.model import Term


class SolutionTable:
    """Solutions of one side of a join, looked up by the variables that all of them have."""

    def __init__(self, rows: Iterable[Row], evaluation: Evaluation) -> None:
        self.rows = list(rows)
        self._evaluation = evaluation
        self._certain = set.intersection(*(set(row) for row in self.rows)) if self.rows else set[Term]()
        self._indexes: dict[tuple[Term, ...], dict[tuple[Term, ...], list[Row]]] = {}

    def compatible(self, row: Row) -> Iterator[Row]:
        """Yield the solutions that have no other value for a variable of `row`."""
        names = tuple(name for name in row if name in self._certain)
        index = self._indexes.get(names)
        if index is None:
            index = self._indexes[names] = {}
            for each in self.rows:
                index.setdefault(tuple(each[name] for name in names), []).append(each)
        spend = self._evaluation.context.budget.spend
        for other in index.get(tuple(row[name] for name in names), ()):
            spend(STEPS_PER_TRIPLE)
            if are_compatible(row, other):
                yield other


def are_compatible(one: Row, other: Row) -> bool:
    """Return whether two solutions agree in every variable that both have."""
    if len(one) > len(other):
        one, other = other, one
    return all(other.get(name, value) == value for name, value in one.items())


def join(left: Iterable[Row], right: Iterable[Row], evaluation: Evaluation) -> Iterator[Row]:
    """Yield every compatible pair as one solution."""
    table = SolutionTable(right, evaluation)
    if not table.rows:
        return
    for row in left:
        for other in table.compatible(row):
            merged = {**row, **other}
            evaluation.spend_solution(merged)
            yield merged


def left_join(
    left: Iterable[Row], right: Iterable[Row], condition: Condition | None, evaluation: Evaluation
) -> Iterator[Row]:
    """Yield the pairs for which the condition is true, and a solution of the left side alone where there is none."""
    table = SolutionTable(right, evaluation)
    for row in left:
        pairs = ({**row, **other} for other in table.compatible(row))
        yield from or_alone(row, pairs, condition, evaluation)


def or_alone(row: Row, pairs: Iterable[Row], condition: Condition | None, evaluation: Evaluation) -> Iterator[Row]:
    """Yield the pairs for which the condition is true, or the row alone if there is none."""
    found = False
    for merged in pairs:
        evaluation.spend_solution(merged)
        if condition is None or condition(merged):
            found = True
            yield merged
    if not found:
        yield row


def difference(left: Iterable[Row], right: Iterable[Row], evaluation: Evaluation) -> Iterator[Row]:
    """Yield the solutions that no solution of the right side is compatible with and shares a variable with."""
    table = SolutionTable(right, evaluation)
    given = evaluation.given
    for row in left:
        names = row.keys() - given.keys()
        if not any(not names.isdisjoint(other) for other in table.compatible(row)):
            yield row
