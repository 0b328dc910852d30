"""What a store needs to know about the database below it: SQLite (sqlite.py) or PostgreSQL (postgresql.py)."""

from __future__ import annotations

from enum import Enum, auto
from typing import Protocol

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError


class Failure(Enum):
    """What a database error means for the group of changes in which it was raised."""

    CHANGE = auto()
    """The change is wrong, and fails alone."""
    CONFLICT = auto()
    """Another broker changed the same rows: run the group again."""
    DISCONNECTED = auto()
    """The connection is lost: connect and run the group again."""
    BUSY = auto()
    """Another program holds the database, and was waited for: give up."""
    REFUSED = auto()
    """The disk is full, the file cannot be written and the like: a smaller change may still succeed."""
    DAMAGED = auto()
    """The file is damaged, or is not a database."""


class Database(Protocol):
    """A database: connections that write and that read, and what its errors mean."""

    @property
    def name(self) -> str:
        """Name the database in messages, without a password."""

    @property
    def durable(self) -> bool:
        """Tell whether a committed change survives the end of the process and a power failure."""

    @property
    def has_one_connection(self) -> bool:
        """Tell whether reads and writes share a connection, so that they take turns."""

    @property
    def writer(self) -> Engine:
        """The connection of the thread that writes."""

    @property
    def readers(self) -> Engine:
        """Connections that only read."""

    def start_group(self, connection: Connection, number: int) -> None:
        """Begin a group of changes. Raises NewerStore if a newer program has changed the tables."""

    def was_committed(self, connection: Connection, number: int) -> bool:
        """Tell whether a group was committed whose connection was lost."""

    def failure(self, error: DBAPIError) -> Failure:
        """Classify an error."""

    def close(self) -> None:
        """Close all connections."""
