from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from gtopss.broker.store import publication_rows, subscription_rows
from gtopss.broker.store.sqlite import sqlite_store


def _plan(path: Path, query: Callable[[Connection], object]) -> str:
    """Return how SQLite runs the first statement of a query."""
    plans: list[str] = []

    def explain(connection: Connection) -> None:
        statements: list[tuple[str, Any]] = []
        event.listen(connection, "before_cursor_execute", lambda *given: statements.append((given[2], given[3])))
        query(connection)
        statement, parameters = statements[0]
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        plans.extend(row.detail for row in plan)

    with sqlite_store(path / "a.db") as store:
        store.write(explain)
    return "; ".join(plans)


@pytest.mark.parametrize("operators", [False, True])
def test_waiting_publications_are_found_by_an_index(operators: bool, tmp_path: Path) -> None:
    """Without it each claim would read the tasks of all shares, and sort them."""

    def claim(connection: Connection) -> object:
        return publication_rows.claim(
            connection, "b", now=1.0, until=2.0, limit=50, share=publication_rows.OPERATORS if operators else 0
        )

    plan = _plan(tmp_path, claim)
    assert "SEARCH match_tasks USING PRIMARY KEY (share=?)" in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.parametrize(
    ("query", "index"),
    [
        (subscription_rows.any_calls_operators, "subscriptions_operators"),
        (lambda connection: subscription_rows.due_notices(connection, 1.0, 10), "subscriptions_expiring_at"),
        (lambda connection: subscription_rows.due_ends(connection, 1.0, 10), "subscriptions_ends"),
    ],
)
def test_what_a_step_asks_for_each_time_is_found_by_an_index(
    query: Callable[[Connection], object], index: str, tmp_path: Path
) -> None:
    """Without it each step would read all subscriptions, or all retained publications."""
    assert index in _plan(tmp_path, query)
