"""The errors of the client, below `GtopssError`; gtopss/errors.py draws the tree.

A service answers an error with problem details (RFC 9457) whose `type` names a class of the project's tree. The client
raises that class, with the service's message, and `line` and `column` where a text has an error: the same `except`
works with a `Broker` in this process and with a service elsewhere. Other attributes of these classes are not sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gtopss.broker import errors as broker_errors
from gtopss.errors import (
    CartesianSubscription,
    GtopssError,
    InvalidQuery,
    InvalidSubscription,
    MalformedPublication,
    UnknownVariable,
    UnsupportedSubscription,
)
from gtopss.net.errors import FetchError

PROBLEM_PREFIX = "urn:gtopss:problem:"
MAX_SHOWN_CHARACTERS = 4_000
"""Characters of a service's message in an error; the rest is cut."""
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


class ServiceError(GtopssError):
    """A request to a service failed. `url` is its address."""

    def __init__(self, url: str, reason: str) -> None:
        self.url, self.reason = url, reason
        super().__init__(f"{url}: {reason}")


class InvalidAddress(ServiceError, ValueError):
    """The address of a service is not a URL that begins with http:// or https://. Raised when a client is created."""


class ServiceUnreachable(ServiceError):
    """No service answers at the address, or it did not answer in time."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(url, f"no service answers ({reason}): start one with `gtopss serve`, or check the address")


class InvalidResponse(ServiceError):
    """The response is not one of this service: another program listens there, or a proxy has answered."""


class RequestRefused(ServiceError):
    """The service refused a request for a reason that has no class of its own: `status` and `problem` name it."""

    def __init__(self, url: str, status: int, problem: str, detail: str) -> None:
        self.status, self.problem, self.detail = status, problem, detail
        super().__init__(url, f"{detail} (status {status}, {problem})")


def _subclasses(kind: type[GtopssError]) -> Iterator[type[GtopssError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from _subclasses(each)


def _broker_classes() -> Iterator[type[GtopssError]]:
    for each in vars(broker_errors).values():
        if isinstance(each, type) and issubclass(each, GtopssError) and each is not GtopssError:
            yield each


def problem_name(kind: type[GtopssError]) -> str:
    """Return how problem details name a class.

    >>> problem_name(InvalidQuery)
    'invalid-query'
    """
    return _WORDS.sub("-", kind.__name__).lower()


_OF_SUBSCRIPTIONS = (
    InvalidSubscription,
    InvalidQuery,
    UnknownVariable,
    CartesianSubscription,
    UnsupportedSubscription,
)
_OPERATOR_PROBLEMS = ("invalid-predicate", "unknown-operator", "wrong-arity", "unbound-argument")
_CLASSES: Mapping[str, type[GtopssError]] = {
    **{
        problem_name(kind): kind
        for kind in (*_OF_SUBSCRIPTIONS, MalformedPublication, *_broker_classes(), *_subclasses(FetchError))
    },
    **dict.fromkeys(_OPERATOR_PROBLEMS, InvalidSubscription),  # their classes would import all operators
}


def error_of(url: str, status: int, problem: Mapping[str, Any]) -> GtopssError:
    """Return the error that problem details describe. Nothing in them is trusted."""
    name = str(problem.get("type", "")).removeprefix(PROBLEM_PREFIX)[:100]
    detail = str(problem.get("detail") or problem.get("title") or "no reason was given")[:MAX_SHOWN_CHARACTERS]
    kind = _CLASSES.get(name)
    if kind is None:
        return RequestRefused(url, status, name or "unknown", detail)
    line, column = _number(problem.get("line")), _number(problem.get("column"))
    place = "" if line is None else f"line {line}{'' if column is None else f', column {column}'}"
    is_placed = not place or detail.startswith("line ") or f"({place})" in detail or f"{place}: " in detail
    message = detail if is_placed else f"{place}: {detail}"
    error = kind.__new__(kind, message)  # as after pickling: the constructors want data that is not sent
    error.__dict__.update(reason=detail, line=line, column=column, url=url, status=status)
    return error


def _number(given: object) -> int | None:
    return given if isinstance(given, int) and not isinstance(given, bool) else None
