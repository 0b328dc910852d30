from __future__ import annotations

import sys

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.spark.errors import SessionMismatch
from gtopss.spark.runtime.session import has_graphframes, is_local, spark_session


def test_the_running_session_is_returned_or_refused_by_its_master(spark: SparkSession) -> None:
    assert spark_session() is spark
    assert spark_session("local[2]") is spark
    with pytest.raises(SessionMismatch, match=r"master local\[2\] is running: stop it"):
        spark_session("local[7]")


def test_a_session_without_graphframes_is_refused_if_they_are_needed(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gtopss.spark.runtime.session.has_graphframes", lambda session: False)
    with pytest.raises(SessionMismatch, match="no GraphFrames"):
        spark_session(graphframes=True)


def test_timestamps_are_utc_and_executors_run_the_same_python(spark: SparkSession) -> None:
    assert is_local(spark)
    assert has_graphframes(spark) is ("graphframes" in (spark.conf.get("spark.jars", "") or ""))
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    python = F.udf(lambda _: sys.executable)
    assert [row[0] for row in spark.range(1).select(python("id")).collect()] == [sys.executable]
