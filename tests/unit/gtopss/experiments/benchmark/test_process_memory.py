"""Memory per subscription."""

from __future__ import annotations

import pytest

from gtopss.experiments.benchmark.process_memory import measure_memory


@pytest.mark.slow
def test_memory_is_per_subscription() -> None:
    assert measure_memory("reference", 2_000).process_bytes > 0
