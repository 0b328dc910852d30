"""Two depths of testing: `make test` runs a seeded sample, `make soak` (GTOPSS_SOAK=1) everything."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support.postgresql_server import postgresql
from support.spark_session import graphframes, spark, uses_spark
from support.stores import store, store_url

SOAK = os.environ.get("GTOPSS_SOAK") == "1"
ROOT = Path(__file__).parent.parent

settings.register_profile(
    "sample", derandomize=True, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("soak", settings.get_profile("sample"), derandomize=False, max_examples=2_000)
settings.load_profile("soak" if SOAK else "sample")


__all__ = ["graphframes", "postgresql", "spark", "store", "store_url"]  # fixtures that every test folder may ask for


SLOW_PLACES = tuple(ROOT / "tests" / name for name in ("attacks", "browser", "differential", "test_examples.py"))
"""Folders and files whose tests are all slow. A single slow test elsewhere is marked where it stands."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark Spark's tests and the slow ones. `-m "not spark"` starts no JVM for Spark."""
    for item in items:
        if uses_spark(item, ROOT):
            item.add_marker(pytest.mark.spark)
        if any(item.path.is_relative_to(place) for place in SLOW_PLACES):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Compile the kernels before the workers of `pytest -n` start, or each worker would compile them for itself."""
    from gtopss.matching.index.warmup import compile_kernels

    compile_kernels()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Replace lone surrogates in captured output: the workers of `pytest -n` cannot send a report that has one."""
    report = yield
    report.sections = [(name, text.encode("utf-8", "replace").decode()) for name, text in report.sections]
    return report


@pytest.fixture(scope="session")
def data() -> Path:
    """The shipped data."""
    return ROOT / "data"
