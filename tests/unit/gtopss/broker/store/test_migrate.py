from __future__ import annotations

import re
import shutil
import sqlite3
from pathlib import Path

import pytest
from conftest import ROOT
from sqlalchemy import Connection, create_engine, inspect, make_url, select, text
from support.postgresql_server import PostgresqlServer

from gtopss.broker.errors import InvalidStore, NewerStore
from gtopss.broker.store import publication_rows
from gtopss.broker.store.migrate import REVISION_TABLE, REVISIONS, found_revision, known_revisions, migrate
from gtopss.broker.store.new_revision import difference
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.publication_rows import NewPublication
from gtopss.broker.store.sqlite import APPLICATION_ID, sqlite_store
from gtopss.broker.store.store import Store
from gtopss.broker.store.tables import match_tasks, metadata, notifications, publications, subscriptions

OLDEST = ROOT / "tests" / "data" / "broker" / "revision-0001.sql"
"""A database as revision 0001 has made it, with rows in all tables."""
NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{previous}"


def upgrade():
    with op.batch_alter_table("publications") as table:
        table.add_column(sa.Column("language", sa.Text(), server_default="en"))
        table.alter_column("triples", new_column_name="size")
    op.create_table("extra", sa.Column("id", sa.Text(), primary_key=True))
"""


def oldest_columns() -> dict[str, list[str]]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(OLDEST.read_text(encoding="utf-8"))
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns = {table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})")] for table in tables}
    connection.close()
    return columns


OLDEST_COLUMNS = oldest_columns()


@pytest.fixture
def old_file(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(OLDEST.read_text(encoding="utf-8"))
    connection.close()
    return path


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """The revisions of a newer program, with one more than this one has."""
    folder = tmp_path / "newer"
    shutil.copytree(REVISIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    last = known_revisions()[-1]
    following = f"{int(last) + 1:04}"
    (folder / "versions" / f"{following}_next.py").write_text(NEXT.format(revision=following, previous=last))
    return folder


def rows(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables, by the columns that revision 0001 had and the current one has."""
    found = {}
    for name, table in metadata.tables.items():
        if name not in OLDEST_COLUMNS:
            continue
        columns = sorted(set(OLDEST_COLUMNS[name]) & set(table.columns.keys()))
        found[name] = sorted(map(tuple, connection.execute(text(f"SELECT {', '.join(columns)} FROM {name}"))))
    return found


def test_the_revisions_make_the_tables(store: Store) -> None:
    """A change of `tables.py` needs a revision: see `new_revision.py`."""
    assert store.write(difference) == "pass"


def test_a_memory_store_has_the_tables_of_the_revisions(tmp_path: Path) -> None:
    def definitions(connection: Connection) -> dict[str, str]:
        found = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
        return {name: " ".join(sorted(re.sub(r'[\n,"]', " ", sql).split())) for name, sql in found}

    with open_store("memory:") as memory, sqlite_store(tmp_path / "a.db") as file:
        migrated = file.read(definitions)
        del migrated[REVISION_TABLE]
        assert memory.read(definitions) == migrated


def test_an_older_database_is_migrated_at_open_and_keeps_its_rows(old_file: Path) -> None:
    with create_engine(f"sqlite:///{old_file}").connect() as connection:
        before = rows(connection)
        assert found_revision(connection) == "0001"
        assert all(before[table] for table in set(before) - {"writers"})
    with sqlite_store(old_file) as store:
        assert store.read(rows) == before
        assert store.write(difference) == "pass"
        assert store.read(found_revision) == known_revisions()[-1]
        assert store.read(lambda connection: len(connection.execute(select(subscriptions)).all())) == 2


def test_publications_that_wait_in_an_older_database_become_match_tasks(tmp_path: Path) -> None:
    folder = tmp_path / "revisions"
    newer = [f"{revision}*" for revision in known_revisions() if revision >= "0006"]
    shutil.copytree(REVISIONS, folder, ignore=shutil.ignore_patterns("__pycache__", *newer))
    path = tmp_path / "old.db"
    states = [(0, 0, 0, None, 0.0), (0, 0, 0, "b/1", 9.0), (1, 1, 2, None, 7.0), (1, 0, 0, None, 0.0)]
    with create_engine(f"sqlite:///{path}").connect() as connection:
        connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION_ID}")
        migrate(connection, "old", folder)
        for number, state in enumerate(states, start=1):
            connection.exec_driver_sql(
                "INSERT INTO publications (id, digest, received_at, after_change, lines, triples, matched, "
                "operators_due, operator_attempts, lease_holder, lease_until) VALUES (?, ?, ?, 0, ?, 1, ?, ?, ?, ?, ?)",
                (f"urn:{number}", b"d", 10.0 + number, b"x" * number, *state),
            )
        connection.exec_driver_sql("DELETE FROM publications WHERE number = 4")
        connection.exec_driver_sql(
            "INSERT INTO notifications (subscription, sequence, id, kind, publication, created_at, bindings, truncated,"
            " article_link) VALUES ('s', 1, 'msg_1', 'match', 3, 5.0, '[]', 1, ?), ('s', 2, 'msg_2', 'expired', NULL,"
            " 6.0, NULL, 0, NULL)",
            (b"link",),
        )
        connection.commit()
    with sqlite_store(path) as store:
        tasks = store.read(lambda connection: sorted(map(tuple, connection.execute(select(match_tasks)))))
        assert tasks == [
            (-1, 3, 3, 13.0, 2, 0, None, 7.0),
            (0, 1, 1, 11.0, 0, 0, None, 0.0),
            (0, 2, 2, 12.0, 0, 0, "b/1", 9.0),
        ]
        kept = store.read(lambda connection: connection.execute(select(notifications)).all())
        assert [(row.sequence, row.id, row.truncated, row.article_link) for row in kept] == [
            (1, "msg_1", True, b"link"),
            (2, "msg_2", False, None),
        ]
        new = NewPublication("urn:new", b"d", None, None, b"", 0)
        numbers = store.write(
            lambda connection: publication_rows.insert_new(connection, [new], received_at=1.0, after_change=0)
        )
        assert numbers == [5]  # the number of a deleted publication is not used again
        assert store.write(difference) == "pass"


def test_a_newer_revision_is_applied(old_file: Path, newer: Path) -> None:
    with create_engine(f"sqlite:///{old_file}").connect() as connection:
        migrate(connection, "old", newer)
        found = connection.execute(text("SELECT id, language, size FROM publications ORDER BY id")).all()
        assert [tuple(row) for row in found] == [(f"urn:p{n}", "en", 1) for n in (1, 2, 3)]
        assert inspect(connection).has_table("extra")


def test_a_migration_that_fails_changes_nothing(old_file: Path, newer: Path) -> None:
    (last,) = (newer / "versions").glob(f"{known_revisions(newer)[-1]}*")
    last.write_text(last.read_text() + "    raise OSError('no space')\n")
    with sqlite_store(old_file):
        pass
    before = sqlite3.connect(old_file)
    expected = list(before.iterdump())
    before.close()
    with sqlite_store(old_file) as store:
        with pytest.raises(OSError, match="no space"):
            store.write(lambda connection: migrate(connection, "old", newer))
        assert store.read(lambda connection: len(connection.execute(select(publications)).all())) == 3
    after = sqlite3.connect(old_file)
    assert list(after.iterdump()) == expected
    after.close()


def test_a_database_of_a_newer_program_is_refused(old_file: Path, newer: Path) -> None:
    with sqlite_store(old_file) as store:
        store.write(lambda connection: migrate(connection, "old", newer))
    newest = known_revisions(newer)[-1]
    with pytest.raises(NewerStore, match=f"revision {newest}, and this program knows .* up to {known_revisions()[-1]}"):
        sqlite_store(old_file)


def test_a_newer_broker_migrates_and_the_older_one_stops(postgresql: PostgresqlServer, newer: Path) -> None:
    url = postgresql.new_store_url()
    with open_store(url) as older:
        older.check()
        engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
        with engine.begin() as connection:
            migrate(connection, "newer", newer)
        engine.dispose()
        with pytest.raises(NewerStore, match="stop this program and start the newer version"):
            older.check()


def test_tables_of_another_program_are_refused(postgresql: PostgresqlServer) -> None:
    url = postgresql.new_store_url()
    postgresql.execute("CREATE TABLE feeds (name text)", url)
    with pytest.raises(InvalidStore, match=r"another program's tables are there \(feeds\)"):
        open_store(url)


def test_no_table_has_the_name_of_the_revision_table() -> None:
    assert REVISION_TABLE not in metadata.tables
