"""What surrounds every route: request ids, checks of host and origin, limits of bodies, security headers, metrics.

A service on loopback has no passwords, so a page of another site must not be able to use it. The Host header must be a
name of the service, so that a foreign name which resolves to 127.0.0.1 (DNS rebinding) reaches nothing. A request that
changes something must not come from a page of another origin: browsers say where it comes from in Origin and
Sec-Fetch-Site.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gtopss.http.metrics import Metrics
from gtopss.http.problems import RequestProblem, problem_of, respond
from gtopss.http.settings import ServiceSettings

REQUEST_ID = "gtopss.request_id"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # addresses for reading are secrets
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
_ADDED_HEADERS = [
    (name.lower().encode(), value.encode()) for name, value in {**SECURITY_HEADERS, "Cache-Control": "no-store"}.items()
]  # to each response that does not have them; the names of headers are in lower case in ASGI
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_SECRET_PATH = re.compile(r"(/read/[^/]+/|/websub/)[^/]+")
_log = logging.getLogger("gtopss.http")


class Protection:
    """An ASGI middleware with all checks; the application sees only requests that pass them."""

    def __init__(self, app: ASGIApp, *, settings: ServiceSettings, metrics: Metrics) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(scope, receive, send, self._settings.max_body_bytes)
        try:
            _check_host(exchange.headers, self._settings.allowed_hosts)
            _check_origin(scope, exchange.headers, self._settings)
            exchange.check_length()
        except RequestProblem as error:
            response = respond(problem_of(error), exchange.id, error.headers)
            await response(scope, receive, exchange.send)
        else:
            await self._run(exchange)
        finally:
            self._record(scope, exchange)

    async def _run(self, exchange: _Exchange) -> None:
        """Pass a request on to the application; one that the server ends because it stops gets a response."""
        try:
            await self._app(exchange.scope, exchange.receive, exchange.send)
        except asyncio.CancelledError:  # not raised again: the server would log it as an error of the application
            if not exchange.has_begun:
                problem = RequestProblem(503, "not-ready", "Not ready", "the service stops: try again later")
                response = respond(problem_of(problem), exchange.id, {"Connection": "close"})
                await response(exchange.scope, exchange.receive, exchange.send)

    def _record(self, scope: Scope, exchange: _Exchange) -> None:
        seconds = time.perf_counter() - exchange.started
        route = getattr(exchange.scope.get("route"), "path", "other")
        self._metrics.observe(scope["method"], route, exchange.status, None if exchange.is_stream else seconds)
        extra = {"request": exchange.id, "status": exchange.status, "seconds": round(seconds, 6)}
        _log.info("%s %s %s", scope["method"], _SECRET_PATH.sub(r"\1...", scope["path"]), exchange.status, extra=extra)


class _Exchange:
    """One request and its response."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, max_body_bytes: int) -> None:
        self.headers = Headers(scope=scope)
        self._is_head = scope["method"] == "HEAD"
        given = self.headers.get("x-request-id", "")
        self.id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        scope[REQUEST_ID] = self.id
        self.scope = {**scope, "method": "GET"} if self._is_head else scope
        """What the application gets: HEAD is GET without the body, on every route."""
        self.started = time.perf_counter()
        self.status, self.is_stream, self.has_begun = 500, False, False
        self._receive, self._send = receive, send
        self._most, self._read = max_body_bytes, 0
        self._is_answered = False

    def check_length(self) -> None:
        """Raise a problem if the declared length of the body is too large."""
        length = self.headers.get("content-length", "")
        if length.isascii() and length.isdigit() and (len(length) > 15 or int(length) > self._most):
            raise self._too_large()

    def _too_large(self) -> RequestProblem:
        reason = f"the body has more than {self._most:,} bytes: send less at once"
        return RequestProblem(413, "body-too-large", "Body too large", reason, {"Connection": "close"})

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._read += len(message.get("body", b""))
            if self._read > self._most:
                raise self._too_large()
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.has_begun = message["status"], True
            given = dict(message["headers"])
            self.is_stream = given.get(b"content-type", b"").startswith(b"text/event-stream")
            added = [each for each in _ADDED_HEADERS if each[0] not in given]
            message["headers"] = [*message["headers"], *added, (b"x-request-id", self.id.encode())]
        elif self._is_head:
            if self._is_answered:
                return
            self._is_answered = True
            message = {"type": "http.response.body", "body": b"", "more_body": False}  # an event stream ends too
        await self._send(message)


def _check_host(headers: Headers, allowed: tuple[str, ...] | None) -> None:
    """Refuse a Host header that is no name of the service."""
    if allowed is None:
        return
    host = headers.get("host", "").lower()
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if name not in allowed:
        raise RequestProblem(
            421,
            "unknown-host",
            "Unknown host",
            "the Host header is not a name of this service: start it with --public-url or --allow-host",
        )


def _check_origin(scope: Scope, headers: Headers, settings: ServiceSettings) -> None:
    """Refuse a change that a page of another origin has sent."""
    if scope["method"] in SAFE_METHODS:
        return
    origin = headers.get("origin")
    if origin is not None and origin in settings.cors_origins:
        return
    is_own = origin is None or _is_own(origin, headers.get("host", ""), settings.public_url)
    site = headers.get("sec-fetch-site", "none")
    if not is_own or (origin is None and site not in ("none", "same-origin")):
        raise RequestProblem(
            403,
            "foreign-origin",
            "Foreign origin",
            "a page of another origin must not change anything here: the operator may allow it with --cors-origin",
        )


def _is_own(origin: str, host: str, public_url: str | None) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    if public_url is not None:
        public = urlsplit(public_url)
        if (parts.scheme, parts.netloc.lower()) == (public.scheme, public.netloc.lower()):
            return True
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()
