"""Insert many rows by few statements of the driver: SQLAlchemy would take longer for a row than the database does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql

from gtopss.broker.store.tables import metadata

ROWS_PER_STATEMENT = 100
"""Rows in one statement. SQLite has at most 32,766 values in one, and PostgreSQL at most 1 GB of them."""


def insert_rows(
    connection: Connection,
    table: str,
    columns: tuple[str, ...],
    rows: Sequence[tuple[Any, ...]],
    *,
    ignore: bool = False,
    on_conflict: str = "",
) -> None:
    """Insert rows of values in the order of the columns. With `ignore`, those that are there already are left out.

    `on_conflict` is the end of the statement that says what else to do with them.
    """
    for sql, values in _statements(
        connection, table, columns, rows, " ON CONFLICT DO NOTHING" if ignore else on_conflict
    ):
        connection.exec_driver_sql(sql, values)


def insert_new_rows(
    connection: Connection,
    table: str,
    columns: tuple[str, ...],
    rows: Sequence[tuple[Any, ...]],
    returning: tuple[str, ...],
) -> Iterator[Sequence[Any]]:
    """Insert the rows that would not break a unique constraint, and yield columns of each row that was inserted."""
    end = f" ON CONFLICT DO NOTHING RETURNING {', '.join(returning)}"
    for sql, values in _statements(connection, table, columns, rows, end):
        yield from connection.exec_driver_sql(sql, values).all()


def _statements(
    connection: Connection, table: str, columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]], end: str
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    uses_arrays = connection.dialect.name == "postgresql"
    for start in range(0, len(rows), ROWS_PER_STATEMENT):
        part = rows[start : start + ROWS_PER_STATEMENT]
        if uses_arrays:
            yield _sql_of_arrays(table, columns, end), tuple([list(values) for values in zip(*part, strict=True)])
        else:
            yield _sql(table, columns, len(part), end), tuple([value for row in part for value in row])


@cache
def _sql(table: str, columns: tuple[str, ...], rows: int, end: str) -> str:
    places = f"({', '.join('?' * len(columns))})"
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([places] * rows)}{end}"


@cache
def _sql_of_arrays(table: str, columns: tuple[str, ...], end: str) -> str:
    """Return a statement with one array for each column: its text does not depend on the number of rows.

    The arrays are binary (`%b`): as text, psycopg writes bytes in hexadecimal and looks for quotes in each value.
    """
    return f"INSERT INTO {table} ({', '.join(columns)}) SELECT * FROM unnest({array_places(table, columns)}){end}"


def array_places(table: str, columns: tuple[str, ...]) -> str:
    """Return the places of binary arrays in a statement of PostgreSQL, each with the type of a column."""
    dialect, types = postgresql.dialect(), metadata.tables[table].c  # type: ignore[no-untyped-call]
    return ", ".join(f"%b::{types[name].type.compile(dialect)}[]" for name in columns)
