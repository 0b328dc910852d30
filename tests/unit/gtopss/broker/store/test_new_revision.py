from __future__ import annotations

import shutil
from pathlib import Path

from sqlalchemy import create_engine, inspect

from gtopss.broker.store.migrate import REVISIONS, known_revisions, migrate
from gtopss.broker.store.new_revision import difference, write_revision
from gtopss.broker.store.tables import metadata


def test_a_revision_is_written_from_the_difference(tmp_path: Path) -> None:
    (tmp_path / "versions").mkdir()
    written = write_revision("create the tables!", tmp_path)
    assert written == tmp_path / "versions" / "0001_create_the_tables.py"
    assert write_revision("nothing", tmp_path) is None
    with create_engine("sqlite://").connect() as connection:
        migrate(connection, "new", tmp_path)
        assert set(metadata.tables) <= set(inspect(connection).get_table_names())
        assert difference(connection) == "pass"


def test_the_next_revision_follows_the_last(tmp_path: Path) -> None:
    shutil.copytree(REVISIONS, tmp_path / "m")
    for path in sorted((tmp_path / "m" / "versions").glob("[0-9]*.py"))[1:]:
        path.unlink()
    first = tmp_path / "m" / "versions" / "0001_create_the_tables.py"
    first.write_text(first.read_text().replace('sa.Column("title", sa.Text(), nullable=True),', ""))
    written = write_revision("add titles", tmp_path / "m")
    assert written is not None
    assert 'down_revision = "0001"' in written.read_text()
    assert "title" in written.read_text()
    assert known_revisions(tmp_path / "m") == ["0001", "0002"]
