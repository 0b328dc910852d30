"""A small HTTP server on loopback, for measurements that need somebody who sends or receives documents."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple, TypeAlias


class LoopbackRequest(NamedTuple):
    """A request to the server."""

    method: str
    path: str
    body: bytes


class LoopbackAnswer(NamedTuple):
    """What the server answers."""

    body: bytes = b""
    status: int = 200
    content_type: str = "application/xml"


Answer: TypeAlias = Callable[[LoopbackRequest], LoopbackAnswer]


@contextmanager
def serve_on_loopback(answer: Answer) -> Iterator[str]:
    """Answer GET and POST by a function, which several threads call, and yield host and port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            made = answer(LoopbackRequest(self.command, self.path, body))
            self.send_response(made.status)
            self.send_header("Content-Type", made.content_type)
            self.send_header("Content-Length", str(len(made.body)))
            self.end_headers()
            self.wfile.write(made.body)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
