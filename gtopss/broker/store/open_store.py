"""Open the store that a URL names."""

from __future__ import annotations

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from gtopss.broker.errors import InvalidStoreURL
from gtopss.broker.store.postgresql import postgresql_store
from gtopss.broker.store.sqlite import memory_store, sqlite_store
from gtopss.broker.store.store import Store


def open_store(url: str) -> Store:
    """Open a store: `memory:`, `sqlite:PATH` or `postgresql://USER:PASSWORD@HOST:PORT/DATABASE`.

    A SQLite file or the tables in a PostgreSQL database are created if they are not there, and those of an older
    version are brought up to date. Raises InvalidStoreURL, and what `sqlite_store` and `postgresql_store` raise.

    >>> with open_store("memory:") as store:
    ...     store.durable
    False
    >>> open_store("store.db")
    Traceback (most recent call last):
    ...
    gtopss.broker.errors.InvalidStoreURL: store.db: not a URL; use memory:, sqlite:PATH or postgresql://USER@HOST/DATABASE
    """
    scheme, colon, rest = url.partition(":")
    match scheme:
        case _ if not colon:
            raise InvalidStoreURL(url, "not a URL")
        case "memory":
            if rest:
                raise InvalidStoreURL(url, "a store in memory has no name")
            return memory_store()
        case "sqlite":
            # SQLAlchemy and others write sqlite:///relative and sqlite:////absolute.
            path = rest[3:] if rest.startswith("///") else rest
            if not path or path == ":memory:" or path.startswith("//"):
                raise InvalidStoreURL(url, "it has no path of a file")
            return sqlite_store(path)
        case "postgresql" | "postgres":
            return _open_postgresql(f"postgresql:{rest}")
        case _:
            raise InvalidStoreURL(url, f"{scheme!r} is not a kind of store")


def _open_postgresql(url: str) -> Store:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise InvalidStoreURL(url.partition(":")[0] + ":...", "it cannot be parsed") from error
    if not parsed.database:
        raise InvalidStoreURL(parsed.render_as_string(hide_password=True), "it names no database")
    return postgresql_store(parsed)
