"""A power failure loses nothing that a SQLite store has acknowledged, and leaves nothing half done."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path

import pytest
from conftest import SOAK
from sqlalchemy import select
from support.killed_store import both_rows
from support.power_loss_vfs import Recording, record

from gtopss.broker.store import sqlite
from gtopss.broker.store.sqlite import sqlite_store
from gtopss.broker.store.tables import counters, feed_items

CHANGES = 120
FAILURES = 2_000 if SOAK else 150


def run(folder: Path, recording: Recording) -> None:
    """Write in groups, and mark what is acknowledged. The log is checkpointed and reset several times."""
    with sqlite_store(folder / "a.db") as store:
        recording.mark("open")
        for first in range(0, CHANGES, 4):
            futures = {
                number: store.submit(lambda connection, number=number: both_rows(connection, number))  # type: ignore[misc]
                for number in range(first, first + 4)
            }
            for number, future in futures.items():
                future.result()
                recording.mark(number)
    recording.mark("closed")


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Recording]:
    folder = tmp_path_factory.mktemp("recorded")
    with pytest.MonkeyPatch.context() as patch, record(folder) as events:
        patch.setattr(sqlite, "CHECKPOINT_PAGES", 30)
        run(folder, events)
    return folder, events


def restored(recording: Recording, count: int, seed: int, unsynced: float, folder: Path) -> set[str]:
    """Cut the power after some events, start again, and return what is there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path, content in recording.image(count, random.Random(seed), unsynced=unsynced).items():
        (folder / Path(path).name).write_bytes(content)
    with sqlite_store(folder / "a.db") as store:
        assert store.read(lambda connection: connection.exec_driver_sql("PRAGMA integrity_check").scalar()) == "ok"
        names = store.read(lambda connection: set(connection.execute(select(counters.c.name)).scalars()))
        items = store.read(lambda connection: set(connection.execute(select(feed_items.c.item)).scalars()))
        assert names == items
        store.check()
    return names


def test_the_recording_is_of_what_sqlite_does(recording: tuple[Path, Recording], tmp_path: Path) -> None:
    folder, events = recording
    kinds = {(event.kind, Path(event.path).name) for event in events.events if event.kind != "mark"}
    assert {("write", "a.db-wal"), ("sync", "a.db-wal"), ("write", "a.db"), ("sync", "a.db")} <= kinds
    resets = sum(event.kind == "write" and event.path.endswith("-wal") and event.offset == 0 for event in events.events)
    assert resets > 3
    image = events.image(len(events.events), random.Random(0), unsynced=1)
    assert image[str(folder / "a.db")] == (folder / "a.db").read_bytes()


def test_a_power_failure_loses_nothing_that_was_acknowledged(recording: tuple[Path, Recording], tmp_path: Path) -> None:
    _, events = recording
    start = next(place for place, event in enumerate(events.events) if event.mark == "open")
    chance = random.Random(20)
    lost = 0
    for seed in range(FAILURES):
        count = chance.randint(start, len(events.events))
        unsynced = chance.choice([0, 0.1, 0.5, 0.9, 1])
        found = restored(events, count, seed, unsynced, tmp_path / "image")
        acknowledged = {f"c{mark}" for mark in events.marks(count) if isinstance(mark, int)}
        assert acknowledged <= found, (seed, count, unsynced)
        lost += len(found) < CHANGES
    assert lost > FAILURES // 2  # most failures came before the end


def test_without_syncs_the_same_failures_lose_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test can fail: with `synchronous=OFF` acknowledged changes are missing."""
    connect = sqlite.FileDatabase._connect_writer

    def unsafe(database: sqlite.FileDatabase) -> sqlite3.Connection:
        connection = connect(database)
        connection.execute("PRAGMA synchronous=OFF")
        return connection

    monkeypatch.setattr(sqlite.FileDatabase, "_connect_writer", unsafe)
    folder = tmp_path / "recorded"
    folder.mkdir()
    with record(folder) as events:
        run(folder, events)
    monkeypatch.undo()
    acknowledged = events.marks(len(events.events))
    assert len(acknowledged) == CHANGES + 2
    assert len(restored(events, len(events.events), 1, 0, tmp_path / "image")) < CHANGES
