from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.spark.errors import SessionMismatch, SparkJobFailed
from gtopss.spark.runtime.graphframes_jars import jars_available
from gtopss.spark.runtime.session import _configured_by_user, has_graphframes, is_local, spark_session, use_this_python


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


def test_what_the_user_configured_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    (tmp_path / "spark-defaults.conf").write_text("# a comment\nspark.ui.enabled   true\nspark.a=b c\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    arguments = "--conf spark.sql.shuffle.partitions=7 --conf=spark.x='y z' --packages io.graphframes:g:1 pyspark-shell"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments)
    assert _configured_by_user() == {
        "spark.ui.enabled": "true",
        "spark.a": "b c",
        "spark.sql.shuffle.partitions": "7",
        "spark.x": "y z",
        "spark.jars.packages": "io.graphframes:g:1",
    }


class StartedSession:
    """A session and its builder, without a JVM. `settings` is what the builder was given or was set afterwards."""

    def __init__(self, master: str, cores: int) -> None:
        self.settings: dict[str, object] = {"spark.master": master}
        self.sparkContext = SimpleNamespace(defaultParallelism=cores)
        self.conf = SimpleNamespace(get=lambda name, default: self.settings.get(name, default), set=self.config)

    def config(self, name: str, value: object) -> StartedSession:
        self.settings[name] = value
        return self

    def appName(self, name: str) -> StartedSession:  # noqa: N802
        return self

    def master(self, master: str) -> StartedSession:
        return self.config("spark.master", master)

    def getOrCreate(self) -> StartedSession:  # noqa: N802
        return self


@pytest.mark.parametrize(
    ("master", "submit_arguments", "partitions", "wait"),
    [
        ("local[64]", "", 64, "0"),
        ("local[2]", "", 4, "0"),
        ("local[64]", "--conf spark.sql.shuffle.partitions=7 --conf spark.locality.wait=1s", None, None),
        ("spark://host:7077", "", None, None),
    ],
)
def test_defaults_for_one_machine_apply_unless_the_user_decides(
    master: str, submit_arguments: str, partitions: int | None, wait: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many partitions as cores; and no task waits for a host, for which it would wait for ever on HDFS."""
    session = StartedSession(master, 2 if master == "local[2]" else 64)
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", submit_arguments)
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(SparkSession, "builder", session)
    started: dict[str, str] = {}
    monkeypatch.setattr("gtopss.spark.runtime.session._start_jvm", started.update)
    assert spark_session(master) is session
    assert started["spark.master"] == master
    assert started.get("spark.locality.wait") == wait
    assert session.settings.get("spark.sql.shuffle.partitions") == partitions
    assert session.settings.get("spark.locality.wait") == wait


@pytest.mark.parametrize("name", ["JAVA_HOME", "PATH"])
def test_without_java_nothing_is_started(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    for each in ("PYSPARK_GATEWAY_PORT", "JAVA_HOME"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv(name, str(tmp_path))
    with pytest.raises(SparkJobFailed, match="install Java 17, or set JAVA_HOME"):
        spark_session()
    assert capfd.readouterr() == ("", "")


def test_timestamps_are_utc_and_executors_run_the_same_python(spark: SparkSession) -> None:
    assert is_local(spark)
    assert has_graphframes(spark) is jars_available()
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    python = F.udf(lambda _: sys.executable)
    assert [row[0] for row in spark.range(1).select(python("id")).collect()] == [sys.executable]


def test_workers_of_a_local_session_run_the_drivers_python_unless_another_is_chosen(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "python3")
    monkeypatch.setenv("PYSPARK_PYTHON", "/opt/python3")
    use_this_python(spark)
    assert spark.sparkContext.pythonExec == "python3"
    monkeypatch.delenv("PYSPARK_PYTHON")
    use_this_python(spark)
    assert spark.sparkContext.pythonExec == sys.executable
