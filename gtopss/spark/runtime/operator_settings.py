"""Send operators to the executors' engines.

Operators are functions and not part of a saved engine; its settings (`EngineConfig`) are. They travel as Spark's own
functions do, by cloudpickle: one of a module by its name, so that the workers must have the module; one of a script, a
notebook or another function as it is, with what it refers to.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pyspark import cloudpickle

from gtopss.engine import Engine
from gtopss.operators import REGISTRY, Registry
from gtopss.spark.errors import OperatorNotSerializable

_dumps: Callable[[object], bytes] = cloudpickle.dumps


@dataclass(frozen=True, slots=True)
class OperatorSettings:
    """What `Engine.open` wants to know of operators."""

    operators: Registry

    @classmethod
    def of(cls, engine: Engine) -> OperatorSettings:
        """As this engine asks: with the operators that its subscriptions name, and no others."""
        return cls(engine.operators_in_use())

    def open(self, saved: Path | str) -> Engine:
        """A saved engine that asks so."""
        return Engine.open(saved, operators=self.operators)

    def packed(self) -> bytes:
        """For the executors. UnsentOperator names the one that cannot travel."""
        try:
            return _dumps(self)
        except Exception:
            for name, each in self.operators.items():
                _try(name, each)
            raise

    @staticmethod
    def unpacked(data: bytes) -> OperatorSettings:
        made = pickle.loads(data)
        assert isinstance(made, OperatorSettings)
        return made


DEFAULT_OPERATOR_SETTINGS = OperatorSettings(REGISTRY)
"""With the common registry."""


def _try(name: str, operator: object) -> None:
    try:
        _dumps(operator)
    except Exception as error:
        raise OperatorNotSerializable(name, error) from error
