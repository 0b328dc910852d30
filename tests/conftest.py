"""Two depths of testing: `make test` runs a seeded sample, `make soak` (GTOPSS_SOAK=1) everything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SOAK = os.environ.get("GTOPSS_SOAK") == "1"
ROOT = Path(__file__).parent.parent

settings.register_profile(
    "sample", derandomize=True, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("soak", settings.get_profile("sample"), derandomize=False, max_examples=2_000)
settings.load_profile("soak" if SOAK else "sample")


@pytest.fixture(scope="session")
def data() -> Path:
    """The shipped data."""
    return ROOT / "data"
