"""Create the Spark session, with the settings that the rest of this package relies on.

- Timestamps are UTC. The executors run the same Python as the driver, with the same gtopss on their path.
- A JVM accepts GraphFrames' jars only when it starts. They are therefore looked up first, and a missing jar is reported
  in one line.
- A shuffle makes few partitions: tables on one machine are small, and a task costs more than its rows.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession

import gtopss
from gtopss.spark.errors import SessionMismatch
from gtopss.spark.runtime.graphframes_jars import find_jars

_LOGGING = Path(__file__).parent / "log4j2.properties"
_ROOT = Path(gtopss.__file__).parent.parent
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4096",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_LOGGING}",
    "spark.executorEnv.PYTHONWARNINGS": "ignore::FutureWarning",  # PySpark's, about pandas; only Arrow is used here
}


def spark_session(
    master: str | None = None,
    *,
    app: str = "gtopss",
    graphframes: bool = False,
    jar: Path | str | None = None,
    config: Mapping[str, str] | None = None,
) -> SparkSession:
    """Return the running session, or start one.

    Without a master, `spark-submit` decides; without `spark-submit`, all cores of this machine are used. With
    `graphframes`, the session loads GraphFrames' JVM part from `jar` (a file, a folder or Maven coordinates), or from
    where `find_jars` finds it. Raises MissingJar if it is not found, and SessionMismatch if the running session has
    another master or lacks GraphFrames.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        return _check_running(running, master, graphframes)
    settings = dict(_SETTINGS)
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    settings["spark.executorEnv.PYTHONPATH"] = os.pathsep.join(dict.fromkeys([str(_ROOT), *filter(None, path)]))
    if graphframes:
        settings["spark.jars"] = ",".join(map(str, find_jars(jar)))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(app)
    if master is None and not _started_by_spark_submit():  # the master named to spark-submit wins
        master = "local[*]"
    if master is not None:
        builder = builder.master(master)
        if master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # no other machine needs to reach the driver
    for name, value in (settings | dict(config or {})).items():
        builder = builder.config(name, value)
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
    return builder.getOrCreate()


def has_graphframes(spark: SparkSession) -> bool:
    """Return whether the session has loaded GraphFrames' JVM part."""
    return "graphframes" in (spark.conf.get("spark.jars", "") or "")


def is_local(spark: SparkSession) -> bool:
    """Return whether the executors run in the driver's JVM, and so see the driver's files."""
    return str(spark.conf.get("spark.master", "")).startswith("local")


def _check_running(running: SparkSession, master: str | None, graphframes: bool) -> SparkSession:
    if graphframes and not has_graphframes(running):
        raise SessionMismatch("the running session has no GraphFrames: stop it, then ask for one with graphframes=True")
    if master is not None and master != running.conf.get("spark.master"):
        current = running.conf.get("spark.master")
        raise SessionMismatch(f"a session with master {current} is running: stop it before you ask for {master}")
    return running


def _started_by_spark_submit() -> bool:
    return "PYSPARK_GATEWAY_PORT" in os.environ
