"""The server on real sockets: slow clients, streams and its end."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from support.services import listening, served, ticket_of

from gtopss.http import server
from gtopss.http.app import create_app
from gtopss.http.errors import AddressInUse
from gtopss.http.server import MAX_HEADER_BYTES, TimedProtocol, bind, server_of

HEAD = b"POST /publications HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/turtle\r\n"


class Impatient(TimedProtocol):
    """Gives clients a twentieth of a second."""

    head_seconds = body_seconds = 0.05


def closed(connection: socket.socket) -> bool:
    """Return whether the server closes a connection without a response."""
    try:
        return connection.recv(1_000) == b""
    except ConnectionResetError:
        return True


def test_responses_are_sent_at_once() -> None:
    """Without TCP_NODELAY the second part of a response waits until the client has confirmed the first, for 40 ms."""
    found = list[int]()

    class Observed(TimedProtocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            found.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    with served() as it, listening(it.service, Observed) as address:
        assert httpx.get(f"http://127.0.0.1:{address[1]}/healthz").status_code == 200
    assert found == [1]


@pytest.mark.parametrize("sent", [b"", b"GET / HT", HEAD, HEAD + b"Content-Length: 100\r\n\r\n<urn:a>"])
def test_a_slow_head_or_body_is_cut_off(sent: bytes) -> None:
    with served() as it, listening(it.service, Impatient) as address:
        with socket.create_connection(address, timeout=30) as slow:
            slow.sendall(sent)
            assert closed(slow)
        assert httpx.get(f"http://127.0.0.1:{address[1]}/healthz").status_code == 200


def test_a_slow_second_head_is_cut_off() -> None:
    with (
        served() as it,
        listening(it.service, Impatient) as address,
        socket.create_connection(address, timeout=30) as slow,
    ):
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert read_until(slow, b"}").startswith(b"HTTP/1.1 200 OK")
        slow.sendall(b"GET /heal")
        assert closed(slow)


def test_a_client_that_does_not_read_is_cut_off() -> None:
    cut_off = threading.Event()

    class Unread(TimedProtocol):
        stall_seconds = 0.05

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            cut_off.set()

    with served() as it, listening(it.service, Unread) as address:
        mine = it.subscribe("SELECT ?text { ?item rss:description ?text }")
        text = b"word " * 30_000
        feed = b"<rss version='2.0'><channel>" + b"".join(
            b"<item><guid>%d</guid><description>%b</description></item>" % (number, text) for number in range(40)
        )
        it.publish(feed + b"</channel></rss>")
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            client.settimeout(30)
            client.connect(address)
            path = f"/subscriptions/{mine['id']}/matches?format=turtle"
            client.sendall(
                f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {mine['ticket']}\r\n\r\n".encode()
            )
            assert cut_off.wait(30)
            received = 0
            with contextlib.suppress(ConnectionResetError):
                while data := client.recv(65_536):
                    received += len(data)
            assert received < 40 * len(text)


def test_a_large_head_is_refused() -> None:
    with served() as it, listening(it.service) as address, socket.create_connection(address, timeout=30) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (MAX_HEADER_BYTES + 1))
        assert client.recv(1_000).startswith(b"HTTP/1.1 400")


def test_a_client_whose_body_is_refused_reads_the_whole_response() -> None:
    """If the server closed the connection, what the client sends next would reset it and might cost it the response."""
    with served() as it, listening(it.service) as address, socket.create_connection(address, timeout=30) as client:
        size = 10 * it.service.settings.max_body_bytes
        client.sendall(HEAD + f"Content-Length: {size}\r\n\r\n".encode())
        start = client.recv(65_536)
        for _ in range(5):
            client.sendall(b"x" * 100_000)
            time.sleep(0.05)
        client.shutdown(socket.SHUT_WR)
        while data := client.recv(65_536):
            start += data
    head, _, body = start.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 413")
    assert json.loads(body)["type"].endswith("body-too-large")


def test_a_client_that_sends_its_refused_body_without_end_is_cut_off() -> None:
    class Short(TimedProtocol):
        linger_seconds = 0.05

    with (
        served() as it,
        listening(it.service, Short) as address,
        socket.create_connection(address, timeout=30) as client,
    ):
        client.sendall(HEAD + b"Content-Length: 99999999999\r\n\r\n")
        assert client.recv(65_536).startswith(b"HTTP/1.1 413")
        assert sends_until_closed(client)


def sends_until_closed(client: socket.socket) -> bool:
    """Send until the connection is closed. Return False if it is not, for ten seconds."""
    for _ in range(1_000):
        try:
            client.sendall(b"x" * 10_000)
        except (BrokenPipeError, ConnectionResetError):
            return True
        time.sleep(0.01)
    return False


def test_connections_beyond_the_limit_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 1)
    with served() as it, listening(it.service) as address, socket.create_connection(address, timeout=30) as first:
        first.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        read_until(first, b"}")
        with socket.create_connection(address, timeout=30) as second:
            assert closed(second)


def test_an_event_stream_sends_matches_and_continues_after_an_id() -> None:
    with served() as it, listening(it.service) as (host, port):
        mine = it.subscribe()
        url = f"http://{host}:{port}/subscriptions/{mine['id']}/events"
        with httpx.stream("GET", url, headers=ticket_of(mine), timeout=30) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            lines = response.iter_lines()
            assert next(lines) == "retry: 3000"
            it.publish()
            event = [next(lines) for _ in range(4)]
            assert event[1:3] == ["event: match", "id: 1"]
            assert "A vaccine is tested" in event[3]
        read = mine["read_address"]["events"].replace("http://localhost", f"http://{host}:{port}")
        with httpx.stream("GET", read, headers={"Last-Event-ID": "0"}, timeout=30) as response:
            lines = response.iter_lines()
            assert [next(lines) for _ in range(4)][2:] == ["event: match", "id: 1"]


def test_many_clients_of_a_stream_get_the_same_events() -> None:
    with served() as it, listening(it.service) as address:
        mine = it.subscribe()
        path = mine["read_address"]["events"].removeprefix("http://localhost")
        clients = [socket.create_connection(address, timeout=30) for _ in range(50)]
        for client in clients:
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        for client in clients:
            read_until(client, b"retry: 3000\n\n")
        it.publish()
        for client in clients:
            assert b"A vaccine is tested" in read_until(client, b"}\n\n")
            client.close()


def test_a_client_of_http_1_0_gets_events_without_chunks() -> None:
    with served() as it, listening(it.service) as address:
        mine = it.subscribe()
        path = mine["read_address"]["events"].removeprefix("http://localhost")
        with socket.create_connection(address, timeout=30) as client:
            client.sendall(f"GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
            head = read_until(client, b"retry: 3000\n\n")
            assert b"transfer-encoding" not in head.lower()
            it.publish()
            assert read_until(client, b"}\n\n").startswith(b"event: match\nid: 1\n")


def test_the_server_ends_while_clients_wait_for_events() -> None:
    with served() as it:
        mine = it.subscribe()
        path = mine["read_address"]["events"].removeprefix("http://localhost")
        with listening(it.service) as address:
            client = socket.create_connection(address, timeout=30)
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            read_until(client, b"retry: 3000\n\n")
        assert client.recv(1_000) in (b"0\r\n\r\n", b"")  # the stream has ended in order
        assert it.service.live.clients == 0


def test_an_address_in_use_is_an_error_that_says_what_to_do() -> None:
    with bind("127.0.0.1", 0) as first:
        first.listen()
        with pytest.raises(AddressInUse, match="choose another --port"):
            bind("127.0.0.1", first.getsockname()[1])


@pytest.mark.parametrize(("number", "advice"), [(errno.EADDRNOTAVAIL, "--host"), (errno.EACCES, "--port above 1023")])
def test_an_address_that_cannot_be_bound_is_an_error_with_advice_that_fits(number: int, advice: str) -> None:
    assert str(AddressInUse("192.0.2.1", 80, OSError(number, "the reason"))).startswith(
        "cannot listen on 192.0.2.1:80: the reason: "
    )
    assert advice in str(AddressInUse("192.0.2.1", 80, OSError(number, "the reason")))


def read_until(client: socket.socket, end: bytes) -> bytes:
    """Return what a client receives, up to a text."""
    data = b""
    while end not in data:
        part = client.recv(65_536)
        assert part, data
        data += part
    return data


def test_a_request_that_runs_when_the_service_stops_gets_a_response_and_no_traceback(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, go_on = threading.Event(), threading.Event()

    def wait(*given: object) -> object:
        running.set()
        go_on.wait()
        return []

    with served() as it, bind("127.0.0.1", 0) as listener, caplog.at_level("INFO"):
        monkeypatch.setattr(it.service.feeds.list, "health", wait)
        listener.listen()
        stopping = server_of(create_app(it.service))
        stopping.config.timeout_graceful_shutdown = 0
        thread = threading.Thread(target=stopping.run, kwargs={"sockets": [listener]})
        thread.start()
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(httpx.get, f"http://127.0.0.1:{listener.getsockname()[1]}/feeds", timeout=60)
            running.wait()
            stopping.should_exit = True
            response = asked.result()
            go_on.set()
        thread.join()
    assert (response.status_code, response.json()["type"]) == (503, "urn:gtopss:problem:not-ready")
    assert [record for record in caplog.records if record.exc_info] == []
