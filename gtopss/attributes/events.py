"""Events: attributes, each with the set of its values (Le Subscribe, section 2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from gtopss.attributes.domains import Value

Values: TypeAlias = frozenset[Value]


@dataclass(frozen=True, slots=True, init=False)
class Event:
    """One event; a single value may be given bare. An attribute without values is one that the event lacks.

    >>> Event({"price": 200, "material": ["oak"], "period": []}).values == {
    ...     "price": frozenset({200}), "material": frozenset({"oak"})}
    True
    """

    values: Mapping[str, Values]

    def __init__(self, values: Mapping[str, Value | Iterable[Value]]) -> None:
        made = {name: _values(given) for name, given in values.items()}
        object.__setattr__(self, "values", {name: given for name, given in made.items() if given})

    @property
    def single(self) -> bool:
        """Whether no attribute has several values, so that there is one binding only."""
        return all(len(given) == 1 for given in self.values.values())


def _values(given: Value | Iterable[Value]) -> Values:
    return frozenset((given,)) if isinstance(given, (str, int, float)) else frozenset(given)
