from __future__ import annotations

import pytest
from pyspark.errors import PySparkException, PySparkRuntimeError

from gtopss.spark.errors import MissingSource, SparkJobFailed
from gtopss.spark.failures import job_failure, spark_errors

IN_A_WORKER = """An exception was thrown from the Python worker. Please see the stack trace below.
Traceback (most recent call last):
  File "worker.py", line 2200, in main
    process()
FileNotFoundError: [Errno 2] No such file or directory: '/data/a.rss'
"""
LACKS_GTOPSS = """Job aborted: Lost task 0.3: org.apache.spark.api.python.PythonException:
Traceback (most recent call last):
RuntimeError: gtopss: the worker w1 runs /usr/bin/python3, which lacks gtopss: install gtopss[spark] there

\tat org.apache.spark.Task
"""
LACKS_PYSPARK = """Job aborted: Lost task 0.3: org.apache.spark.SparkException:
Error from python worker:
  /opt/python3: Error while finding module 'pyspark.daemon' (ModuleNotFoundError: No module named 'pyspark')
PYTHONPATH was:
  /spark/python/lib/pyspark.zip
org.apache.spark.SparkException: EOFException occurred while reading the port number from pyspark.daemon's stdout..
"""
IN_JAVA = """An error occurred while calling o42.parquet.
: org.apache.spark.SparkException: Job aborted.
\tat org.apache.spark.A.b(A.scala:1)
Caused by: java.io.IOException: Mkdirs failed to create file:/proc/out
\tat java.base/java.lang.Thread.run(Thread.java:840)
"""
NO_MASTER = """An error occurred while calling None.org.apache.spark.sql.classic.SparkSession.
: java.lang.IllegalStateException: Cannot call methods on a stopped SparkContext.
This stopped SparkContext was created at:
"""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (IN_A_WORKER, "Spark: FileNotFoundError: [Errno 2] No such file or directory: '/data/a.rss'"),
        (LACKS_GTOPSS, "the worker w1 runs /usr/bin/python3, which lacks gtopss: install gtopss[spark] there"),
        (LACKS_PYSPARK, "the workers run /opt/python3, which lacks pyspark: install gtopss[spark] there"),
        (IN_JAVA, "Spark: Mkdirs failed to create file:/proc/out"),
        (f"{IN_JAVA}Caused by: java.io.IOException: No space left on device", "Spark: no space is left on a disk"),
        ("[JAVA_GATEWAY_EXITED] Java gateway process exited", "Spark: Java could not be started: install Java 17"),
        ("Could not parse Master URL: 'sparky://x'", "Spark: Spark does not know this master"),
        (NO_MASTER, "Spark: the master does not answer"),
        ("", "Spark: a job failed without a message"),
    ],
)
def test_a_failure_is_one_line(text: str, shown: str) -> None:
    said = str(job_failure(PySparkException(text)))
    assert said.startswith(shown)
    assert "\n" not in said


def test_only_sparks_errors_are_changed() -> None:
    with pytest.raises(SparkJobFailed, match="JAVA_HOME"), spark_errors():
        raise PySparkRuntimeError("JAVA_GATEWAY_EXITED: no")
    with pytest.raises(MissingSource), spark_errors():
        raise MissingSource("feeds")
    with pytest.raises(ZeroDivisionError), spark_errors():
        raise ZeroDivisionError
