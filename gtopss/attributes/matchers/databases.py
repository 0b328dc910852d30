"""In-memory databases for matching in SQL: SQLite and DuckDB (ToPSS, section 4, uses the in-memory Kdb)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

Row: TypeAlias = tuple[Any, ...]


class Database(Protocol):
    """The operations that the DBMS matchers need. SQL parameters are written `?`."""

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]: ...

    def load(self, table: str, rows: Sequence[Row]) -> None:
        """Insert many rows in one operation."""

    def page_bytes(self) -> int:
        """Return the memory of tables and indexes."""
        ...


class SQLiteDatabase:
    """SQLite, from the standard library."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        return self._connection.execute(sql, parameters).fetchall()

    def load(self, table: str, rows: Sequence[Row]) -> None:
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self._connection.execute("BEGIN")
            self._connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
            self._connection.execute("COMMIT")

    def page_bytes(self) -> int:
        ((pages,),) = self.run("PRAGMA page_count")
        ((size,),) = self.run("PRAGMA page_size")
        return int(pages) * int(size)


class DuckDBDatabase:
    """DuckDB, a column store like Kdb. Needs the optional dependencies `gtopss[compare]`."""

    def __init__(self) -> None:
        import duckdb

        self._connection = duckdb.connect(":memory:", config={"threads": 1})

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        result: list[Row] = self._connection.execute(sql, list(parameters)).fetchall()
        return result

    def load(self, table: str, rows: Sequence[Row]) -> None:
        if rows:
            columns = [list(column) for column in zip(*rows, strict=True)]
            marks = ", ".join("unnest(?)" for _ in columns)
            self._connection.execute(f"INSERT INTO {table} SELECT {marks}", columns)

    def page_bytes(self) -> int:
        rows = self.run("SELECT tag, memory_usage_bytes FROM duckdb_memory()")
        return sum(int(size) for tag, size in rows if tag in ("BASE_TABLE", "IN_MEMORY_TABLE", "ART_INDEX"))
