"""Send functions to the executors such that a worker without gtopss says so in one sentence.

Spark sends a function of a module by its name. A worker that lacks the module would fail while it unpacks the function,
with a traceback of Spark's own modules. The function of this module is sent by value: it needs nothing but Python, and
unpacks the rest itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pyarrow as pa
from pyspark import cloudpickle

_dumps: Callable[[object], bytes] = cloudpickle.dumps
ArrowFunction: TypeAlias = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def worker_function(function: Callable[..., Iterator[pa.RecordBatch]], *arguments: object) -> ArrowFunction:
    """Return a function for `mapInArrow` that calls `function(*arguments, batches)` in the executors."""
    namespace: dict[str, Any] = {"__name__": "__gtopss_worker__"}  # no module: it is sent by value
    exec(_SOURCE, namespace)
    made: ArrowFunction = namespace["make"](_dumps((function, arguments)))
    return made


_SOURCE = """
def make(packed):
    def run(batches):
        import pickle
        import sys

        try:
            function, arguments = pickle.loads(packed)
        except ImportError as error:
            import platform

            raise RuntimeError(
                "gtopss: the worker " + platform.node() + " runs " + sys.executable + ", which lacks "
                + str(error.name or error) + ": install gtopss[spark] there, name a Python that has it by "
                "PYSPARK_PYTHON, or send an archive (docs/spark.md, A cluster)"
            ) from None
        return function(*arguments, batches)

    return run
"""
