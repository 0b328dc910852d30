from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import ROOT

from gtopss.experiments.benchmark.reading_speed import measure_reading
from gtopss.experiments.workloads.generated_feeds import FORMATS, generate_feeds
from gtopss.reading.documents import read_document


def test_generated_feeds_are_the_same_in_each_run_and_have_items_of_one_to_four_kilobytes() -> None:
    feeds = list(generate_feeds(3, seed=1, items_per_feed=5))
    assert feeds == list(generate_feeds(3, seed=1, items_per_feed=5))
    for name, data in feeds:
        read = read_document(data, source=name)
        assert len(read.publications) == 5
        assert not read.warnings
        assert 1_000 < len(data) / 5 < 4_500
    assert len(FORMATS) == 3


def test_a_missing_peer_is_left_out_with_a_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "fastfeedparser", None)
    name = "nasa-liftoff.rss20.xml"
    (tmp_path / name).write_bytes((ROOT / "data" / "feeds" / name).read_bytes())
    rows = measure_reading(tmp_path, generated=3, seed=1)
    assert [row.what for row in rows] == [
        name, *(f"generated {each}" for each in FORMATS), "3 generated feeds", "3 generated feeds, isolated",
        "gtopss filter, 1,000 keyword subscriptions",
    ]  # fmt: skip
    missing = rows[-3]
    assert "needs 500 feeds" in (rows.pop().left_out or "")
    assert (missing.peer, missing.met) == ("fastfeedparser", None)
    assert "not installed" in (missing.left_out or "")
    assert all(row.peer_us for row in rows if row is not missing)
