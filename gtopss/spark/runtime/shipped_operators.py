"""Send operators to the executors' engines.

Operators are functions and not part of a saved engine; its settings (`EngineConfig`) are. They are sent as Spark sends
functions, by cloudpickle: a function of an importable module by its name, so the workers need the module; a function of
a script, a notebook or another function by value, with the objects that it refers to.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable

from pyspark import cloudpickle

from gtopss.operators import Registry
from gtopss.spark.errors import OperatorNotSerializable

_dumps: Callable[[object], bytes] = cloudpickle.dumps


def pack_operators(operators: Registry) -> bytes:
    """Pickle operators for the executors. Raises OperatorNotSerializable, which names the one that cannot be."""
    try:
        return _dumps(operators)
    except Exception:
        for name, operator in operators.items():
            _check_serializable(name, operator)
        raise


def unpack_operators(data: bytes) -> Registry:
    """Restore operators in an executor."""
    operators = pickle.loads(data)
    assert isinstance(operators, Registry)
    return operators


def _check_serializable(name: str, operator: object) -> None:
    try:
        _dumps(operator)
    except Exception as error:
        raise OperatorNotSerializable(name, error) from error
