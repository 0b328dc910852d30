"""A web server on 127.0.0.1 with one feed, which answers conditional requests."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from conftest import ROOT

FEED = ROOT / "data" / "feeds" / "nasa-liftoff.rss20.xml"


@contextlib.contextmanager
def feed_server() -> Iterator[str]:
    """Serve `FEED` under every path, with an ETag. Yield the host and port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = FEED.read_bytes()
            known = self.headers.get("If-None-Match") == '"1"'
            self.send_response(304 if known else 200)
            self.send_header("ETag", '"1"')
            self.send_header("Content-Length", "0" if known else str(len(body)))
            self.end_headers()
            if not known:
                self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{made.server_port}"
        made.shutdown()
