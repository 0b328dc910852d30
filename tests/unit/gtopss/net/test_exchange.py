from __future__ import annotations

import contextlib
import gzip
import itertools
import socket
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gtopss.net import (
    BadResponse,
    BlockedAddress,
    Connector,
    DeadlineExceeded,
    FetchError,
    FetchLimits,
    PollResult,
    ResponseTooLarge,
    UnsuccessfulStatus,
    fetch,
    fetch_all,
)
from gtopss.net.addresses import Address, blocked_kind

FEED = "http://feeds.example/rss"
SEEDS = [
    b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nETag: \"1\"\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\n\r\n<rss/>",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nCache-Control: max-age=9\r\n\r\n6\r\n<rss/>\r\n0\r\n\r\n",
    b"HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n\r\n"
    + gzip.compress(b"<rss/>", mtime=0),
    b"HTTP/1.1 301 Moved\r\nLocation: http://10.0.0.1/\r\n\r\n",
    b"HTTP/1.1 503 Busy\r\nRetry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n\r\n",
]  # fmt: skip  # fmt: skip


class TestHostileResponses:
    @pytest.mark.parametrize(
        "answer",
        [
            b"",
            b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
            b"\x00\xff\x16\x03\x01" * 50 + b"\r\n\r\n",
            b"<rss/>\n\n",
            b"HTTP/1.1 abc OK\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 5",
            b"HTTP/1.1 200 OK\r\nBad Header : x\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
            b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 1e3\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"f" * 5000 + b"\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabcde\r\n0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            b"HTTP/1.1 100 Continue\r\n\r\n" * 20 + b"HTTP/1.1 200 OK\r\n\r\n",
            b"HTTP/1.1 304 Not Modified\r\n\r\n",
        ],
    )
    def test_what_is_not_a_whole_http_response_is_refused(self, internet, answer: bytes) -> None:
        internet.server.routes["/rss"] = answer
        with pytest.raises(BadResponse) as caught:
            fetch(FEED, connector=internet.connector())
        assert (caught.value.url, bool(caught.value.reason)) == (FEED, True)

    def test_bytes_after_the_stated_length_are_ignored(self, internet) -> None:
        internet.server.routes["/rss"] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nmore"
        assert fetch(FEED, connector=internet.connector()).body == b"ok"

    def test_chunks_and_bodies_to_the_end_are_read(self, internet, http) -> None:
        internet.server.routes["/rss"] = http(
            b"2\r\nab\r\n1;x=y\r\nc\r\n0\r\nTrailer: 1\r\n\r\n", "Transfer-Encoding: chunked", length=False
        )
        assert fetch(FEED, connector=internet.connector()).body == b"abc"
        internet.server.routes["/rss"] = http(b"abc", length=False)
        assert fetch(FEED, connector=internet.connector()).body == b"abc"

    @pytest.mark.parametrize(
        "headers",
        [
            [f"X-{n}: 1" for n in range(200)],
            ["X: " + "a" * 40_000],
            [f"X-{n}: {'a' * 1000}" for n in range(60)],
        ],
    )
    def test_huge_headers_are_refused(self, internet, http, headers: list[str]) -> None:
        internet.server.routes["/rss"] = http(b"ok", *headers)
        with pytest.raises(ResponseTooLarge):
            fetch(FEED, connector=internet.connector())

    def test_endless_headers_are_refused(self, internet) -> None:
        first, piece = b"HTTP/1.1 200 OK\r\n", b"X: " + b"a" * 1000 + b"\r\n"
        internet.server.routes["/rss"] = internet.server.drip(piece, first=first, every=0)
        with pytest.raises(ResponseTooLarge):
            fetch(FEED, connector=internet.connector())

    def test_a_stated_length_above_the_cap_is_refused_before_the_body(self, internet) -> None:
        internet.server.routes["/rss"] = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"
        with pytest.raises(ResponseTooLarge):
            fetch(FEED, connector=internet.connector())

    @pytest.mark.parametrize(
        ("header", "piece"),
        [
            (b"", b"a" * 65536),
            (b"Transfer-Encoding: chunked\r\n", b"10000\r\n" + b"a" * 65536 + b"\r\n"),
        ],
    )
    def test_an_endless_body_ends_at_the_cap(self, internet, header: bytes, piece: bytes) -> None:
        first = b"HTTP/1.1 200 OK\r\n" + header + b"\r\n"
        internet.server.routes["/rss"] = internet.server.drip(piece, first=first, every=0)
        with pytest.raises(ResponseTooLarge):
            fetch(FEED, connector=internet.connector(limits=FetchLimits(wire_bytes=1_000_000, total_seconds=5)))

    def test_a_connection_that_is_closed_without_a_response_is_named(self, internet) -> None:
        internet.server.routes["/rss"] = b""
        with pytest.raises(BadResponse, match="closed the connection without a response"):
            fetch(FEED, connector=internet.connector())

    def test_a_body_in_tiny_chunks_is_refused(self, internet) -> None:
        first = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        internet.server.routes["/rss"] = internet.server.drip(b"1\r\na\r\n" * 1000, first=first, every=0)
        with pytest.raises(BadResponse, match="chunks"):
            fetch(FEED, connector=internet.connector())

    @pytest.mark.parametrize("extra", [b"1;" + b"x" * 200_000, b"0\r\n" + b"X: y\r\n" * 50_000])
    def test_endless_chunk_extensions_and_trailers_are_refused(self, internet, extra: bytes) -> None:
        internet.server.routes["/rss"] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + extra
        with pytest.raises((ResponseTooLarge, BadResponse)):
            fetch(FEED, connector=internet.connector())


class TestDeadlines:
    @pytest.mark.parametrize(
        ("first", "piece"),
        [
            (b"", b""),
            (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
            (b"HTTP/1.1 200 OK\r\nX: ", b"a"),
            (b"HTTP/1.1 200 OK\r\n\r\n", b"a"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b"a"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
        ],
        ids=["silence", "headers", "one header", "body", "body with length", "chunks"],
    )
    def test_a_server_that_drips_meets_the_deadline(self, internet, first: bytes, piece: bytes) -> None:
        internet.server.routes["/rss"] = internet.server.drip(piece, first=first)
        ticks = itertools.count()
        connector = internet.connector(limits=FetchLimits(total_seconds=0.3), clock=lambda: next(ticks) * 0.02)
        with pytest.raises(DeadlineExceeded) as caught:
            fetch(FEED, connector=connector)
        assert next(ticks) * 0.02 < 0.4  # nothing is read after the deadline
        assert (caught.value.url, caught.value.seconds) == (FEED, 0.3)


@contextlib.contextmanager
def connector_answering(answer: bytes) -> Iterator[Connector]:
    """A connector for which every public address sends this response."""
    with contextlib.ExitStack() as open_ends:

        def dial(address: Address, port: int, timeout: float) -> socket.socket:
            assert blocked_kind(address) is None
            client, server = socket.socketpair()
            open_ends.enter_context(server)
            server.sendall(answer)
            server.shutdown(socket.SHUT_WR)
            return client

        yield Connector(resolve=lambda host, port: ["8.8.8.8"], dial=dial, limits=FetchLimits(total_seconds=5))


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    answer = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(0, 6))):
        place = draw(st.integers(0, len(answer)))
        answer[place : place + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(answer)


def result_of(answer: bytes) -> PollResult:
    with connector_answering(answer) as connector:
        (result,) = fetch_all(["http://8.8.8.8/"], connector=connector)
    return result


def test_whole_answers_are_read() -> None:
    results = [result_of(seed) for seed in SEEDS]
    assert [result.response and result.response.body for result in results] == [b"<rss/>"] * 3 + [None] * 2
    assert [type(result.error) for result in results[3:]] == [BlockedAddress, UnsuccessfulStatus]


@settings(max_examples=400, deadline=None)
@given(answer=damaged() | st.binary(max_size=200))
def test_damaged_answers_are_responses_or_fetch_errors(answer: bytes) -> None:
    result = result_of(answer)
    if result.response is None:
        assert isinstance(result.error, FetchError), repr(result.error)
        assert result.error.url == "http://8.8.8.8/"
        assert result.error.reason
    else:
        assert result.response.status in (200, 203)
