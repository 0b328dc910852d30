"""Create the tables of a store, or bring those of an older version up to date, by Alembic's revisions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, inspect, text

from gtopss.broker.errors import InvalidStore, NewerStore
from gtopss.broker.store.tables import metadata

REVISIONS = Path(__file__).parent / "migrations"
REVISION_TABLE = "gtopss_revision"
"""Has one row: the revision of the tables. Alembic's own name for it may be taken by another program."""


def known_revisions(folder: Path = REVISIONS) -> list[str]:
    """Return the numbers of the revisions that this program knows, in order."""
    return sorted(path.name[:4] for path in (folder / "versions").glob("[0-9]*.py"))


def found_revision(connection: Connection) -> str | None:
    """Return the revision of the tables; None in a new database."""
    if not inspect(connection).has_table(REVISION_TABLE):
        return None
    return connection.execute(text(f"SELECT version_num FROM {REVISION_TABLE}")).scalar_one_or_none()


def migrate(connection: Connection, store: str, folder: Path = REVISIONS) -> None:
    """Bring the tables to the newest revision that this program knows, in the transaction of the connection.

    The caller holds a lock against other programs that do the same. Raises NewerStore if a newer program has changed
    the tables, and InvalidStore if the tables belong to another program.
    """
    known = known_revisions(folder)
    found = found_revision(connection)
    if found == known[-1]:
        return
    if found is None:
        taken = sorted(set(inspect(connection).get_table_names()) & set(metadata.tables))
        if taken:
            raise InvalidStore(store, f"another program's tables are there ({', '.join(taken)}): use another database")
    elif found not in known:
        raise NewerStore(store, found, known[-1])
    _upgrade(connection, folder)


def _upgrade(connection: Connection, folder: Path) -> None:
    from alembic.config import Config  # takes longer to import than an up-to-date store to open
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    script = ScriptDirectory(str(folder))

    def steps(revision: Any, context: Any) -> Any:
        return script._upgrade_revs("head", revision)

    with EnvironmentContext(Config(), script, fn=steps) as environment:
        environment.configure(connection=connection, version_table=REVISION_TABLE, transactional_ddl=True)
        environment.run_migrations()
