"""What can be wrong with an operator, or with a subscription that uses one.

    GtopssError
    ├── InvalidOperator           a declaration that contradicts itself, or a name that is taken
    ├── UnknownStrategy           a strategy's name that is not in the table
    ├── InvalidSubscription
    │   └── InvalidPredicate      a subscription's use of an operator
    │       ├── UnknownOperator   no operator goes by this name
    │       ├── WrongArity        more or fewer arguments than it takes
    │       └── UnboundArgument   a variable where the operator needs a value, and nothing gives it one
    └── MissingLibrary            a shipped operator whose library is not installed

What goes wrong while an operator runs is not raised: it makes the answer *unknown* (`report.Unknown`).
"""

from __future__ import annotations

from collections.abc import Iterable

from gtopss.errors import GtopssError, InvalidSubscription


class InvalidOperator(GtopssError, ValueError):
    """An operator cannot be registered as it was declared."""

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        super().__init__(f"operator {name!r}: {reason}")


class UnknownStrategy(GtopssError, ValueError):
    """No strategy goes by this name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        super().__init__(f"there is no strategy {name!r}: choose one of {', '.join(sorted(known))}")


class MissingLibrary(GtopssError, ImportError):
    """A shipped operator needs a library that is not installed."""

    def __init__(self, operator: str, library: str) -> None:
        self.operator, self.library = operator, library
        super().__init__(f"operator {operator!r} needs {library}: pip install {library}")


class InvalidPredicate(InvalidSubscription):
    """A subscription uses an operator in a way that can never be answered."""

    def __init__(self, subscription_id: str, operator: str, reason: str) -> None:
        self.operator = operator
        super().__init__(subscription_id, reason)


class UnknownOperator(InvalidPredicate):
    """No operator goes by this name."""

    def __init__(self, subscription_id: str, operator: str, known: Iterable[str]) -> None:
        names = ", ".join(sorted(known)) or "none"
        super().__init__(subscription_id, operator, f"there is no operator {operator!r}; registered are: {names}")


class WrongArity(InvalidPredicate):
    """More or fewer arguments than the operator takes."""

    def __init__(self, subscription_id: str, operator: str, wanted: str, given: int) -> None:
        self.given = given
        super().__init__(subscription_id, operator, f"{operator} takes {wanted} arguments, not {given}")


class UnboundArgument(InvalidPredicate):
    """The operator does not find values for this argument, and the pattern does not give it one."""

    def __init__(self, subscription_id: str, operator: str, variable: str, place: int) -> None:
        self.variable, self.place = variable, place
        reason = f"argument {place + 1} of {operator} needs a value, and no 5-tuple binds {variable}"
        super().__init__(subscription_id, operator, reason)
