"""Events: attributes, each with the set of its values (Le Subscribe, section 2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from gtopss.attributes.domains import Value

Values: TypeAlias = frozenset[Value]


@dataclass(frozen=True, slots=True, init=False)
class Event:
    """One event. A single value needs no list. An attribute with no values counts as missing in matching.

    >>> Event({"price": 200, "material": ["oak"], "period": []}).values == {
    ...     "price": frozenset({200}), "material": frozenset({"oak"})}
    True
    """

    values: Mapping[str, Values]
    named: frozenset[str] = field(compare=False)
    """All attributes that were given, also those with no values, which an event instance may have."""

    def __init__(self, values: Mapping[str, Value | Iterable[Value]]) -> None:
        made = {name: _values(given) for name, given in values.items()}
        object.__setattr__(self, "values", {name: given for name, given in made.items() if given})
        object.__setattr__(self, "named", frozenset(made))

    @property
    def is_single_valued(self) -> bool:
        """Whether every attribute has one value, so there is only one binding."""
        return all(len(given) == 1 for given in self.values.values())


def _values(given: Value | Iterable[Value]) -> Values:
    return frozenset((given,)) if isinstance(given, (str, int, float)) else frozenset(given)
