"""Reference-counted numbers for distinct predicates, reused once free (ToPSS, section 3: "re-cycled").

Arrays are indexed by these numbers, so reuse keeps the arrays dense.
"""

from __future__ import annotations

from gtopss.attributes.predicates import Predicate


class PredicateNumbers:
    """Allocate small numbers with reference counts. A freed number is allocated again before a new one is made."""

    def __init__(self) -> None:
        self._uses: list[int] = []
        self._free: list[int] = []
        self._predicates: list[Predicate] = []

    def allocate(self, predicate: Predicate) -> int:
        """Return an unused number for a predicate, with a reference count of one."""
        if self._free:
            number = self._free.pop()
            self._uses[number], self._predicates[number] = 1, predicate
        else:
            number = len(self._uses)
            self._uses.append(1)
            self._predicates.append(predicate)
        return number

    def predicate(self, number: int) -> Predicate:
        """Return the predicate that has a number."""
        return self._predicates[number]

    def __len__(self) -> int:
        """Return the number of numbers, in use or free."""
        return len(self._uses)

    def retain(self, number: int) -> None:
        """Increase the reference count of a number by one."""
        self._uses[number] += 1

    def release(self, number: int) -> bool:
        """Decrease the reference count by one; return whether the number is now free."""
        self._uses[number] -= 1
        if self._uses[number]:
            return False
        self._free.append(number)
        return True
