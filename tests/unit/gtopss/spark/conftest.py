"""One session for all tests of this folder: a JVM takes ten seconds to be ready, and there is one in a process."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from pyspark.sql import SparkSession

from gtopss.spark.runtime.graphframes_jars import jars_available
from gtopss.spark.runtime.session import has_graphframes, spark_session

HERE = str(Path(__file__).parent)
sys.path.append(HERE)  # what tests share, here and in the executors
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "tests"), HERE, *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """With motifs where GraphFrames' JVM part is on this machine."""
    quick = {"spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}  # much is run, little twice
    session = spark_session("local[2]", app="tests", motifs=jars_available(), config=quick)
    yield session
    session.stop()


@pytest.fixture
def motifs(spark: SparkSession) -> None:
    """For whoever needs GraphFrames' JVM part."""
    if not has_graphframes(spark):
        pytest.skip("GraphFrames' JVM part is not here: `gtopss spark fetch-jars`, or GTOPSS_GRAPHFRAMES_JAR")
