from __future__ import annotations

import gzip
import time
import tracemalloc
import zlib

import pytest

from gtopss.net import BadResponse, DeadlineExceeded, FetchLimits, ResponseTooLarge, UnsupportedEncoding, fetch
from gtopss.net.decoding import MAX_GZIP_MEMBERS, Decoder

FEED = "http://feeds.example/rss"
TEXT = b"<rss>" + bytes(range(256)) * 2000 + b"</rss>"


def raw_deflate(data: bytes) -> bytes:
    squeezer = zlib.compressobj(wbits=-15)
    return squeezer.compress(data) + squeezer.flush()


def zeros(megabytes: int, wbits: int) -> bytes:
    """So many megabytes of zeros: one, squeezed so that it can be repeated. There is no end to the stream."""
    squeezer = zlib.compressobj(9, wbits=wbits)
    first, again = (squeezer.compress(bytes(1_000_000)) + squeezer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + again * (megabytes - 1)


@pytest.fixture(scope="module")
def gigabyte() -> bytes:
    bomb = zeros(1000, 31)
    assert len(bomb) < 2_000_000
    assert len(zlib.decompressobj(31).decompress(bomb, 50_000_000)) == 50_000_000
    return bomb


@pytest.mark.parametrize(
    ("header", "coded"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("X-GZip", gzip.compress(TEXT)),
        ("identity, gzip", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:])),
        ("gzip", gzip.compress(TEXT) + b"\0" * 512),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
        ("identity", TEXT),
        ("", TEXT),
    ],
)
@pytest.mark.parametrize("step", [1, 1000, 10_000_000])
def test_a_body_is_decoded_however_it_is_cut(header: str, coded: bytes, step: int) -> None:
    decoder = Decoder(header, limit=len(TEXT), url="u", check_deadline=lambda: None)
    for start in range(0, len(coded), step):
        decoder.feed(coded[start : start + step])
    assert decoder.finish() == TEXT


@pytest.mark.parametrize("squeeze", [gzip.compress, zlib.compress, raw_deflate, lambda data: data])
def test_the_size_limit_is_exact(squeeze) -> None:
    header = {gzip.compress: "gzip", zlib.compress: "deflate", raw_deflate: "deflate"}.get(squeeze, "")
    decoder = Decoder(header, limit=len(TEXT) - 1, url="u", check_deadline=lambda: None)
    with pytest.raises(ResponseTooLarge):
        decoder.feed(squeeze(TEXT))


@pytest.mark.parametrize(
    "header",
    [
        "br",
        "zstd",
        "compress",
        "gzip, gzip",
        "gzip,deflate",
        "deflate, br",
        "gzip, identity, gzip",
        "utf-8",
        "gzip;q=1",
    ],
)
def test_codings_that_were_not_requested_are_refused(internet, http, header: str) -> None:
    internet.server.routes["/rss"] = http(b"x", f"Content-Encoding: {header}")
    with pytest.raises(UnsupportedEncoding):
        fetch(FEED, connector=internet.connector())


def test_codings_in_two_headers_are_nested_too(internet, http) -> None:
    internet.server.routes["/rss"] = http(b"x", "Content-Encoding: gzip", "Content-Encoding: gzip")
    with pytest.raises(UnsupportedEncoding):
        fetch(FEED, connector=internet.connector())


def test_gzip_inside_gzip_is_refused(internet, http) -> None:
    internet.server.routes["/rss"] = http(gzip.compress(gzip.compress(TEXT)), "Content-Encoding: gzip")
    with pytest.raises(UnsupportedEncoding, match="contains another gzip file"):
        fetch(FEED, connector=internet.connector())


@pytest.mark.parametrize(
    "coded",
    [
        b"<rss/>",
        b"\x1f\x8b",
        gzip.compress(TEXT)[:-1],
        gzip.compress(TEXT)[:500],
        gzip.compress(TEXT)[:-8] + b"badcrc!!",
    ],
)
def test_a_broken_body_is_refused(internet, http, coded: bytes) -> None:
    internet.server.routes["/rss"] = http(coded, "Content-Encoding: gzip")
    with pytest.raises(BadResponse):
        fetch(FEED, connector=internet.connector())


def test_an_empty_body_has_no_coding(internet, http) -> None:
    internet.server.routes["/rss"] = http(b"", "Content-Encoding: gzip")
    assert fetch(FEED, connector=internet.connector()).body == b""


def test_too_many_gzip_members_are_refused() -> None:
    decoder = Decoder("gzip", limit=10**6, url="u", check_deadline=lambda: None)
    with pytest.raises(BadResponse, match="members"):
        decoder.feed(gzip.compress(b"") * (MAX_GZIP_MEMBERS + 1))


def test_decoding_is_under_the_deadline_as_well(gigabyte: bytes) -> None:
    def expire() -> None:
        raise DeadlineExceeded("u", 1, "decoding")

    with pytest.raises(DeadlineExceeded):
        Decoder("gzip", limit=10**12, url="u", check_deadline=expire).feed(gigabyte)


def cost_of(internet, limits: FetchLimits) -> tuple[float, int]:
    """Return the CPU seconds and the bytes of memory that a refused fetch costs in this thread."""
    connector = internet.connector(limits=limits)
    tracemalloc.start()
    try:
        started = time.thread_time()
        with pytest.raises(ResponseTooLarge):
            fetch(FEED, connector=connector)
        return time.thread_time() - started, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_gzip_bomb_of_a_gigabyte_costs_its_cap(internet, http, gigabyte: bytes) -> None:
    internet.server.routes["/rss"] = http(gigabyte, "Content-Encoding: gzip")
    seconds, peak = cost_of(internet, FetchLimits(decoded_bytes=10_000_000))
    assert seconds < 1
    assert peak < 25_000_000


@pytest.mark.parametrize("wbits", [15, -15])
def test_a_deflate_bomb_costs_its_cap(internet, http, wbits: int) -> None:
    internet.server.routes["/rss"] = http(zeros(1000, wbits), "Content-Encoding: deflate")
    seconds, peak = cost_of(internet, FetchLimits(decoded_bytes=10_000_000))
    assert seconds < 1
    assert peak < 25_000_000


def test_a_body_of_200_megabytes_costs_its_cap(internet) -> None:
    piece = bytes(1_000_000)

    def pour(connection) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(200):
            connection.sendall(piece)

    internet.server.routes["/rss"] = pour
    seconds, peak = cost_of(internet, FetchLimits(wire_bytes=10_000_000))
    assert seconds < 2
    assert peak < 25_000_000
