"""A document sent: through the same connector, with the same guards."""

from __future__ import annotations

import h11
import pytest

from gtopss.net import (
    BadResponse,
    BlockedAddress,
    Connector,
    FetchLimits,
    InvalidURL,
    ResponseTooLarge,
    UnsuccessfulStatus,
    post,
)

SERVICE = "http://service.example/ask"


@pytest.fixture(autouse=True)
def service(internet) -> None:
    internet.name("service.example")


def test_what_is_sent_and_what_comes_back(internet, http) -> None:
    internet.server.routes["/ask"] = http(b'{"answer": true}', "Content-Type: application/json")
    response = post(SERVICE, b"{}", "application/json", connector=internet.connector())
    assert (response.status, response.body, response.content_type) == (200, b'{"answer": true}', "application/json")
    line, *headers = internet.server.requests[0].partition("\r\n\r\n")[0].split("\r\n")
    assert line == "POST /ask HTTP/1.1"
    assert "Content-Length: 2" in headers
    assert "Content-Type: application/json" in headers


def test_an_empty_document(internet, http) -> None:
    internet.server.routes["/ask"] = http(b"")
    post(SERVICE, b"", "text/plain", connector=internet.connector())
    assert "Content-Length: 0" in internet.server.requests[0]


@pytest.mark.parametrize("status", [b"301 Moved", b"307 Elsewhere", b"204 Nothing", b"404 Not Found", b"500 Broken"])
def test_anything_but_an_answer_is_an_error_and_redirects_are_not_followed(internet, status: bytes) -> None:
    internet.server.routes["/ask"] = (
        b"HTTP/1.1 " + status + b"\r\nLocation: http://service.example/other\r\nContent-Length: 0\r\n\r\n"
    )
    with pytest.raises(UnsuccessfulStatus) as caught:
        post(SERVICE, b"{}", "application/json", connector=internet.connector())
    assert caught.value.status == int(status.split()[0])
    assert len(internet.server.requests) == 1


def test_the_guards_hold(internet, http, trap) -> None:
    with pytest.raises(BlockedAddress):
        post(f"http://127.0.0.1:{trap.port}/", b"secret", "text/plain", connector=Connector())
    assert not trap.touched
    with pytest.raises(InvalidURL):
        post("file:///etc/passwd", b"", "text/plain", connector=Connector())
    internet.server.routes["/ask"] = http(b"x" * 5000)
    with pytest.raises(ResponseTooLarge):
        post(
            SERVICE,
            b"{}",
            "text/plain",
            connector=internet.connector(limits=FetchLimits(total_seconds=5, wire_bytes=1000)),
        )
    internet.server.routes["/ask"] = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"
    with pytest.raises(BadResponse):
        post(SERVICE, b"{}", "text/plain", connector=internet.connector())


def test_a_content_type_cannot_smuggle_headers(internet, http) -> None:
    internet.server.routes["/ask"] = http(b"")
    with pytest.raises(h11.LocalProtocolError):
        post(SERVICE, b"", "text/plain\r\nX-Injected: 1", connector=internet.connector())
    assert not internet.server.requests
