"""One request on one connection.

HTTP is parsed by h11: it does no input or output of its own, so that every read here is bounded by the deadline and
counted; it is strict about framing, so that a body cut short is an error and not a shorter body; and it has no pool,
no cookies, no proxies and no decompression that would have to be switched off.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import dataclass

import h11

from gtopss.net.connector import Deadline, Door
from gtopss.net.decoding import Decoder
from gtopss.net.errors import BadResponse, ConnectionFailed, ResponseTooLarge
from gtopss.net.url import Url

RECEIVED_AT_ONCE = 64 * 1024
INTERIM_RESPONSES = 8  # 100 and its kin, before the real one
FREE_CHUNKS = 4096  # that may be tiny
SMALLEST_CHUNK = 16  # bytes on average, beyond those

Header = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one server said to one request; the body is empty unless the status is among those whose body is wanted."""

    status: int
    headers: tuple[Header, ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """A header's value, several of one name joined by commas; None if it is not there."""
        values = [value for key, value in self.headers if key == name]
        return ", ".join(values) if values else None


def exchange(
    url: Url,
    *,
    door: Door,
    deadline: Deadline,
    headers: Iterable[Header],
    body_of: frozenset[int] = frozenset({200}),
    post: bytes | None = None,
) -> Answer:
    """Ask for `url`, and read the answer: its body only if the status is in `body_of`, within the door's limits.

    With `post` that is sent, by POST; its type is among the headers.
    """
    connection = door.connect(url, deadline)
    try:
        return _Exchange(connection, door, deadline).ask(url, headers, body_of, post)
    except h11.RemoteProtocolError as error:
        if error.error_status_hint == 431:
            raise ResponseTooLarge(deadline.url, "headers, in bytes,", door.limits.header_bytes) from None
        raise BadResponse(deadline.url, f"not HTTP: {error}") from None
    finally:
        connection.close()


class _Exchange:
    def __init__(self, connection: socket.socket, door: Door, deadline: Deadline) -> None:
        self._connection, self._limits, self._deadline = connection, door.limits, deadline
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=door.limits.header_bytes)
        self._received = 0

    def ask(self, url: Url, headers: Iterable[Header], body_of: frozenset[int], post: bytes | None) -> Answer:
        everything = [("Host", url.authority), *headers]
        events: list[h11.Event] = [h11.EndOfMessage()]
        if post is not None:
            everything.append(("Content-Length", str(len(post))))
            events.insert(0, h11.Data(data=post))
        method = "GET" if post is None else "POST"
        request = h11.Request(method=method, target=url.target, headers=everything)
        self._send(b"".join(self._http.send(event) or b"" for event in (request, *events)))
        response = self._response()
        answer = Answer(response.status_code, self._headers(response), b"")
        if answer.status not in body_of:
            return answer
        return Answer(answer.status, answer.headers, self._body(answer))

    def _response(self) -> h11.Response:
        for _ in range(INTERIM_RESPONSES):
            event = self._next("waiting for headers")
            if isinstance(event, h11.Response):
                return event
            if not isinstance(event, h11.InformationalResponse):
                break
        raise BadResponse(self._deadline.url, "the server sent no final response")

    def _headers(self, response: h11.Response) -> tuple[Header, ...]:
        url, limits = self._deadline.url, self._limits
        if len(response.headers) > limits.header_count:
            raise ResponseTooLarge(url, "number of headers", limits.header_count)
        headers = tuple((name.decode("ascii"), _text(value)) for name, value in response.headers)
        if sum(len(name) + len(value) + 4 for name, value in response.headers) > limits.header_bytes:
            raise ResponseTooLarge(url, "headers, in bytes,", limits.header_bytes)
        return headers

    def _body(self, answer: Answer) -> bytes:
        url, limits = self._deadline.url, self._limits
        length = answer.header("content-length")
        if length is not None and int(length.partition(",")[0]) > limits.wire_bytes:
            raise ResponseTooLarge(url, "body, in bytes,", limits.wire_bytes)
        decoder = Decoder(
            answer.header("content-encoding") or "",
            limit=limits.decoded_bytes,
            url=url,
            tick=lambda: self._deadline.remaining("decoding the body"),
        )
        size = chunks = 0
        while isinstance(event := self._next("reading the body"), h11.Data):
            size += len(event.data)
            chunks += 1
            if size > limits.wire_bytes:
                raise ResponseTooLarge(url, "body, in bytes,", limits.wire_bytes)
            if event.chunk_start and chunks > FREE_CHUNKS and size < chunks * SMALLEST_CHUNK:
                raise BadResponse(url, f"its body comes in {chunks} chunks of {size / chunks:.0f} bytes")
            decoder.feed(bytes(event.data))
        if not isinstance(event, h11.EndOfMessage):
            raise BadResponse(url, "the server hung up before the end of its response")
        return decoder.finish()

    def _next(self, stage: str) -> object:
        """The next event. The wire's own cap stands above the body's, for the chunks' sizes and trailers."""
        while (event := self._http.next_event()) is h11.NEED_DATA:
            data = self._receive(stage)
            self._received += len(data)
            if self._received > 2 * self._limits.wire_bytes + (INTERIM_RESPONSES + 2) * self._limits.header_bytes:
                raise ResponseTooLarge(self._deadline.url, "response, in bytes,", 2 * self._limits.wire_bytes)
            self._http.receive_data(data)
        self._deadline.remaining(stage)
        return event

    def _receive(self, stage: str) -> bytes:
        self._connection.settimeout(self._deadline.remaining(stage))
        try:
            return self._connection.recv(RECEIVED_AT_ONCE)
        except TimeoutError:
            raise self._deadline.exceeded(stage) from None
        except OSError as error:
            raise ConnectionFailed(self._deadline.url, f"the connection broke while {stage}: {error}") from error

    def _send(self, data: bytes) -> None:
        stage = "sending the request"
        self._connection.settimeout(self._deadline.remaining(stage))
        try:
            self._connection.sendall(data)
        except TimeoutError:
            raise self._deadline.exceeded(stage) from None
        except OSError as error:
            raise ConnectionFailed(self._deadline.url, f"the connection broke while {stage}: {error}") from error


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
