"""Numbers that never repeat and follow the order of commits."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, bindparam, select
from sqlalchemy.dialects import postgresql, sqlite

from gtopss.broker.store.tables import counters


def _advance(dialect: Any) -> Any:
    inserted = dialect.insert(counters).values(name=bindparam("name"), value=bindparam("by"))
    increased = {"value": counters.c.value + inserted.excluded.value}
    return inserted.on_conflict_do_update(index_elements=["name"], set_=increased).returning(counters.c.value)


_ADVANCE = {"sqlite": _advance(sqlite), "postgresql": _advance(postgresql)}
_CURRENT = select(counters.c.value).where(counters.c.name == bindparam("name"))


def advance(connection: Connection, name: str, by: int = 1) -> int:
    """Increase a counter and return its new value: the caller owns the last `by` numbers up to it.

    The row stays locked until the transaction ends, so that a transaction with a larger number commits later. A reader
    that has seen a number has therefore seen all smaller ones.
    """
    return int(connection.execute(_ADVANCE[connection.dialect.name], {"name": name, "by": by}).scalar_one())


def current(connection: Connection, name: str) -> int:
    """Return the value of a counter; 0 if it was never advanced."""
    found = connection.execute(_CURRENT, {"name": name}).scalar_one_or_none()
    return 0 if found is None else int(found)
