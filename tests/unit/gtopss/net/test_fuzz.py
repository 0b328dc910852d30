"""Whatever a stranger writes or sends, what comes of it is a response or a FetchError."""

from __future__ import annotations

import contextlib
import gzip
import socket
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from gtopss.net import (
    BlockedAddress,
    Connector,
    FetchError,
    FetchLimits,
    InvalidURL,
    PollResult,
    UnsuccessfulStatus,
    fetch_all,
    parse_url,
)
from gtopss.net.addresses import Address, blocked_kind

SEEDS = [
    b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nETag: \"1\"\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\n\r\n<rss/>",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nCache-Control: max-age=9\r\n\r\n6\r\n<rss/>\r\n0\r\n\r\n",
    b"HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n\r\n"
    + gzip.compress(b"<rss/>", mtime=0),
    b"HTTP/1.1 301 Moved\r\nLocation: http://10.0.0.1/\r\n\r\n",
    b"HTTP/1.1 503 Busy\r\nRetry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n\r\n",
]  # fmt: skip
HOSTS = ["127.1", "0x7f", "①", "。", ".", "@", ":", "[", "]", "::1", "%25", "/", "\\", "localhost", "8.8.8.8", "ü", "-"]


@contextlib.contextmanager
def door_to(answer: bytes) -> Iterator[Connector]:
    """A connector behind which every public address gives this answer."""
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


def outcome_of(answer: bytes) -> PollResult:
    with door_to(answer) as connector:
        (outcome,) = fetch_all(["http://8.8.8.8/"], connector=connector)
    return outcome


def test_whole_answers_are_read() -> None:
    outcomes = [outcome_of(seed) for seed in SEEDS]
    assert [outcome.response and outcome.response.body for outcome in outcomes] == [b"<rss/>"] * 3 + [None] * 2
    assert [type(outcome.error) for outcome in outcomes[3:]] == [BlockedAddress, UnsuccessfulStatus]


@settings(max_examples=400, deadline=None)
@given(answer=damaged() | st.binary(max_size=200))
def test_damaged_answers_are_responses_or_fetch_errors(answer: bytes) -> None:
    outcome = outcome_of(answer)
    if outcome.response is None:
        assert isinstance(outcome.error, FetchError), repr(outcome.error)
        assert outcome.error.url == "http://8.8.8.8/"
        assert outcome.error.reason
    else:
        assert outcome.response.status in (200, 203)


@settings(max_examples=500)
@given(text=st.text(max_size=30) | st.lists(st.sampled_from(HOSTS), max_size=6).map("".join), prefix=st.booleans())
def test_any_text_is_a_url_in_one_spelling_or_refused(text: str, prefix: bool) -> None:
    try:
        url = parse_url(f"http://{text}" if prefix else text)
    except InvalidURL:
        return
    assert parse_url(str(url)) == url
    assert str(url).isascii()
    assert "@" not in url.host


@settings(max_examples=200)
@given(number=st.integers(0, 2**32 - 1))
def test_all_spellings_of_an_ipv4_address_get_the_same_verdict(number: int) -> None:
    a, b, c, d = number.to_bytes(4, "big")
    spellings = [f"{number}", f"{number:#x}", f"0{number:o}", f"{a}.{b}.{c}.{d}", f"{a:#x}.0{b:o}.{c << 8 | d}"]
    found = {parse_url(f"http://{host}/").address for host in spellings}
    assert len(found) == 1
    mapped = parse_url(f"http://[::ffff:{a}.{b}.{c}.{d}]/").address
    translated = parse_url(f"http://[64:ff9b::{a}.{b}.{c}.{d}]/").address
    verdicts = {blocked_kind(address) is None for address in (*found, mapped, translated) if address is not None}
    assert len(verdicts) == 1
