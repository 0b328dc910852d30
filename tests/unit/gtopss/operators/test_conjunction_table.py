"""Numbers of conjunctions and predicates are reused after removal."""

from __future__ import annotations

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.operators import (
    OperatorStage,
    Registry,
)

NOTHING = Publication("p", [])


def test_numbers_are_reused_and_holes_are_compacted(pq_registry: Registry) -> None:
    stage = OperatorStage(pq_registry)
    for round in range(4):
        for number in range(600):
            stage.add((f"{round}-{number}", 0), [call("q", number), call("q", number + 1)])
        for number in range(1, 600):
            stage.remove((f"{round}-{number}", 0))
    table = stage._table
    assert len(table.conjunctions) < 700
    assert len(table.predicates) < 700
    assert len(table.predicate_numbers) < 6000
    report = stage.evaluate(NOTHING, {(f"{round}-0", 0): [{}] for round in range(4)})
    assert len(report.matched) == 4
    assert report.calls == 2
