"""Read rows by many keys of several columns with few statements of the driver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection

from gtopss.broker.store.bulk_inserts import array_places

KEYS_PER_STATEMENT = 500
"""Keys in one statement. SQLite has at most 32,766 values in one."""


def select_by_keys(
    connection: Connection, table: str, key: tuple[str, ...], keys: Sequence[tuple[Any, ...]], columns: tuple[str, ...]
) -> Iterator[Sequence[Any]]:
    """Yield columns of the rows with these keys. `key` names the columns of a key, which are a prefix of an index."""
    uses_arrays = connection.dialect.name == "postgresql"
    for start in range(0, len(keys), KEYS_PER_STATEMENT):
        part = keys[start : start + KEYS_PER_STATEMENT]
        if uses_arrays:
            sql = _sql_of_arrays(table, key, columns)
            values = tuple(list(each) for each in zip(*part, strict=True))
        else:
            sql, values = _sql(table, key, columns, len(part)), tuple(value for each in part for value in each)
        yield from connection.exec_driver_sql(sql, values).all()


@cache
def _sql(table: str, key: tuple[str, ...], columns: tuple[str, ...], count: int) -> str:
    places = f"({', '.join('?' * len(key))})"
    asked = f"WITH asked ({', '.join(key)}) AS (VALUES {', '.join([places] * count)})"
    return f"{asked} SELECT {_selected(table, columns)} FROM asked CROSS JOIN {table} USING ({', '.join(key)})"


@cache
def _sql_of_arrays(table: str, key: tuple[str, ...], columns: tuple[str, ...]) -> str:
    asked = f"unnest({array_places(table, key)}) AS asked ({', '.join(key)})"
    return f"SELECT {_selected(table, columns)} FROM {asked} JOIN {table} USING ({', '.join(key)})"


def _selected(table: str, columns: tuple[str, ...]) -> str:
    return ", ".join(f"{table}.{name}" for name in columns)
