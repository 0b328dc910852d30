"""Errors as problem details (RFC 9457): one table of statuses for the errors of the project."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from gtopss.broker.errors import (
    CallbackNotFound,
    FeedNotFound,
    InvalidKey,
    InvalidSetting,
    InvalidTarget,
    InvalidTicket,
    NoFeedFound,
    NotPermitted,
    OutcomeUnknown,
    PublicationNotFound,
    QuotaExceeded,
    RefusedFollower,
    RefusedPush,
    StoreError,
    TargetNotFound,
)
from gtopss.broker.subscription_texts import SHORT_FORM_HINT
from gtopss.errors import GtopssError, InvalidSubscription, MalformedPublication
from gtopss.http.models.problems import FieldError, Problem
from gtopss.http.validation_texts import reason_of
from gtopss.net import FetchError

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 5
"""The Retry-After of a response that says that the store is not available."""
MAX_FIELD_ERRORS = 20
"""Members of a request whose errors are listed."""
MAX_DETAIL_CHARACTERS = 4_000
"""Characters of the description of an error; a longer one is cut."""
_log = logging.getLogger("gtopss.http")
_JSON_PLACE = re.compile(r"Invalid JSON: .* at line (?P<line>\d+) column (?P<column>\d+)")
_SHORT_FORM_HINT = (
    "This is not a SPARQL query. For the short form, add `?form=short` to the address (text/plain), or "
    '`"form": "short"` (JSON).'
)
_IS_SPARQL = "This is SPARQL, not the short form"  # a hint of gtopss.short_form
_SPARQL_HINT = 'In a request to the service, send it with `?form=sparql` (text/plain), or `"form": "sparql"` (JSON).'
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")

_STATUSES: Sequence[tuple[type[GtopssError], int, str]] = (
    (InvalidTicket, 404, "No such subscription"),
    (InvalidKey, 401, "Unknown API key"),
    (NotPermitted, 403, "Not permitted"),
    (QuotaExceeded, 403, "Quota exceeded"),
    (PublicationNotFound, 404, "No such publication"),
    (TargetNotFound, 404, "No such target"),
    (FeedNotFound, 404, "No such feed"),
    (CallbackNotFound, 404, "No such callback"),
    (RefusedPush, 403, "The push is refused"),
    (RefusedFollower, 422, "The feed cannot be followed"),
    (InvalidTarget, 422, "Invalid delivery target"),
    (NoFeedFound, 422, "No feed found"),
    (InvalidSetting, 422, "Invalid value"),
    (InvalidSubscription, 422, "The subscription cannot be registered"),
    (MalformedPublication, 422, "The document cannot be read"),
    (FetchError, 422, "The address cannot be fetched"),
    (OutcomeUnknown, 503, "It is not known whether the change was stored"),
    (StoreError, 503, "The store is not available"),
)
_TITLES = {404: "Not found", 405: "Method not allowed", 413: "Body too large", 415: "Unsupported media type"}


class RequestProblem(Exception):
    """A request that is refused before it reaches the broker."""

    def __init__(self, status: int, name: str, title: str, detail: str, headers: Mapping[str, str] | None = None):
        self.status, self.name, self.title, self.headers = status, name, title, dict(headers or {})
        super().__init__(detail)


class MissingCredentials(RequestProblem):
    """The request has no ticket, or no API key, where one is needed."""

    def __init__(self, detail: str) -> None:
        headers = {"WWW-Authenticate": 'Bearer realm="gtopss"'}
        super().__init__(401, "missing-credentials", "Credentials are missing", detail, headers)


class UnsupportedMediaType(RequestProblem):
    """The body has a media type that the route does not read."""

    def __init__(self, detail: str) -> None:
        super().__init__(415, "unsupported-media-type", _TITLES[415], detail)


class InvalidRequest(RequestProblem):
    """The body or a parameter has the wrong form."""

    def __init__(self, detail: str) -> None:
        super().__init__(422, "invalid-request", "The request is not valid", detail)


def problem_of(error: BaseException) -> Problem:
    """Return the problem details of an error. What is not expected is a server error without details."""
    if isinstance(error, RequestProblem):
        return Problem(type=_type(error.name), title=error.title, status=error.status, detail=_cut(str(error)))
    if isinstance(error, GtopssError):
        for kind, status, title in _STATUSES:
            if isinstance(error, kind):
                return _broker_problem(error, status, title)
        return _broker_problem(error, 422, "The request cannot be processed")
    return Problem(
        type=_type("internal-error"),
        title="Internal error",
        status=500,
        detail="an unexpected error occurred: look for the request id in the log of the service, and report the error",
    )


def _broker_problem(error: GtopssError, status: int, title: str) -> Problem:
    name = _WORDS.sub("-", type(error).__name__).lower()
    line, column = getattr(error, "line", None), getattr(error, "column", None)
    reason = getattr(error, "reason", None) if isinstance(error, InvalidSubscription) else None
    detail = _cut(_with_form_hint(reason) if isinstance(reason, str) else str(error))
    return Problem(type=_type(name), title=title, status=status, detail=detail, line=line, column=column)


def _with_form_hint(reason: str) -> str:
    """Return what is wrong with a subscription; for a text in the other form, with how a request names the form."""
    if SHORT_FORM_HINT in reason:
        return reason.replace(SHORT_FORM_HINT, _SHORT_FORM_HINT)
    return f"{reason}\n{_SPARQL_HINT}" if _IS_SPARQL in reason else reason


def _type(name: str) -> str:
    return f"urn:gtopss:problem:{name}"


def _cut(text: str) -> str:
    shown = text if len(text) <= MAX_DETAIL_CHARACTERS else f"{text[:MAX_DETAIL_CHARACTERS]}…"
    return shown.encode("utf-8", "replace").decode()


def respond(problem: Problem, request_id: str | None, headers: Mapping[str, str] | None = None) -> Response:
    """Return the response of a problem."""
    made = problem.model_copy(update={"request_id": request_id})
    extra = dict(headers or {})
    if problem.status == 503:
        extra.setdefault("Retry-After", str(RETRY_AFTER_SECONDS))
    if problem.status == 401:
        extra.setdefault("WWW-Authenticate", 'Bearer realm="gtopss"')
    body = made.model_dump_json(exclude_none=True).encode()
    return Response(body, problem.status, extra, MEDIA_TYPE)


def validation_problem(errors: Sequence[Any]) -> Problem:
    """Return the problem of a request whose members are wrong, as pydantic lists them."""
    listed = [
        FieldError(field=_cut(".".join(str(part) for part in each["loc"])), reason=_cut(reason_of(each)))
        for each in errors[:MAX_FIELD_ERRORS]
    ]
    detail = "; ".join(f"{each.field}: {each.reason}" for each in listed) or "the request is not valid"
    place = _JSON_PLACE.search(detail)
    return Problem(
        type=_type("invalid-request"),
        title="The request is not valid",
        status=422,
        detail=_cut(detail),
        line=int(place["line"]) if place else None,
        column=int(place["column"]) if place else None,
        errors=listed,
    )


def add_error_handlers(app: FastAPI) -> None:
    """Let every error of an application become problem details."""

    async def on_error(request: Request, error: Exception) -> Response:
        if not isinstance(error, (RequestProblem, GtopssError)):
            _log.error("an error that was not expected", exc_info=error, extra={"request": request_id_of(request)})
        headers = error.headers if isinstance(error, RequestProblem) else None
        return respond(problem_of(error), request_id_of(request), headers)

    async def on_validation(request: Request, error: Exception) -> Response:
        assert isinstance(error, (RequestValidationError, ValidationError))
        errors = error.errors()
        if isinstance(error, ValidationError):  # of a body that the route reads itself; FastAPI names the place
            errors = [{**each, "loc": ("body", *each["loc"])} for each in errors]
        return respond(validation_problem(errors), request_id_of(request))

    async def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        title = _TITLES.get(error.status_code, str(error.detail))
        name = title.lower().replace(" ", "-")
        made = Problem(type=_type(name), title=title, status=error.status_code, detail=str(error.detail))
        return respond(made, request_id_of(request), error.headers)

    async def on_disconnect(request: Request, error: Exception) -> Response:
        return Response(status_code=400)  # nobody reads it

    app.add_exception_handler(ClientDisconnect, on_disconnect)
    app.add_exception_handler(GtopssError, on_error)
    app.add_exception_handler(RequestProblem, on_error)
    app.add_exception_handler(RequestValidationError, on_validation)
    app.add_exception_handler(ValidationError, on_validation)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(Exception, on_error)


def request_id_of(request: Request) -> str | None:
    """Return the id of a request, which is in its response and in the log."""
    found: str | None = request.scope.get("gtopss.request_id")
    return found
