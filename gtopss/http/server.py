"""Run the application of a service with uvicorn; clients that are too slow are cut off."""

from __future__ import annotations

import asyncio
import gc
import resource
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from gtopss.http import direct_writes
from gtopss.http.errors import AddressInUse
from gtopss.http.starting import StartingApp

HEAD_SECONDS = 10.0
"""Time for the head of a request, from its first byte; for the first one, from the connection."""
BODY_SECONDS = 120.0
"""Time for the body of a request."""
STALL_SECONDS = 60.0
"""Time for which a client may not read a response that waits for it."""
KEEP_ALIVE_SECONDS = 30
"""Time for which a connection without a request is kept."""
LINGER_SECONDS = 5.0
"""Time for which a client that still sends its request may read a response that refused it."""
SHUTDOWN_SECONDS = 5
"""Time that running requests have to end when the service stops."""
MAX_HEADER_BYTES = 65_536
"""Bytes of the head of a request."""
LISTEN_BACKLOG = 2_048
"""Connections that wait to be accepted."""
MAX_CONNECTIONS = 30_000
"""Connections at once; further ones are closed."""


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to an address. Raises AddressInUse."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends at once (TCP_NODELAY) only on sockets that say their protocol; else a response waits for 40 ms.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise AddressInUse(host, port, error) from error
    return made


def allow_many_connections() -> None:
    """Let this process open as many files as the system permits it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def freeze_memory() -> None:
    """Let the garbage collector skip all that exists now: with many subscriptions this is most of the memory."""
    gc.collect()
    gc.freeze()


def server_of(app: FastAPI | StartingApp, protocol: type[H11Protocol] | None = None) -> uvicorn.Server:
    """Return a server for an application, or for one that is starting."""
    config = uvicorn.Config(
        app,
        http=protocol or TimedProtocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        backlog=LISTEN_BACKLOG,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
    )
    return _Server(config, app.end_streams if isinstance(app, StartingApp) else app.state.service.live.close)


class _Server(uvicorn.Server):
    """A server that a signal ends, and that then returns: uvicorn's own raises the signal again."""

    def __init__(self, config: uvicorn.Config, end_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._end_streams = end_streams

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        try:
            before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        except ValueError:  # not in the main thread, as in tests
            before = {}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the event streams, which would never end by themselves, and then everything else."""
        self._end_streams()
        await super().shutdown(sockets)


class _LingeringTransport:
    """A transport whose `close` is the protocol's: uvicorn closes connections in several places."""

    __slots__ = ("_close", "inner", "is_lingering")

    def __init__(self, inner: asyncio.Transport, close: Callable[[], None]) -> None:
        self.inner, self._close, self.is_lingering = inner, close, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def is_closing(self) -> bool:
        return self.is_lingering or self.inner.is_closing()

    def close(self) -> None:
        self._close()


class TimedProtocol(H11Protocol):
    """HTTP/1.1 by h11, with a time limit for the head and the body of a request and for a client that does not read.

    A response may refuse a request whose body is still being sent. If the connection were closed then, what the client
    sends later would reset it, and the client might lose the response. So the connection is closed for writing, and
    what arrives is dropped until the client closes it too, for a few seconds (RFC 9112, section 9.6).
    """

    head_seconds, body_seconds, stall_seconds = HEAD_SECONDS, BODY_SECONDS, STALL_SECONDS
    linger_seconds = LINGER_SECONDS

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._application = self.app
        self.app = self._call_application
        self._timer: asyncio.TimerHandle | None = None
        self._timed_state: object = None
        self._stall_timer: asyncio.TimerHandle | None = None

    def _call_application(self, scope: Any, receive: Any, send: Any) -> Any:
        direct_writes.offer(scope, self._write_chunk)
        return self._application(scope, receive, send)

    def _write_chunk(self, chunk: bytes) -> bool:
        """Write an encoded chunk of a body, unless the client reads too slowly or is gone."""
        transport = self._lingering.inner
        if self.flow.write_paused or self._lingering.is_closing() or self.conn.our_state is not h11.SEND_BODY:
            return False
        transport.write(chunk)
        return True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._lingering = _LingeringTransport(transport, self._close)
        super().connection_made(cast("asyncio.Transport", self._lingering))
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
            return
        self._time()

    def data_received(self, data: bytes) -> None:
        if not self._lingering.is_lingering:
            super().data_received(data)
            self._time()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.conn.their_state is not h11.SEND_BODY:
            self._stop_timer()  # until the first byte of the next request, the time of keep-alive counts

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._stop_stall_timer()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Begin to wait for a client that does not read."""
        super().pause_writing()
        self._stop_stall_timer()
        self._stall_timer = self.loop.call_later(self.stall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on when the client has read."""
        super().resume_writing()
        self._stop_stall_timer()

    def _close(self) -> None:
        """Close the connection, but first for writing only if the client is still sending."""
        transport, is_sending = self._lingering.inner, self.conn.their_state in (h11.SEND_BODY, h11.ERROR)
        if self._lingering.is_lingering or not is_sending or transport.is_closing():
            transport.close()
            return
        self._stop_timer()
        self._lingering.is_lingering = True
        self._timer = self.loop.call_later(self.linger_seconds, self._cut_off)
        transport.write_eof()
        self.flow.resume_reading()

    def _time(self) -> None:
        """Start the time of the part of the request that is being received, if it has not begun yet."""
        state = self.conn.their_state
        if state is self._timed_state and self._timer is not None:
            return
        self._stop_timer()
        seconds = {h11.IDLE: self.head_seconds, h11.SEND_BODY: self.body_seconds}.get(state)
        if seconds is not None and not self.transport.is_closing():
            self._timed_state = state
            self._timer = self.loop.call_later(seconds, self._cut_off)

    def _cut_off(self) -> None:
        self._timer = None
        self.transport.abort()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _stop_stall_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None
