from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from gtopss import Engine
from gtopss.spark.io.batch_log import BatchLog, BatchStart, CompletedBatch
from gtopss.spark.runtime.engine_versions import EngineVersions


def write(folder: Path, **queries: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, query in queries.items():
        (folder / f"{name}.rq").write_text(query)
    return folder


def test_a_version_is_made_when_the_files_change_and_only_then(tmp_path: Path) -> None:
    files = write(tmp_path / "subscriptions", a="ASK { ?x <urn:p> ?y }", bad="ASK {")
    versions = EngineVersions(tmp_path / "versions", files)
    first = versions.newest()
    assert versions.newest() == first == EngineVersions(tmp_path / "versions", files).newest()
    assert [row["subscription_id"] for row in versions.refused(first)] == ["bad"]
    write(files, b="ASK { ?x <urn:q> ?y }")
    second = versions.newest()
    assert second != first
    assert len(Engine.open(versions.path(first))) == 1
    assert len(Engine.open(versions.path(second))) == 2
    versions.delete_except([first])
    assert not versions.path(second).exists()
    assert versions.newest() == second
    assert versions.path(second).exists()


def test_a_saved_engine_outlives_its_successor(tmp_path: Path) -> None:
    engine = Engine()
    engine.add("ASK { ?x <urn:p> ?y }", id="a")
    engine.save(tmp_path / "saved")
    versions = EngineVersions(tmp_path / "versions", tmp_path / "saved")
    first = versions.newest()
    engine.add("ASK { ?x <urn:q> ?y }", id="b")
    engine.save(tmp_path / "saved")
    second = versions.newest()
    assert [len(Engine.open(versions.path(each))) for each in (first, second)] == [1, 2]


def test_a_batch_keeps_the_version_and_the_time_that_it_was_begun_with(tmp_path: Path) -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    batches = BatchLog(tmp_path, clock=lambda: noon)
    assert batches.begin(7, "old") == BatchStart("old", noon)
    assert BatchLog(tmp_path).begin(7, "new") == BatchStart("old", noon)
    assert BatchLog(tmp_path).begin(8, "new").at > noon
    assert batches.completed() == []
    done = CompletedBatch(7, "old", publications=1, matches=2, errors=3, seconds=0.5, finished_at="now")
    batches.complete(done)
    assert batches.completed() == [done]
