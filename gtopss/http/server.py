"""Run the application of a service with uvicorn."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from gtopss.http.errors import AddressInUse

KEEP_ALIVE_SECONDS = 30
"""Time for which a connection without a request is kept."""
SHUTDOWN_SECONDS = 5
"""Time that running requests have to end when the service stops; event streams are closed then."""
MAX_HEADER_BYTES = 65_536
"""Bytes of the head of a request."""


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to an address. Raises AddressInUse."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise AddressInUse(host, port, error.strerror or str(error)) from error
    return made


def server_of(app: FastAPI) -> uvicorn.Server:
    """Return a server for an application."""
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
    )
    return _Server(config)


class _Server(uvicorn.Server):
    """A server that a signal ends, and that then returns: uvicorn's own raises the signal again."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
