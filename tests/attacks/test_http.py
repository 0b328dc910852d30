"""Hostile requests to the service over HTTP: feeds, documents, subscriptions, URLs and bytes that are no HTTP.

GTOPSS_SOAK=1 sends 5,000 requests, in parts with a service of their own, and opens 1,000 slow connections. The service
answers throughout, nothing is a server error, and no connection goes to an address that is not public.
"""

from __future__ import annotations

import contextlib
import random
import socket
from collections.abc import Callable
from ipaddress import ip_address
from urllib.parse import quote

import httpx
import pytest
from conftest import ROOT, SOAK
from support.hostile_publications import document
from support.hostile_queries import query
from support.hostile_rdf import HOSTILE_RDF
from support.services import VACCINES, NoInternet, listening, served

from gtopss import Engine
from gtopss.matching.index.warmup import compile_kernels

PART_REQUESTS = 500 if SOAK else 80  # accepted subscriptions stay, and every later document is matched with them
PARTS = 10 if SOAK else 1
TIMEOUT_SECONDS = 600 if SOAK else 120  # a hostile document may take 60 s to read, and a new reader as long to start
SLOW_CLIENTS = 1_000 if SOAK else 100
FEEDS = [path.read_bytes() for path in sorted((ROOT / "data" / "feeds").iterdir())]
HOSTS = (
    "127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "10.0.0.1",
    "169.254.169.254", "[fe80::1]", "192.168.1.1", "0.0.0.0", "rebinding.example", "１２７.０.０.１",
)  # fmt: skip
URLS = (
    "http://{}:{}/",
    "http://{}:{}@feeds.example/",
    "gopher://{}:{}/_x",
    "file://{}:{}/etc/passwd",
    "http://{}:{}\r\nX: y/",
)
BYTES = (
    b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x00\xf1", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET " + b"/" * 100_000,
    b"POST /publications HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    b"POST /publications HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nZZ\r\n",
    b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"A: b\r\n" * 20_000,
)  # fmt: skip
Send = Callable[[httpx.Client, random.Random], httpx.Response | None]


def send_query(client: httpx.Client, chance: random.Random) -> httpx.Response:
    path = chance.choice(("/subscriptions", "/subscriptions/check"))
    text = query(chance).encode("utf-8", "surrogatepass")
    if chance.random() < 0.2:
        text = text[: chance.randrange(len(text) + 1)] + chance.choice((b"\0", b"\xff", b"}", b""))
    return client.post(path, content=text, headers={"Content-Type": "application/sparql-query"})


def send_document(client: httpx.Client, chance: random.Random) -> httpx.Response:
    if chance.random() < 0.2:
        content, format = chance.choice(list(HOSTILE_RDF.values()))
    else:
        content, format = document(chance)
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    types = {"ntriples": "application/n-triples", "rdfxml": "application/rdf+xml", "json-ld": "application/ld+json"}
    media_type = types.get(format, chance.choice(("text/turtle", "application/octet-stream")))
    return client.post("/publications", content=data, headers={"Content-Type": media_type})


def send_feed(client: httpx.Client, chance: random.Random) -> httpx.Response:
    data = bytearray(chance.choice(FEEDS))
    for _ in range(chance.randrange(1, 30)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return client.post("/publications", content=bytes(data), headers={"Content-Type": "application/rss+xml"})


def send_url(client: httpx.Client, chance: random.Random) -> httpx.Response:
    url = chance.choice(URLS).format(chance.choice(HOSTS), chance.choice((80, 8080, 22)))
    if chance.random() < 0.5:
        return client.post("/feeds", json={"url": url})
    return client.post("/subscriptions", json={"query": VACCINES, "deliver": [{"address": url}]})


def send_path(client: httpx.Client, chance: random.Random) -> httpx.Response:
    odd = "".join(chance.choice("%/.?#\\\0ü\U0001f600~{}") for _ in range(chance.randrange(1, 40)))
    path = chance.choice(
        ("/publications/{}/explain/x", "/subscriptions/{}", "/read/{}/y/feed.atom", "/{}", "/terms?q={}")
    )
    return client.get(path.format(quote(odd, safe="")), headers={"Authorization": "Bearer gt_x"})


def send_bytes(client: httpx.Client, chance: random.Random) -> None:
    address = client.base_url.host, client.base_url.port or 80
    with contextlib.suppress(OSError), socket.create_connection(address, timeout=60) as connection:
        connection.sendall(chance.choice(BYTES))
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65_536):
            pass


KINDS: tuple[Send, ...] = (send_query, send_document, send_feed, send_url, send_path, send_bytes)


@pytest.mark.parametrize("part", range(PARTS))
def test_hostile_requests_cause_no_server_error_and_no_inward_connection(part: int) -> None:
    compile_kernels()
    internet = NoInternet("127.0.0.1", "10.0.0.1")
    statuses: dict[int, int] = {}
    with (
        served(Engine(), connector=internet.connector()) as it,
        listening(it.service, workers=True) as (host, port),
        httpx.Client(base_url=f"http://{host}:{port}", timeout=TIMEOUT_SECONDS) as client,
    ):
        for seed in range(part * PART_REQUESTS, (part + 1) * PART_REQUESTS):
            chance = random.Random(seed)
            response = KINDS[seed % len(KINDS)](client, chance)
            if response is not None:
                assert response.status_code < 500, (seed, response.text)
                statuses[response.status_code] = statuses.get(response.status_code, 0) + 1
            if seed % 20 == 19:
                assert client.get("/healthz").status_code == 200, seed
        assert client.get("/readyz").status_code == 200
        it.service.deliveries.schedule.run_due()
    assert not [each for each in internet.dialled if not ip_address(each).is_global]
    assert statuses.keys() >= {201, 202, 404, 422}  # some were accepted, and some were refused


@pytest.mark.parametrize(
    "sent", [b"", b"POST /publications HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n<urn:a>"]
)
def test_slow_clients_do_not_stop_a_fast_one(sent: bytes) -> None:
    with served() as it, listening(it.service) as (host, port), contextlib.ExitStack() as opened:
        for _ in range(SLOW_CLIENTS):
            opened.enter_context(socket.create_connection((host, port), timeout=60)).sendall(sent)
        with httpx.Client(base_url=f"http://{host}:{port}", timeout=60) as fast:
            for number in range(20):
                data = f"<urn:{number}> <urn:p> <urn:o> .".encode()
                response = fast.post("/publications", content=data, headers={"Content-Type": "text/turtle"})
                assert response.status_code == 202
