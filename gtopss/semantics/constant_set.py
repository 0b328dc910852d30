"""A set of constants that is searched by SPARQL's `=`: IN over thousands of members is one look-up.

`=` compares values, not terms, and may be a type error (SPARQL 1.1, section 17.3). The answers are those of
`values.equal`: numbers are compared after promotion to the wider kind, dates and times by their instant, literals of
unknown types by their term. A value that equals no member, but has a type error with one, is a type error.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from gtopss.semantics.timeline import MAX_ZONE_OFFSET_SECONDS
from gtopss.semantics.values import MOMENTS, TypeMismatch, Value, ValueKind, as_kind

_NUMERIC = (ValueKind.INTEGER, ValueKind.DECIMAL, ValueKind.FLOAT, ValueKind.DOUBLE)


class ConstantSet:
    """Constant values, searched by `=`. Immutable."""

    def __init__(self, members: Iterable[Value]) -> None:
        self._others: set[tuple[ValueKind, Any]] = set()
        self._unknown: set[str] = set()
        """Literals of unknown types, and those whose text does not fit their type, as terms."""
        self._comparable_literals = False
        """Whether `=` of a literal of an unknown type and some member is a type error."""
        self._numbers: dict[ValueKind, set[Any]] = {kind: set() for kind in _NUMERIC}
        self._promoted: dict[ValueKind, set[Any]] = {kind: set() for kind in _NUMERIC}
        """By kind, the numbers of that kind; and those of that kind and narrower ones, promoted to it."""
        seconds: dict[tuple[ValueKind, bool], set[Any]] = {}
        for member in members:
            self._comparable_literals |= member.literal and member.kind is not ValueKind.LANGUAGE_STRING
            if member.numeric:
                self._add_number(member)
            elif member.kind is ValueKind.OTHER:
                assert member.term is not None
                self._unknown.add(member.term)
            else:
                self._others.add((member.kind, member.data))
                if member.kind in MOMENTS:
                    seconds.setdefault((member.kind, member.data.zoned), set()).add(member.data.seconds)
        self._seconds = {key: sorted(each) for key, each in seconds.items()}

    def _add_number(self, member: Value) -> None:
        if member.data != member.data:
            return  # NaN equals nothing
        self._numbers[member.kind].add(member.data)
        for kind in _NUMERIC[member.kind :]:
            self._promoted[kind].add(as_kind(member.data, kind))

    def has_equal(self, value: Value) -> bool:
        """Return whether a member equals the value. Raises TypeMismatch if none does and one has a type error."""
        if value.numeric:
            if self._has_number(value):
                return True
        elif value.kind is ValueKind.OTHER:
            if value.term in self._unknown:
                return True
            if self._comparable_literals:
                raise TypeMismatch("it has an unknown type, or a text that does not fit its type")
            return False
        elif (value.kind, value.data) in self._others:
            return True
        elif value.kind in MOMENTS and self._is_near_another_zone(value):
            raise TypeMismatch("one has a time zone and the other has none, and they are within 14 hours of each other")
        if self._unknown and value.literal and value.kind is not ValueKind.LANGUAGE_STRING:
            raise TypeMismatch("a member has an unknown type, or a text that does not fit its type")
        return False

    def _has_number(self, value: Value) -> bool:
        kind, number = value.kind, value.data
        if number in self._promoted[kind]:
            return True
        wider = (each for each in _NUMERIC[kind + 1 :] if self._numbers[each])
        return any(as_kind(number, each) in self._numbers[each] for each in wider)

    def _is_near_another_zone(self, value: Value) -> bool:
        """Return whether a member with a time zone where the value has none, or the reverse, is within 14 hours."""
        members = self._seconds.get((value.kind, not value.data.zoned), [])
        place = bisect_left(members, value.data.seconds - MAX_ZONE_OFFSET_SECONDS)
        return place < len(members) and members[place] <= value.data.seconds + MAX_ZONE_OFFSET_SECONDS
