"""What a service answers while it starts: what it waits for, and the page.

The first start compiles the matching loops for a minute or more. Until then whoever opens the page is told so, and what
needs no matching is answered already.
"""

from __future__ import annotations

from collections.abc import Callable
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


class StartingApp:
    """An ASGI application that answers from the first moment, and passes requests on as soon as that is possible.

    While `waiting_for` says something, requests that change or match something, and `/readyz`, have the response 503.
    """

    def __init__(self, settings: ServiceSettings, waiting_for: str) -> None:
        self.waiting_for: str | None = waiting_for
        """What the service waits for; None when it is ready."""
        self._app: ASGIApp | None = None
        self._end_streams: Callable[[], None] = lambda: None
        self._files = StaticFiles(directory=PAGE, html=True)
        self._waiting = Protection(self._answer, settings=settings, metrics=Metrics())

    def pass_on(self, app: ASGIApp, end_streams: Callable[[], None]) -> None:
        """Pass requests on to the application from now on. `end_streams` ends its event streams."""
        self._app, self._end_streams = app, end_streams

    def end_streams(self) -> None:
        """End the event streams of the application, if it is there."""
        self._end_streams()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if app is None or (self.waiting_for is not None and scope["type"] == "http" and _needs_matching(scope)):
            app = self._waiting
        await app(scope, receive, send)

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
