"""Bytes to matches."""

from __future__ import annotations

from gtopss.experiments.benchmark.end_to_end import measure_end_to_end


def test_times_are_per_item() -> None:
    assert measure_end_to_end("reference", 100, items=5).parse_ms > 0
