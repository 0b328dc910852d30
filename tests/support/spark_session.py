"""One Spark session for all tests of a run: a JVM takes ten seconds to start, and a process can have only one.

`tests/conftest.py` makes these fixtures visible in every test folder. Nothing of Spark is imported, and no JVM is
started, before a test asks for `spark`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TESTS = Path(__file__).parent.parent
QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"  # most code runs once: compiling it well never pays
SMALL_JOBS = {
    "spark.driver.defaultJavaOptions": QUICK_JVM,
    "spark.sql.shuffle.partitions": "2",  # two, not one: rows of one publication must still find each other
    "spark.default.parallelism": "2",
    "spark.sql.adaptive.enabled": "false",  # it plans a query once for each of its stages
    "spark.sql.codegen.wholeStage": "false",  # each query runs once: compiling it takes longer than interpreting it
    "spark.ui.enabled": "false",
}
"""Settings for queries over a few rows. The soak run uses the settings of `spark_session` instead."""


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Start the session, with GraphFrames if its JVM part is on this machine."""
    from conftest import SOAK

    from gtopss.spark.runtime.graphframes_jars import jars_available
    from gtopss.spark.runtime.session import spark_session

    path = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(path)  # the executors import `support`, too
    config = {"spark.driver.defaultJavaOptions": QUICK_JVM} if SOAK else SMALL_JOBS
    session = spark_session("local[2]", app="tests", graphframes=jars_available(), config=config)
    yield session
    session.stop()


@pytest.fixture
def graphframes(spark: SparkSession) -> None:
    """Skip the test unless the session has GraphFrames."""
    from gtopss.spark.runtime.session import has_graphframes

    if not has_graphframes(spark):
        pytest.skip("GraphFrames' JVM part is not here: run `gtopss spark fetch-jars`, or set GTOPSS_GRAPHFRAMES_JAR")


def uses_spark(item: pytest.Item, root: Path) -> bool:
    """Return whether a test belongs to Spark: by its folder below `root`, or by the `spark` fixture."""
    in_folder = "spark" in item.path.relative_to(root).parts or item.path.name in ("test_spark.py", "test_pipeline.py")
    return in_folder or "spark" in getattr(item, "fixturenames", ())
