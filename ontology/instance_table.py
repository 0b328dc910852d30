"""The instances of classes: which class each is directly an instance of, and how that is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ontology.axioms import Pair

__all__ = ["InstanceTable"]


class InstanceTable:
    """Instance edges in both directions. An edge may be asserted, inferred, or both. Not thread-safe for edits.

    Instance edges do not chain, so there is no graph to search: a taxonomy combines them with its class hierarchy.
    """

    __slots__ = ("_members", "_types")

    def __init__(self) -> None:
        self._types: dict[str, dict[str, set[bool]]] = {}
        """Each instance's classes; the set contains True if the edge is asserted, False if it is inferred."""
        self._members: dict[str, set[str]] = {}
        """Each class's direct instances."""

    def __len__(self) -> int:
        """Return the number of instances."""
        return len(self._types)

    def __iter__(self) -> Iterator[str]:
        return iter(self._types)

    def __contains__(self, name: object) -> bool:
        return name in self._types

    def types(self, instance: str) -> Mapping[str, set[bool]]:
        """Return the classes of an instance, asserted or inferred; empty if the instance is unknown."""
        return self._types.get(instance, _NO_TYPES)

    def asserted_types(self, instance: str) -> Iterator[str]:
        return (cls for cls, origins in self.types(instance).items() if True in origins)

    def asserted_members(self, cls: str) -> Iterator[str]:
        return (each for each in self._members.get(cls, ()) if self.is_asserted(each, cls))

    def members_of_any(self, classes: set[str]) -> frozenset[str]:
        """Return the direct instances of all these classes."""
        # The intersection iterates over the smaller of the two sets.
        return frozenset().union(*(self._members[each] for each in self._members.keys() & classes))

    def is_asserted(self, instance: str, cls: str) -> bool:
        return True in self.types(instance).get(cls, ())

    def edges(self, *, asserted_only: bool = False) -> Iterator[Pair]:
        for instance, types in self._types.items():
            for cls, origins in types.items():
                if True in origins or not asserted_only:
                    yield instance, cls

    def add(self, instance: str, cls: str, *, asserted: bool) -> bool:
        """Add an edge. Return False if it was known in the same way already."""
        origins = self._types.setdefault(instance, {}).setdefault(cls, set())
        self._members.setdefault(cls, set()).add(instance)
        if asserted in origins:
            return False
        origins.add(asserted)
        return True

    def remove_asserted(self, instance: str, cls: str) -> bool:
        """Remove an asserted edge. Return False if there was none. An inferred edge stays."""
        types = self._types.get(instance, {})
        origins = types.get(cls, set())
        if True not in origins:
            return False
        origins.discard(True)
        if not origins:
            del types[cls]
            self._members[cls].discard(instance)
            if not self._members[cls]:
                del self._members[cls]
            if not types:
                del self._types[instance]
        return True

    def to_json(self) -> dict[str, dict[str, list[bool]]]:
        """Return plain data: for each instance its classes, each with whether it is asserted, inferred or both."""
        return {name: {cls: sorted(how) for cls, how in types.items()} for name, types in self._types.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> InstanceTable:
        """Return the table that `to_json` wrote."""
        table = cls()
        for name, types in data.items():
            for each, how in types.items():
                for asserted in how:
                    table.add(name, each, asserted=asserted)
        return table


_NO_TYPES: Mapping[str, set[bool]] = {}
