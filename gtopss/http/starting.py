"""What a service answers while it starts: what it waits for, and the page.

A service that has to wait, for example until the matching loops are compiled, says so on its page. Requests that need
no matching are answered meanwhile.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

import gtopss
from gtopss.http.metrics import Metrics
from gtopss.http.problems import RequestProblem, problem_of, request_id_of, respond
from gtopss.http.protection import SAFE_METHODS, Protection
from gtopss.http.settings import ServiceSettings

PAGE = Path(__file__).parent / "page"
"""The static files of the page."""


CHANGE_SECONDS = 30.0
"""Time that an application has to answer its last requests when another one takes over."""


class _Passed:
    """An application that requests are passed on to. `idle` is set while it has none."""

    def __init__(self, app: ASGIApp, end_streams: Callable[[], None]) -> None:
        self.app, self.end_streams, self.requests = app, end_streams, 0
        self.idle = threading.Event()
        self.idle.set()


class StartingApp:
    """An ASGI application that answers from the first moment, and passes requests on as soon as that is possible.

    While `waiting_for` says something, requests that change or match something, and `/readyz`, have the response 503.
    """

    def __init__(self, settings: ServiceSettings, waiting_for: str) -> None:
        self.waiting_for: str | None = waiting_for
        """What the service waits for; None when it is ready."""
        self._passed: _Passed | None = None
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._files = StaticFiles(directory=PAGE, html=True)
        self._waiting = Protection(self._answer, settings=settings, metrics=Metrics())

    def pass_on(self, app: ASGIApp, end_streams: Callable[[], None]) -> None:
        """Pass requests on to the application from now on. `end_streams` ends its event streams."""
        with self._lock:
            self._passed = _Passed(app, end_streams)

    def change_to(self, app: ASGIApp, end_streams: Callable[[], None]) -> None:
        """Pass requests on to another application, and wait until the one before has answered its last requests.

        Its event streams are ended; their clients connect again. Not to be called on the event loop.
        """
        before = self._passed
        self.pass_on(app, end_streams)
        if before is not None and self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended, and the streams with it
                self._loop.call_soon_threadsafe(before.end_streams)
            before.idle.wait(CHANGE_SECONDS)

    def end_streams(self) -> None:
        """End the event streams of the application, if it is there."""
        if self._passed is not None:
            self._passed.end_streams()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._loop = asyncio.get_running_loop()
        with self._lock:
            passed = self._passed
            if passed is not None:
                passed.requests += 1
                passed.idle.clear()
        if passed is None:
            await self._waiting(scope, receive, send)
            return
        try:
            is_early = self.waiting_for is not None and scope["type"] == "http" and _needs_matching(scope)
            await (self._waiting if is_early else passed.app)(scope, receive, send)
        finally:
            with self._lock:
                passed.requests -= 1
                if not passed.requests:
                    passed.idle.set()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer without the application."""
        response: Response
        if scope["path"] == "/healthz":
            response = JSONResponse({"status": "ok", "version": gtopss.__version__})
        else:
            response = await self._file(scope) or self._not_ready(scope)
        await response(scope, receive, send)

    async def _file(self, scope: Scope) -> Response | None:
        """Return a file of the page, or None."""
        if scope["method"] not in ("GET", "HEAD"):
            return None
        try:
            return await self._files.get_response(self._files.get_path(scope), scope)
        except HTTPException:
            return None

    def _not_ready(self, scope: Scope) -> Response:
        reason = f"The service is starting: {self.waiting_for or 'it is nearly ready'}; try again in a moment"
        problem = RequestProblem(503, "not-ready", "Not ready", reason)
        return respond(problem_of(problem), request_id_of(Request(scope)))


def _needs_matching(scope: Scope) -> bool:
    path: str = scope["path"]
    return scope["method"] not in SAFE_METHODS or path in ("/readyz", "/costs") or "/explain/" in path
