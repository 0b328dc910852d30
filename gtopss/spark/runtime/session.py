"""Create the Spark session, with the settings that the rest of this package relies on.

- Timestamps are UTC. The executors run the same Python as the driver, with the same gtopss on their path.
- A JVM accepts GraphFrames' jars only when it starts. They are therefore looked up first, and a missing jar is reported
  in one line.
- On one machine, a shuffle makes as many partitions as there are cores: tables are small there, and a task costs more
  than its rows. On a cluster, Spark's own default applies, which adaptive execution reduces for small tables.
- On one machine, no task waits for a preferred host. Spark looks at waiting tasks there only when another task ends, so
  that a task that prefers a host of HDFS would wait for ever if it is the last one.
- What the user has configured wins: `--conf`, `--packages` and `--jars` of spark-submit, `PYSPARK_SUBMIT_ARGS`, and
  `spark-defaults.conf`. The settings of this module are defaults.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

import gtopss
from gtopss.spark.errors import SessionMismatch, SparkJobFailed
from gtopss.spark.failures import NO_JAVA, spark_errors
from gtopss.spark.runtime.deferred_signals import signals_deferred
from gtopss.spark.runtime.graphframes_jars import find_jars

_LOGGING = Path(__file__).parent / "log4j2.properties"
_ROOT = Path(gtopss.__file__).parent.parent
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4096",
    "spark.sql.constraintPropagation.enabled": "false",  # it slows queries of many joins down, and removes none here
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_LOGGING}",
    "spark.executorEnv.PYTHONWARNINGS": "ignore::FutureWarning",  # PySpark's, about pandas; only Arrow is used here
}
_SHUFFLE_PARTITIONS = "spark.sql.shuffle.partitions"
MIN_SHUFFLE_PARTITIONS = 4  # on one machine with fewer cores: the rows of one key may be many

_JAR_SETTINGS = ("spark.jars", "spark.jars.packages", "spark.driver.extraClassPath")
_SUBMIT_OPTIONS = {
    "--packages": "spark.jars.packages",
    "--jars": "spark.jars",
    "--driver-java-options": "spark.driver.extraJavaOptions",
    "--driver-class-path": "spark.driver.extraClassPath",
    "--master": "spark.master",
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
    where `find_jars` finds it. Raises MissingJar if it is not found, SessionMismatch if the running session has
    another master or lacks GraphFrames, and SparkJobFailed if Spark cannot start.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        return _check_running(running, master, graphframes)
    _require_java()
    configured = _configured_by_user()
    settings = dict(_SETTINGS)
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    settings["spark.executorEnv.PYTHONPATH"] = os.pathsep.join(dict.fromkeys([str(_ROOT), *filter(None, path)]))
    if "log4j" in str(configured) or _started_by_spark_submit():
        del settings["spark.driver.extraJavaOptions"]  # its JVM runs already, or the user configures logging
    jars: list[str] = []
    if graphframes and not any("graphframes" in configured.get(name, "") for name in _JAR_SETTINGS):
        jars = list(map(str, find_jars(jar)))
        settings["spark.jars"] = ",".join(filter(None, [configured.pop("spark.jars", ""), *jars]))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(app)
    if master is None and "spark.master" not in configured and not _started_by_spark_submit():
        master = "local[*]"
    if (master or configured.get("spark.master", "")).startswith("local"):
        settings["spark.locality.wait"] = "0"
    if master is not None:
        builder = builder.master(master)
        if master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # no other machine needs to reach the driver
    defaults = {name: value for name, value in settings.items() if name not in configured}
    for name, value in (defaults | dict(config or {})).items():
        builder = builder.config(name, value)
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
    with spark_errors():
        if SparkContext._gateway is None and not _started_by_spark_submit():
            _start_jvm(defaults | dict(config or {}) | ({"spark.master": master} if master is not None else {}))
        session = builder.getOrCreate()
    if is_local(session) and _SHUFFLE_PARTITIONS not in {*configured, *(config or {})}:
        session.conf.set(_SHUFFLE_PARTITIONS, max(MIN_SHUFFLE_PARTITIONS, session.sparkContext.defaultParallelism))
    if graphframes and not has_graphframes(session):
        _load_jars(session, jars)
    return session


def _start_jvm(settings: Mapping[str, str]) -> None:
    """Start the JVM. A signal waits until it runs.

    A running JVM ends with this process. One that is left while it starts may stay: it cannot report that it runs, and
    never reads that its input has ended.
    """
    conf = SparkConf()
    for name, value in settings.items():
        conf.set(name, value)
    with signals_deferred():
        SparkContext._ensure_initialized(conf=conf)


def has_graphframes(spark: SparkSession) -> bool:
    """Return whether the JVM of the session can load GraphFrames, wherever its jar came from."""
    return can_load_class(spark, "org.graphframes.GraphFrame")


def can_load_class(spark: SparkSession, name: str) -> bool:
    """Return whether the driver's JVM can load a class."""
    loader = spark._jvm.Thread.currentThread().getContextClassLoader()  # type: ignore[union-attr]
    try:
        loader.loadClass(name)
    except Exception:  # Java's ClassNotFoundException
        return False
    return True


def _load_jars(session: SparkSession, jars: list[str]) -> None:
    """Add jars to a JVM that runs already, as under spark-submit: the driver's class loader takes further jars.

    The executors get them by `spark.jars`.
    """
    jvm: Any = session._jvm
    loader = jvm.Thread.currentThread().getContextClassLoader()
    for jar in jars:
        loader.addURL(jvm.java.io.File(jar).toURI().toURL())
    if not has_graphframes(session):
        raise SessionMismatch("GraphFrames cannot be loaded into this JVM: give its jar to spark-submit by --jars")


def _require_java() -> None:
    """Raise SparkJobFailed if the JVM cannot be started. Spark's script would print errors of the shell first."""
    if SparkContext._gateway is not None or _started_by_spark_submit():
        return
    home = os.environ.get("JAVA_HOME")
    if shutil.which(os.path.join(home, "bin", "java") if home else "java") is None:
        raise SparkJobFailed(f"Spark: {NO_JAVA}")


def _configured_by_user() -> dict[str, str]:
    """Return the settings that the user has made for the session that is about to start."""
    if SparkContext._gateway is not None or _started_by_spark_submit():
        SparkContext._ensure_initialized()
        return dict(SparkConf().getAll())
    found: dict[str, str] = {}
    folder = os.environ.get("SPARK_CONF_DIR") or os.path.join(os.environ.get("SPARK_HOME", ""), "conf")
    defaults = Path(folder) / "spark-defaults.conf"
    if defaults.is_file():
        for line in defaults.read_text(errors="replace").splitlines():
            name, _, setting = re.sub(r"[\s=]+", " ", line.strip(), count=1).partition(" ")
            if name.startswith("spark."):
                found[name] = setting
    arguments = iter(shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "")))
    for argument in arguments:
        option, _, value = argument.partition("=")
        if option in ("--conf", "-c"):
            name, _, setting = (value or next(arguments, "")).partition("=")
            found[name] = setting
        elif option in _SUBMIT_OPTIONS:
            found[_SUBMIT_OPTIONS[option]] = value or next(arguments, "")
    return found


def is_local(spark: SparkSession) -> bool:
    """Return whether the executors run in the driver's JVM, and so see the driver's files."""
    return str(spark.conf.get("spark.master", "")).startswith("local")


def use_this_python(spark: SparkSession) -> None:
    """Let the workers of a local session run this Python, unless the user has chosen another one.

    By default, PySpark runs the `python3` of PATH, which may lack the packages that the driver has.
    """
    chosen = os.environ.get("PYSPARK_PYTHON") or spark.conf.get("spark.pyspark.python", None)
    if is_local(spark) and not chosen:
        spark.sparkContext.pythonExec = sys.executable


def _check_running(running: SparkSession, master: str | None, graphframes: bool) -> SparkSession:
    if graphframes and not has_graphframes(running):
        raise SessionMismatch("the running session has no GraphFrames: stop it, then ask for one with graphframes=True")
    if master is not None and master != running.conf.get("spark.master"):
        current = running.conf.get("spark.master")
        raise SessionMismatch(f"a session with master {current} is running: stop it before you ask for {master}")
    return running


def _started_by_spark_submit() -> bool:
    return "PYSPARK_GATEWAY_PORT" in os.environ
