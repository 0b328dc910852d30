"""The one place where a Spark session is made, with what the rest of this package relies on.

- Times are UTC, and the executors run this very Python, with this very gtopss on their path.
- GraphFrames' jars are given to the JVM when it starts, or never: so they are looked for before that, and what is
  missing is said in one line.
- Few partitions after a shuffle: the tables of one machine are small, and a task costs more than its rows.
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

_HERE = Path(__file__).parent
_ROOT = Path(gtopss.__file__).parent.parent
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4096",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_HERE / 'log4j2.properties'}",
    "spark.executorEnv.PYTHONWARNINGS": "ignore::FutureWarning",  # PySpark's, about pandas; we hand it Arrow only
}


def spark_session(
    master: str | None = None,
    *,
    app: str = "gtopss",
    motifs: bool = False,
    jar: Path | str | None = None,
    config: Mapping[str, str] | None = None,
) -> SparkSession:
    """The running session, or a new one. Without a master it is what `spark-submit` says, else this machine's cores.

    With `motifs`, GraphFrames' JVM part is there too: from `jar` (a file, a folder or coordinates), or as
    `gtopss.spark.runtime.graphframes_jars` finds it. MissingJar says what to do where it is not found.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        return _checked(running, master, motifs)
    settings = dict(_SETTINGS)
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    settings["spark.executorEnv.PYTHONPATH"] = os.pathsep.join(dict.fromkeys([str(_ROOT), *filter(None, path)]))
    if motifs:
        settings["spark.jars"] = ",".join(map(str, find_jars(jar)))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(app)
    if master is None and not _is_submitted():  # what was said to spark-submit counts
        master = "local[*]"
    if master is not None:
        builder = builder.master(master)
        if master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # nobody outside has business with it
    for name, value in (settings | dict(config or {})).items():
        builder = builder.config(name, value)
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
    return builder.getOrCreate()


def has_graphframes(spark: SparkSession) -> bool:
    """Whether GraphFrames' JVM part is in this session."""
    return "graphframes" in (spark.conf.get("spark.jars", "") or "")


def is_local(spark: SparkSession) -> bool:
    """Whether the executors are in this machine's one JVM, and so see its files."""
    return str(spark.conf.get("spark.master", "")).startswith("local")


def _checked(running: SparkSession, master: str | None, motifs: bool) -> SparkSession:
    if motifs and not has_graphframes(running):
        raise SessionMismatch(
            "the running session has no GraphFrames: stop it, and ask for motifs before the first one"
        )
    if master is not None and master != running.conf.get("spark.master"):
        said = running.conf.get("spark.master")
        raise SessionMismatch(f"a session with master {said} is running: stop it before you ask for {master}")
    return running


def _is_submitted() -> bool:
    """Whether spark-submit started this process, and with it the JVM."""
    return "PYSPARK_GATEWAY_PORT" in os.environ
