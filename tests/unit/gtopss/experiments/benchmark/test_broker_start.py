from __future__ import annotations

from pathlib import Path

import pytest

from gtopss.experiments.benchmark.broker_start import CHANGES_AFTER_SNAPSHOT, prepare, start


@pytest.mark.slow
def test_a_broker_starts_from_the_snapshot_and_the_log(tmp_path: Path) -> None:
    prepare(tmp_path / "prepared", 500)
    measured = start(tmp_path / "prepared")
    assert measured["subscriptions"] == 500 + CHANGES_AFTER_SNAPSHOT
