from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.brokers import about, memory_broker

from gtopss import Engine
from gtopss.broker.broker import Broker
from gtopss.broker.engine_snapshots import EngineSnapshots
from gtopss.broker.store import change_rows
from gtopss.broker.store.tables import changes, counters
from ontology import Taxonomy

pytestmark = pytest.mark.slow  # only the default matcher saves


@pytest.fixture
def broker() -> Iterator[Broker]:
    with memory_broker() as made:
        made.subscribe(about("a"))
        made.subscribe(about("b"))
        yield made


def saved(broker: Broker, folder: Path, number: int = 2) -> EngineSnapshots:
    snapshots, engine = EngineSnapshots(folder), Engine()
    engine.add(about("a"), id="s")
    assert snapshots.save(engine, number, broker.store)
    return snapshots


def test_the_newest_snapshot_is_opened_with_its_number(broker: Broker, tmp_path: Path) -> None:
    saved(broker, tmp_path / "new", 1)
    opened = saved(broker, tmp_path / "new", 2).open(Engine(), broker.store)
    assert opened is not None
    assert (len(opened[0]), opened[1]) == (1, 2)
    assert sorted(each.name for each in (tmp_path / "new").iterdir()) == ["engine-2", "engine-2.json"]


def test_other_users_cannot_read_a_snapshot(broker: Broker, tmp_path: Path) -> None:
    saved(broker, tmp_path / "new", 1)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_a_folder_without_snapshots_has_none(broker: Broker, tmp_path: Path) -> None:
    assert EngineSnapshots(tmp_path / "nothing").open(Engine(), broker.store) is None


def test_a_damaged_snapshot_is_refused(broker: Broker, tmp_path: Path) -> None:
    snapshots = saved(broker, tmp_path)
    largest = max(
        (each for each in (tmp_path / "engine-2").rglob("*") if each.is_file()), key=lambda at: at.stat().st_size
    )
    largest.write_bytes(largest.read_bytes()[:-1])
    assert snapshots.open(Engine(), broker.store) is None
    shutil.rmtree(tmp_path / "engine-2")
    assert snapshots.open(Engine(), broker.store) is None
    (tmp_path / "engine-2.json").write_text("{")
    assert snapshots.open(Engine(), broker.store) is None


def test_a_snapshot_of_other_settings_or_another_taxonomy_is_refused(broker: Broker, tmp_path: Path) -> None:
    snapshots = saved(broker, tmp_path)
    assert snapshots.open(Engine(row_limit=5), broker.store) is None
    assert snapshots.open(Engine(taxonomy=Taxonomy([("urn:a", "urn:b")])), broker.store) is None


def test_a_snapshot_of_another_database_is_refused(broker: Broker, tmp_path: Path) -> None:
    snapshots = saved(broker, tmp_path)
    with memory_broker() as other:
        for _ in range(3):
            other.subscribe(about("a"))
        assert snapshots.open(Engine(), other.store) is None
    number = broker.store.read(change_rows.store_number)
    broker.store.write(
        lambda connection: connection.execute(counters.update().where(counters.c.value == number).values(value=1))
    )
    assert snapshots.open(Engine(), broker.store) is None


def test_a_snapshot_from_before_a_restored_backup_is_refused(broker: Broker, tmp_path: Path) -> None:
    snapshots = saved(broker, tmp_path)
    broker.store.write(
        lambda connection: connection.execute(changes.update().where(changes.c.number == 2).values(at=0.0))
    )
    assert snapshots.open(Engine(), broker.store) is None
    broker.store.write(lambda connection: connection.execute(changes.delete()))
    assert snapshots.open(Engine(), broker.store) is None
    assert not snapshots.save(Engine(), 1, broker.store)


def test_a_folder_that_cannot_be_written_is_logged(
    broker: Broker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    assert not EngineSnapshots(tmp_path / "file").save(Engine(), 2, broker.store)
    assert "the engine was not saved" in caplog.text


def test_a_process_that_is_killed_while_it_saves_leaves_the_snapshot_before(
    broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(broker, tmp_path, 1)
    for place in ("write_atomically", "Engine.save"):
        with monkeypatch.context() as killed:
            killed.setattr(f"gtopss.broker.engine_snapshots.{place}", _killed)
            with pytest.raises(KeyboardInterrupt):
                saved(broker, tmp_path, 2)
        opened = EngineSnapshots(tmp_path).open(Engine(), broker.store)
        assert opened is not None
        assert opened[1] == 1
    saved(broker, tmp_path, 2)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["engine-2", "engine-2.json"]


def _killed(*given: object) -> None:
    raise KeyboardInterrupt
