"""The domains and ranges of properties: the classes of what they relate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ontology.axioms import Pair
from ontology.names import plain_pairs

__all__ = ["PropertyClasses"]


class PropertyClasses:
    """The classes of each property, as its domains or its ranges. Not thread-safe for edits.

    Several classes of a property all apply: what it relates is in each of them (RDFS).
    """

    __slots__ = ("_classes", "_uses")

    def __init__(self, pairs: Iterable[Pair] = ()) -> None:
        """`pairs` are a property and a class each."""
        self._classes: dict[str, tuple[str, ...]] = {}
        self._uses: Counter[str] = Counter()
        """How many properties have each class."""
        for property, cls in plain_pairs(pairs):
            self.add(property, cls)

    def __getitem__(self, property: str) -> tuple[str, ...]:
        """Return the classes of a property, none if it has none."""
        return self._classes.get(property, ())

    def __contains__(self, property: object) -> bool:
        return property in self._classes

    def has_class(self, cls: str) -> bool:
        """Return whether some property has this class."""
        return self._uses[cls] > 0

    def __iter__(self) -> Iterator[Pair]:
        """Yield each property with each of its classes."""
        return ((property, cls) for property, classes in self._classes.items() for cls in classes)

    def add(self, property: str, cls: str) -> bool:
        """Add a class of a property. Return False if it was known."""
        known = self[property]
        if cls in known:
            return False
        self._classes[property] = (*known, cls)
        self._uses[cls] += 1
        return True

    def remove(self, property: str, cls: str) -> bool:
        """Remove a class of a property. Return False if it was not known."""
        left = tuple(each for each in self[property] if each != cls)
        if left == self[property]:
            return False
        if left:
            self._classes[property] = left
        else:
            del self._classes[property]
        self._uses[cls] -= 1
        return True

    def to_json(self) -> list[Any]:
        """Return plain data, from which the constructor makes an equal object."""
        return [list(pair) for pair in self]
