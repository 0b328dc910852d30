"""Open a PostgreSQL database as a store, which several brokers share.

Each broker writes through one connection, in groups of changes, and reads through others. At the start of a group the
broker writes the group's number to its row in `writers`, for two reasons. If the connection is lost during COMMIT, the
number that is stored tells whether the group was committed; the row's lock is waited for, so that a server which is
still committing is not misread. And the same statement reads the revision of the tables: a broker whose tables were
changed by a newer one stops. It holds a lock on the table of the revision until the group ends, so that nobody changes
the tables during a group.
"""

from __future__ import annotations

import secrets
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.exc import DBAPIError, OperationalError

from gtopss.broker.errors import InvalidStore, NewerStore, StoreUnavailable, UnsafeStore
from gtopss.broker.store.database import Failure
from gtopss.broker.store.migrate import REVISION_TABLE, known_revisions, migrate
from gtopss.broker.store.store import Store

CONNECT_TIMEOUT_SECONDS = 10
"""How long a connection attempt may take."""
LOCK_TIMEOUT_SECONDS = 10
"""How long a statement waits for a row that another broker holds; then the group is run again."""
IDLE_TIMEOUT_SECONDS = 120
"""How long a transaction may be idle before the server ends it: it would hold back the others and vacuum."""
STALE_WRITER_SECONDS = 86_400
"""A writer that was not seen for so long is forgotten."""
MAX_READERS = 8
"""Connections that read at the same time; a further reader waits for one of them."""
_MIGRATION_LOCK = 0x47546F50

_SAFE_SETTINGS = {"fsync": ("on",), "full_page_writes": ("on",), "synchronous_commit": ("on", "local", "remote_apply")}


def postgresql_store(url: URL) -> Store:
    """Open the database and bring its tables up to date.

    Raises UnsafeStore if the server does not write commits to the disk, NewerStore if a newer program has changed the
    tables, InvalidStore if the tables belong to another program, and StoreUnavailable if there is no connection.
    """
    return Store(PostgresqlDatabase(url))


class PostgresqlDatabase:
    """A connection that writes, connections that read, and this broker's row in `writers`."""

    durable = True
    has_one_connection = False

    def __init__(self, url: URL) -> None:
        self.name = url.set(drivername="postgresql").render_as_string(hide_password=True)
        self._newest = known_revisions()[-1]
        self._writer_id = secrets.token_hex(16)
        self.writer = self._engine(url, "READ COMMITTED", pool_size=1, max_overflow=0)
        self.readers = self._engine(url, "REPEATABLE READ", pool_size=2, max_overflow=MAX_READERS - 2)

        @event.listens_for(self.readers, "connect")
        def only_read(connection: Any, record: object) -> None:
            connection.read_only = True

        try:
            with self.writer.connect() as connection, connection.begin():
                self._migrate(connection)
                self._forget_stale_writers(connection)
                self.start_group(connection, 0)  # the row must be there before its lock can be waited for
        except DBAPIError as error:
            self.close()
            if self.failure(error) is Failure.CHANGE:
                reason = "the user may not create and change tables there"
            else:
                reason = "start the server, or correct the URL"
            raise StoreUnavailable(self.name, f"{' '.join(str(error.orig).split())}: {reason}") from error
        except BaseException:
            self.close()
            raise

    def start_group(self, connection: Connection, number: int) -> None:
        """Write the number of the group, and stop if a newer program has changed the tables."""
        statement = (
            "INSERT INTO writers (id, last_group, seen_at) VALUES (%s, %s, extract(epoch FROM now())) "
            "ON CONFLICT (id) DO UPDATE SET last_group = excluded.last_group, seen_at = excluded.seen_at "
            f"RETURNING (SELECT version_num FROM {REVISION_TABLE})"
        )
        found = connection.exec_driver_sql(statement, (self._writer_id, number)).scalar_one()
        if found != self._newest:
            raise NewerStore(self.name, str(found), self._newest)

    def was_committed(self, connection: Connection, number: int) -> bool:
        """Tell whether a group was committed. Waits for a server that has not noticed the lost connection."""
        statement = text("SELECT last_group FROM writers WHERE id = :id FOR UPDATE")
        return connection.execute(statement, {"id": self._writer_id}).scalar_one_or_none() == number

    def failure(self, error: DBAPIError) -> Failure:
        """Classify an error."""
        state = getattr(error.orig, "sqlstate", None)
        if error.connection_invalidated or (state is None and isinstance(error, OperationalError)):
            return Failure.DISCONNECTED
        if state is None:  # the driver has refused a value
            return Failure.CHANGE
        if state.startswith(("08", "57P")):
            return Failure.DISCONNECTED
        if state in ("40001", "40P01", "55P03"):  # serialisation failure, deadlock, lock timeout
            return Failure.CONFLICT
        if state.startswith(("53", "58", "57")) or state == "25006":  # no resources, I/O, cancelled; read-only server
            return Failure.REFUSED
        return Failure.DAMAGED if state.startswith("XX00") else Failure.CHANGE

    def close(self) -> None:
        """Close all connections."""
        self.readers.dispose()
        self.writer.dispose()

    def _engine(self, url: URL, isolation: str, *, pool_size: int, max_overflow: int) -> Engine:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            isolation_level=isolation,
            pool_size=pool_size,
            max_overflow=max_overflow,
            connect_args={
                "connect_timeout": CONNECT_TIMEOUT_SECONDS,
                "keepalives_idle": 30,
                "keepalives_interval": 10,
                "keepalives_count": 3,
                "application_name": "gtopss",
            },
        )
        event.listen(engine, "connect", self._prepare_connection)
        return engine

    def _prepare_connection(self, connection: Any, record: object) -> None:
        """Set time limits and refuse a server that may lose commits. Runs for each new connection."""
        connection.execute(f"SET lock_timeout = '{LOCK_TIMEOUT_SECONDS}s'")
        connection.execute(f"SET idle_in_transaction_session_timeout = '{IDLE_TIMEOUT_SECONDS}s'")
        names = (*_SAFE_SETTINGS, "server_encoding")
        rows = connection.execute("SELECT name, setting FROM pg_settings WHERE name = ANY(%s)", (list(names),))
        settings = dict(rows.fetchall())
        connection.commit()
        for name, safe in _SAFE_SETTINGS.items():
            if settings[name] not in safe:
                raise UnsafeStore(
                    self.name,
                    f"the server runs with {name}={settings[name]} and may lose acknowledged changes: "
                    f"set {name}=on in postgresql.conf",
                )
        if settings["server_encoding"] != "UTF8":
            raise InvalidStore(self.name, f"its encoding is {settings['server_encoding']}: create it with UTF8")

    def _migrate(self, connection: Connection) -> None:
        """Bring the tables up to date, one broker at a time, when no group of an older broker is running."""
        connection.exec_driver_sql("SET LOCAL lock_timeout = 0")  # another broker may be busy with a large table
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})")
        found = None
        if inspect(connection).has_table(REVISION_TABLE):
            found = connection.exec_driver_sql(f"SELECT version_num FROM {REVISION_TABLE}").scalar_one()
            if found != self._newest:
                connection.exec_driver_sql(f"LOCK TABLE {REVISION_TABLE} IN ACCESS EXCLUSIVE MODE")
        migrate(connection, self.name)

    def _forget_stale_writers(self, connection: Connection) -> None:
        statement = text("DELETE FROM writers WHERE seen_at < extract(epoch FROM now()) - :seconds")
        connection.execute(statement, {"seconds": STALE_WRITER_SECONDS})
