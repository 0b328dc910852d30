"""Run the server of a service in a thread: for tests, examples and notebooks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from fastapi import FastAPI

from gtopss.http.server import bind, server_of
from gtopss.http.starting import StartingApp


@contextmanager
def serving(app: FastAPI | StartingApp, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve an application during the block, and yield its address. Port 0 is a free one."""
    with bind(host, port) as listener:
        listener.listen()  # clients may connect before the thread has started
        server = server_of(app)
        server.capture_signals = nullcontext  # type: ignore[method-assign, assignment]  # for the main thread only
        thread = threading.Thread(target=lambda: server.run(sockets=[listener]), name="gtopss-http", daemon=True)
        thread.start()
        try:
            yield f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
