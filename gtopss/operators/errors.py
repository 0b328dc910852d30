"""Errors of operator declarations, and of subscriptions that use operators.

    GtopssError
    ├── InvalidOperator           a contradictory declaration, or a name that is taken
    ├── InvalidOperatorLimits     limits that contradict themselves or the strategy
    ├── UnknownStrategy           a strategy name that is not in the table
    ├── InvalidSubscription
    │   └── InvalidPredicate      a wrong use of an operator in a subscription
    │       ├── UnknownOperator   no operator has this name
    │       ├── WrongArity        too many or too few arguments
    │       └── UnboundArgument   a variable without a value where the operator needs one
    └── MissingLibrary            a shipped operator whose library is not installed

An error while an operator runs is not raised: it makes the answer *unknown* (`report.UnansweredCall`).
"""

from __future__ import annotations

from collections.abc import Iterable

from gtopss.errors import GtopssError, InvalidSubscription


class InvalidOperator(GtopssError, ValueError):
    """The declaration of an operator cannot be registered."""

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        super().__init__(f"operator {name!r}: {reason}")


class InvalidOperatorLimits(GtopssError, ValueError):
    """The limits contradict themselves or the strategy."""


class UnknownStrategy(GtopssError, ValueError):
    """No strategy has this name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        super().__init__(f"there is no strategy {name!r}: choose one of {', '.join(sorted(known))}")


class MissingLibrary(GtopssError, ImportError):
    """A shipped operator needs a library that is not installed."""

    def __init__(self, operator: str, library: str) -> None:
        self.operator, self.library = operator, library
        super().__init__(
            f"operator {operator!r} needs {library}, which is not installed: pip install 'gtopss[operators]'"
        )


class InvalidPredicate(InvalidSubscription):
    """A subscription uses an operator in a way that cannot be evaluated."""

    def __init__(self, subscription_id: str, operator: str, reason: str) -> None:
        self.operator = operator
        super().__init__(subscription_id, reason)


class UnknownOperator(InvalidPredicate):
    """No operator has this name."""

    def __init__(self, subscription_id: str, operator: str, known: Iterable[str]) -> None:
        names = ", ".join(sorted(known)) or "none"
        super().__init__(subscription_id, operator, f"there is no operator {operator!r}; registered operators: {names}")


class WrongArity(InvalidPredicate):
    """A predicate has too many or too few arguments."""

    def __init__(self, subscription_id: str, operator: str, accepted: str, given: int) -> None:
        self.given = given
        super().__init__(subscription_id, operator, f"{operator} takes {accepted} arguments, not {given}")


class UnboundArgument(InvalidPredicate):
    """The operator needs a value for this argument, and neither the pattern nor another operator binds it."""

    def __init__(self, subscription_id: str, operator: str, variable: str, place: int) -> None:
        self.variable, self.place = variable, place
        nothing = f"neither the pattern nor an earlier operator binds {variable}"
        reason = f"argument {place + 1} of {operator} needs a value, but {nothing}"
        super().__init__(subscription_id, operator, reason)
