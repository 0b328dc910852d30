"""Errors of attribute schemas and events.

    GtopssError
    ├── InvalidSchema             a domain, attribute, event type or view contradicts the schema
    └── InvalidEvent              an attribute is not in the schema, or a value is not in its domain
        └── InconsistentEvent     an event instance breaks one of the rules R1 to R3, which the error names

A subscription that does not fit the schema raises `gtopss.errors.InvalidSubscription`; one that fits, but that a
matcher does not support, raises `UnsupportedSubscription`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gtopss.errors import GtopssError


class InvalidSchema(GtopssError, ValueError):
    """An extension of the schema breaks its rules, or a view does not fit the schema."""

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        super().__init__(f"{name!r}: {reason}")


class InvalidEvent(GtopssError, ValueError):
    """An event does not fit the schema."""

    def __init__(self, attribute: str, reason: str) -> None:
        self.attribute, self.reason = attribute, reason
        super().__init__(f"attribute {attribute!r}: {reason}")


class Violation(NamedTuple):
    """A violation of one consistency rule of Le Subscribe's section 2.1."""

    rule: str  # R1, R2 or R3
    attribute: str
    reason: str

    def __str__(self) -> str:
        return f"{self.rule}: attribute {self.attribute!r} {self.reason}"


class InconsistentEvent(InvalidEvent):
    """The event is no instance of its view; `violations` lists every broken rule."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        self.violations = tuple(violations)
        self.rules = tuple(dict.fromkeys(each.rule for each in violations))
        self.attribute, self.reason = violations[0].attribute, violations[0].reason
        GtopssError.__init__(self, f"the event breaks {'; '.join(map(str, violations))}")
