"""How the executors' engines evaluate operators: which functions, by which strategy, within which limits.

Operators are functions and not part of a saved engine. They are sent as Spark sends functions, by cloudpickle: a
function of an importable module by its name, so the workers need the module; a function of a script, a notebook or
another function by value, with the objects that it refers to.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pyspark import cloudpickle

from gtopss.engine import Engine
from gtopss.operators import REGISTRY, Limits, Registry
from gtopss.spark.errors import OperatorNotSerializable

_dumps: Callable[[object], bytes] = cloudpickle.dumps


@dataclass(frozen=True, slots=True)
class OperatorSettings:
    """The arguments of `Engine.open` that concern operators."""

    operators: Registry
    strategy: str = "adaptive"
    limits: Limits | None = None

    @classmethod
    def of(cls, engine: Engine) -> OperatorSettings:
        """Return the settings of an engine, with only those operators that its subscriptions use."""
        return cls(engine.asked_operators(), engine.strategy, engine.operator_limits)

    def open_engine(self, saved: Path | str) -> Engine:
        """Open a saved engine with these settings."""
        return Engine.open(saved, operators=self.operators, strategy=self.strategy, operator_limits=self.limits)

    def to_bytes(self) -> bytes:
        """Pickle the settings for the executors. Raises OperatorNotSerializable, which names the operator."""
        try:
            return _dumps(self)
        except Exception:
            for name, operator in self.operators.items():
                _check_serializable(name, operator)
            raise

    @staticmethod
    def from_bytes(data: bytes) -> OperatorSettings:
        """Restore the settings in an executor."""
        settings = pickle.loads(data)
        assert isinstance(settings, OperatorSettings)
        return settings


DEFAULT_OPERATOR_SETTINGS = OperatorSettings(REGISTRY)
"""The common registry, with the default strategy and limits."""


def _check_serializable(name: str, operator: object) -> None:
    try:
        _dumps(operator)
    except Exception as error:
        raise OperatorNotSerializable(name, error) from error
