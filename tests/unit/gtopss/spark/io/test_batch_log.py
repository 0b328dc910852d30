from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gtopss.errors import GtopssError, ResourceInUse
from gtopss.spark.io.batch_log import BatchLog, BatchStart, CompletedBatch

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
DONE = CompletedBatch(7, "old", publications=1, matches=2, errors=3, seconds=0.5, finished_at="now")


def test_a_batch_keeps_what_it_was_begun_with(tmp_path: Path) -> None:
    batches = BatchLog(tmp_path, clock=lambda: NOON)
    old = BatchStart("old", NOON, 3, 9, (5, 6))
    assert batches.begin(7, lambda now: BatchStart("old", now, 3, 9, (5, 6))) == old
    assert BatchLog(tmp_path).begin(7, lambda now: BatchStart("new", now, 9, 10)) == old
    assert BatchLog(tmp_path).begin(8, lambda now: BatchStart("new", now, 9, 10)).at > NOON
    assert batches.completed() == []
    assert batches.read_through() == 0
    batches.complete(DONE)
    assert batches.completed() == [DONE]
    assert batches.read_through() == 9


def test_a_stream_that_lost_its_folder_completes_nothing(tmp_path: Path) -> None:
    first = BatchLog(tmp_path)
    with first.lock():
        (tmp_path / "batches" / "writer").write_text("another stream, on a file system without locks")
        with pytest.raises(ResourceInUse):
            first.complete(DONE)
    assert first.completed() == []


def test_a_log_without_document_numbers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "batches").mkdir()
    (tmp_path / "batches" / "0000000000.begun").write_text(json.dumps({"version": "v", "at": NOON.isoformat()}))
    with pytest.raises(GtopssError, match="an earlier version of gtopss"):
        BatchLog(tmp_path).start_of(0)
