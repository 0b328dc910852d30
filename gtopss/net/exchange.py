"""Send one HTTP request on one connection and read the response.

h11 parses HTTP. It does no input or output of its own, so every read here is counted and bounded by the deadline. It
is strict about framing, so an incomplete body is an error rather than a shorter body. It has no pool, cookies, proxies
or decompression that would have to be switched off.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import h11

from gtopss.net.connector import Connector
from gtopss.net.decoding import Decoder
from gtopss.net.errors import BadResponse, ConnectionFailed, ResponseTooLarge
from gtopss.net.limits import Deadline
from gtopss.net.url import Url

RECEIVE_BUFFER_BYTES = 64 * 1024
"""Bytes read from the socket per call."""
MAX_INTERIM_RESPONSES = 8
"""Responses with status 1xx before the final one; above this the response is refused."""
CHUNKS_BEFORE_SIZE_CHECK = 4096
"""Chunks of a chunked body that may have any size; after them `MIN_AVERAGE_CHUNK_BYTES` applies."""
MIN_AVERAGE_CHUNK_BYTES = 16
"""Average chunk size below which a body of many chunks is refused: tiny chunks cost far more time than bytes."""

Header = tuple[str, str]


@dataclass(frozen=True, slots=True)
class RawResponse:
    """The response to one request, before redirects are followed. The body is empty unless the caller asked for it."""

    status: int
    headers: tuple[Header, ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """Return the value of a header, or None. Several values of one name are joined by commas."""
        values = [value for key, value in self.headers if key == name]
        return ", ".join(values) if values else None


def exchange(
    url: Url,
    *,
    connector: Connector,
    deadline: Deadline,
    headers: Iterable[Header],
    body_statuses: frozenset[int] = frozenset({200}),
    post: bytes | None = None,
) -> RawResponse:
    """Request `url` and read the response, within the limits of `connector`.

    The body is read only if the status is in `body_statuses`. If `post` is given, it is sent as the body of a POST
    request; the caller passes its Content-Type in `headers`.
    """
    with connector.host_slot(url, deadline):
        connection = connector.connect(url, deadline)
        try:
            return _Exchange(connection, connector, deadline).request(url, headers, body_statuses, post)
        except h11.RemoteProtocolError as error:
            if error.error_status_hint == 431:
                raise ResponseTooLarge(deadline.url, "headers, in bytes,", connector.limits.header_bytes) from None
            raise BadResponse(deadline.url, f"the response is not HTTP: {error}") from None
        finally:
            connection.close()


class _Exchange:
    def __init__(self, connection: socket.socket, connector: Connector, deadline: Deadline) -> None:
        self._connection, self._limits, self._deadline = connection, connector.limits, deadline
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=connector.limits.header_bytes)
        self._received = 0

    def request(
        self, url: Url, headers: Iterable[Header], body_statuses: frozenset[int], post: bytes | None
    ) -> RawResponse:
        everything = [("Host", url.authority), *headers]
        events: list[h11.Event] = [h11.EndOfMessage()]
        if post is not None:
            everything.append(("Content-Length", str(len(post))))
            events.insert(0, h11.Data(data=post))
        method = "GET" if post is None else "POST"
        request = h11.Request(method=method, target=url.target, headers=everything)
        self._send(b"".join(self._http.send(event) or b"" for event in (request, *events)))
        head = self._response()
        response = RawResponse(head.status_code, self._headers(head), b"")
        if response.status not in body_statuses:
            return response
        return RawResponse(response.status, response.headers, self._body(response))

    def _response(self) -> h11.Response:
        for _ in range(MAX_INTERIM_RESPONSES):
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
        headers = tuple((name.decode("ascii"), _decode_header(value)) for name, value in response.headers)
        if sum(len(name) + len(value) + 4 for name, value in response.headers) > limits.header_bytes:
            raise ResponseTooLarge(url, "headers, in bytes,", limits.header_bytes)
        return headers

    def _body(self, response: RawResponse) -> bytes:
        url, limits = self._deadline.url, self._limits
        length = response.header("content-length")
        if length is not None and int(length.partition(",")[0]) > limits.wire_bytes:
            raise ResponseTooLarge(url, "body, in bytes,", limits.wire_bytes)
        decoder = Decoder(
            response.header("content-encoding") or "",
            limit=limits.decoded_bytes,
            url=url,
            check_deadline=lambda: self._deadline.remaining("decoding the body"),
        )
        size = chunks = 0
        while isinstance(event := self._next("reading the body"), h11.Data):
            size += len(event.data)
            chunks += 1
            if size > limits.wire_bytes:
                raise ResponseTooLarge(url, "body, in bytes,", limits.wire_bytes)
            if event.chunk_start and chunks > CHUNKS_BEFORE_SIZE_CHECK and size < chunks * MIN_AVERAGE_CHUNK_BYTES:
                raise BadResponse(url, f"its body is split into {chunks} chunks of {size / chunks:.0f} bytes")
            decoder.feed(bytes(event.data))
        if not isinstance(event, h11.EndOfMessage):
            raise BadResponse(url, "the server closed the connection before the end of the response")
        return decoder.finish()

    def _next(self, stage: str) -> object:
        """Return the next h11 event.

        The limit on received bytes is above the limit on the body, to leave space for chunk sizes and trailers.
        """
        while (event := self._http.next_event()) is h11.NEED_DATA:
            data = self._receive(stage)
            if not data and self._received == 0:
                raise BadResponse(self._deadline.url, "the server closed the connection without a response")
            self._received += len(data)
            if self._received > 2 * self._limits.wire_bytes + (MAX_INTERIM_RESPONSES + 2) * self._limits.header_bytes:
                raise ResponseTooLarge(self._deadline.url, "response, in bytes,", 2 * self._limits.wire_bytes)
            self._http.receive_data(data)
        self._deadline.remaining(stage)
        return event

    def _receive(self, stage: str) -> bytes:
        with self._within_deadline(stage):
            return self._connection.recv(RECEIVE_BUFFER_BYTES)

    def _send(self, data: bytes) -> None:
        with self._within_deadline("sending the request"):
            self._connection.sendall(data)

    @contextlib.contextmanager
    def _within_deadline(self, stage: str) -> Iterator[None]:
        """Set the socket's timeout to the time left, and translate its errors."""
        self._connection.settimeout(self._deadline.remaining(stage))
        try:
            yield
        except TimeoutError:
            raise self._deadline.exceeded(stage) from None
        except OSError as error:
            raise ConnectionFailed(self._deadline.url, f"the connection broke while {stage}: {error}") from error


def _decode_header(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
