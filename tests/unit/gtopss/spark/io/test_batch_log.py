from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from gtopss.spark.io.batch_log import BatchLog, BatchStart, CompletedBatch


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
