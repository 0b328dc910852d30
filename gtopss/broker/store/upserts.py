"""Insert rows of which some may be there already, on either database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

T = TypeVar("T")

MAX_LISTED_VALUES = 5_000
"""Values in one IN list of a statement; longer lists are split. SQLite has at most 32,766 variables."""


def insert_or_ignore(connection: Connection, table: Table) -> Any:
    """Return an INSERT that leaves out rows that would break a unique constraint."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table).on_conflict_do_nothing()


def in_parts(values: Iterable[T]) -> Iterator[Sequence[T]]:
    """Yield values in lists that a statement can have.

    >>> [len(part) for part in in_parts(range(12_000))]
    [5000, 5000, 2000]
    """
    listed = list(values)
    for start in range(0, len(listed), MAX_LISTED_VALUES):
        yield listed[start : start + MAX_LISTED_VALUES]
