"""Statements that the two databases write differently: inserts of rows that may exist, and lists of values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from sqlalchemy import ARRAY, Column, ColumnElement, Connection, Table, any_, literal
from sqlalchemy.dialects import postgresql, sqlite

T = TypeVar("T")

MAX_LISTED_VALUES = 5_000
"""Values in one IN list of a statement; longer lists are split. SQLite has at most 32,766 variables."""


def insert_or_ignore(connection: Connection, table: Table) -> Any:
    """Return an INSERT that leaves out rows that would break a unique constraint."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table).on_conflict_do_nothing()


def among(connection: Connection, column: Column[Any], values: Sequence[Any]) -> ColumnElement[bool]:
    """Return the condition that a column has one of the values.

    On PostgreSQL the values are one array. The text of the statement then does not depend on their number; psycopg
    takes a millisecond to read a text with a place for each of some hundred values.
    """
    if connection.dialect.name == "postgresql":
        return column.__eq__(any_(literal(list(values), ARRAY(column.type))))
    if len(values) == 1:  # SQLAlchemy writes a list anew each time
        return column.__eq__(values[0])
    return column.in_(values)


def in_parts(values: Iterable[T]) -> Iterator[Sequence[T]]:
    """Yield values in lists that a statement can have.

    >>> [len(part) for part in in_parts(range(12_000))]
    [5000, 5000, 2000]
    """
    listed = list(values)
    for start in range(0, len(listed), MAX_LISTED_VALUES):
        yield listed[start : start + MAX_LISTED_VALUES]
