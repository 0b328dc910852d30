"""Every problem that the service can send becomes the class that it was there, or one above it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import gtopss.broker.errors
import gtopss.errors
import gtopss.net.errors
from gtopss.client.errors import MAX_SHOWN_CHARACTERS, RequestRefused, error_of
from gtopss.errors import GtopssError, InvalidQuery, InvalidSubscription, MalformedPublication
from gtopss.http import problems
from gtopss.net import FetchError


def kinds() -> Iterator[type[GtopssError]]:
    """Every class of the table of statuses, with its subclasses."""
    pending = [kind for kind, _, _ in problems._STATUSES]
    while pending:
        kind = pending.pop()
        yield kind
        pending += [each for each in kind.__subclasses__() if each.__module__.startswith("gtopss.")]


@pytest.mark.parametrize("kind", sorted(set(kinds()), key=lambda kind: kind.__name__), ids=lambda kind: kind.__name__)
def test_the_class_survives_the_way_over_http(kind: type[GtopssError]) -> None:
    sent = problems.problem_of(kind.__new__(kind, "what is wrong"))
    error = error_of("http://localhost", sent.status, sent.model_dump())
    known = (gtopss.errors, gtopss.broker.errors, gtopss.net.errors)
    if kind.__module__ in [each.__name__ for each in known]:
        assert type(error) is kind
    else:
        assert isinstance(error, InvalidSubscription)
    assert str(error) == "what is wrong"


def test_the_place_of_an_error_is_sent() -> None:
    for given in (InvalidQuery("s", "found `}`", line=2, column=5), MalformedPublication("no dot", line=2, column=5)):
        sent = problems.problem_of(given)
        error = error_of("http://localhost", sent.status, sent.model_dump())
        assert (error.line, error.column) == (2, 5)  # type: ignore[attr-defined]
        assert "line 2, column 5" in str(error)


@pytest.mark.parametrize("problem", [{}, {"type": 7, "detail": ["x"]}, {"type": "urn:gtopss:problem:GtopssError"}])
def test_hostile_problem_details_are_refused_requests(problem: dict[str, object]) -> None:
    assert type(error_of("http://localhost", 500, problem)) is RequestRefused


def test_fetch_errors_are_known() -> None:
    error = error_of("u", 422, {"type": "urn:gtopss:problem:blocked-address", "detail": "not public"})
    assert isinstance(error, FetchError)


def test_a_long_message_is_cut() -> None:
    error = error_of("u", 404, {"type": "urn:gtopss:problem:invalid-ticket", "detail": "x" * 10_000})
    assert len(str(error)) == MAX_SHOWN_CHARACTERS


def test_the_place_of_an_error_is_said_once() -> None:
    problem = {
        "type": "urn:gtopss:problem:invalid-query",
        "detail": "no field (line 1, column 1)",
        "line": 1,
        "column": 1,
    }
    assert str(error_of("u", 422, problem)) == "no field (line 1, column 1)"
    assert str(error_of("u", 422, {**problem, "detail": "no field"})) == "line 1, column 1: no field"
