"""What can be wrong with a schema or an event.

    GtopssError
    ├── InvalidSchema             a domain, attribute, event type or view that contradicts the schema
    └── InvalidEvent              an attribute that the schema lacks, or a value outside its domain
        └── InconsistentEvent     an event instance that breaks one of the rules R1 to R3, which it names

A subscription that does not fit the schema is `gtopss.errors.InvalidSubscription`; one that fits, but that a matcher
cannot answer, is `UnsupportedSubscription`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gtopss.errors import GtopssError


class InvalidSchema(GtopssError, ValueError):
    """The schema cannot be extended so, or a view does not fit it."""

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        super().__init__(f"{name!r}: {reason}")


class InvalidEvent(GtopssError, ValueError):
    """An event that says what the schema has no place for."""

    def __init__(self, attribute: str, reason: str) -> None:
        self.attribute, self.reason = attribute, reason
        super().__init__(f"attribute {attribute!r}: {reason}")


class Violation(NamedTuple):
    """One consistency rule of Le Subscribe's section 2.1, broken."""

    rule: str  # R1, R2 or R3
    attribute: str
    reason: str

    def __str__(self) -> str:
        return f"{self.rule}: attribute {self.attribute!r} {self.reason}"


class InconsistentEvent(InvalidEvent):
    """The event is no instance of its view; every broken rule is in `violations`."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        self.violations = tuple(violations)
        self.rules = tuple(dict.fromkeys(each.rule for each in violations))
        self.attribute, self.reason = violations[0].attribute, violations[0].reason
        GtopssError.__init__(self, f"the event breaks {'; '.join(map(str, violations))}")
