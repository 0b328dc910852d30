"""Run `gtopss pipeline` and kill it, with all its processes, some time after a step of its stream.

    python -m support.killed_pipeline STEPS SECONDS [argument of gtopss pipeline]...

The steps of a batch are: begun, matches written, errors written, complete. A timer of the kernel sends the signal, so
that the kill may come at any moment of Spark's own work. The process must lead a session of its own.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from typing import ParamSpec, TypeVar

from gtopss.cli.commands import app
from gtopss.spark.io.batch_log import BatchLog
from gtopss.spark.jobs import stream

P = ParamSpec("P")
T = TypeVar("T")


def counted(function: Callable[P, T], steps_left: Iterator[int], seconds: float) -> Callable[P, T]:
    """Return the function, such that the timer is started when the last of the steps has returned."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        result = function(*args, **kwargs)
        if next(steps_left) == 0:
            signal.setitimer(signal.ITIMER_REAL, seconds)
        return result

    return run


if __name__ == "__main__":
    assert os.getsid(0) == os.getpid(), "the kill would reach the processes of the caller"
    steps, seconds = int(sys.argv[1]), float(sys.argv[2])
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(0, signal.SIGKILL))
    steps_left = iter(range(steps - 1, -10_000, -1))
    BatchLog.begin = counted(BatchLog.begin, steps_left, seconds)  # type: ignore[method-assign]
    BatchLog.complete = counted(BatchLog.complete, steps_left, seconds)  # type: ignore[method-assign]
    stream.write_table = counted(stream.write_table, steps_left, seconds)
    app(["pipeline", *sys.argv[3:]])
