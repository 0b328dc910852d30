"""Say in one line why Spark could not start or ended a job. Spark itself prints 50 to 200 lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import PySparkException

from gtopss.errors import GtopssError
from gtopss.spark.errors import SparkJobFailed

_JAVA_CAUSE = re.compile(r"^(?:Caused by: )?[\w.$]+(?:Exception|Error)(?:: (.*))?$", re.MULTILINE)
_PYTHON_CAUSE = re.compile(r"^(?:[\w.]+\.)?(\w+(?:Error|Exception|Interrupt|Warning)): (.*)$", re.MULTILINE)
_OWN_CAUSE = re.compile(r"(?:^|Error: )gtopss: (.+)$", re.MULTILINE)
_WORKER_LACKS = re.compile(r"Error from python worker:\s+(\S+): .*No module named '?([\w.]+)")
NO_JAVA = "Java could not be started: install Java 17, or set JAVA_HOME"
_NO_MASTER = "the master does not answer, or has ended the session: is it running, and is its address right?"
_HINTS = (
    ("JAVA_GATEWAY_EXITED", NO_JAVA),
    ("JAVA_HOME is not set", NO_JAVA),
    (
        "Could not parse Master URL",
        "Spark does not know this master: use local[*], spark://host:port, yarn or k8s://...",
    ),
    ("All masters are unresponsive", _NO_MASTER),
    ("Cannot call methods on a stopped SparkContext", _NO_MASTER),  # while a session starts: it waited in vain
    ("No space left on device", "no space is left on a disk of the driver or of a worker"),
)
_MAX_CHARACTERS = 500


def job_failure(error: BaseException) -> GtopssError:
    """Return the error to show for a failure of Spark: a GtopssError as it is, or the first cause in one line."""
    if isinstance(error, GtopssError):
        return error
    text = str(error)
    for sign, hint in _HINTS:
        if sign in text:
            return SparkJobFailed(f"Spark: {hint}")
    if own := _OWN_CAUSE.search(text):
        return SparkJobFailed(own[1])
    if lacks := _WORKER_LACKS.search(text):  # a worker process that could not even start
        return SparkJobFailed(
            f"the workers run {lacks[1]}, which lacks {lacks[2]}: install gtopss[spark] there, name a Python that has "
            "it by PYSPARK_PYTHON, or send an archive (docs/spark.md, A cluster)"
        )
    return SparkJobFailed(f"Spark: {_first_cause(text)[:_MAX_CHARACTERS]}")


def _first_cause(text: str) -> str:
    """Return the innermost cause: the last line of a Python traceback, or Java's last `Caused by`."""
    python = _PYTHON_CAUSE.findall(text)
    if "Traceback (most recent call last)" in text and python:
        return ": ".join(python[-1])
    java = [each for each in _JAVA_CAUSE.findall(text) if each]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return java[-1] if java else lines[0] if lines else "a job failed without a message"


@contextmanager
def spark_errors() -> Iterator[None]:
    """Raise what goes wrong in Spark as one line (SparkJobFailed); the whole report is its `__cause__`."""
    from py4j.protocol import Py4JError, Py4JJavaError

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        raise job_failure(error) from error
    except Py4JError as error:
        raise SparkJobFailed("Spark: the connection to its JVM was lost; its messages are above") from error
