"""The client against a real service on loopback: every method, errors, and streams that survive a restart."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.brokers import TestClock
from support.live_services import Collected, live_service
from support.services import FEED, VACCINES

from gtopss.broker.errors import FeedNotFound, InvalidKey, InvalidTicket
from gtopss.client import (
    AsyncClient,
    Client,
    Document,
    InvalidAddress,
    InvalidResponse,
    RequestRefused,
    ServiceUnreachable,
    Target,
)
from gtopss.errors import InvalidQuery, MalformedPublication
from gtopss.http.service import Service

WRONG = "gt_" + "A" * 43


@pytest.fixture(scope="module")
def live() -> Iterator[tuple[str, Service]]:
    with live_service() as made:
        yield made


@pytest.fixture
def client(live: tuple[str, Service]) -> Iterator[Client]:
    with Client(live[0]) as made:
        yield made


def item(number: int) -> bytes:
    return FEED.replace(b"urn:example:1", b"urn:example:vaccine-%d" % number)


def test_a_script_subscribes_publishes_and_follows(client: Client) -> None:
    mine = client.subscribe(VACCINES, validity="2h")
    found = Collected(client.follow(mine.id, mine.ticket, after=0))
    done = client.publish(item(1), "application/rss+xml", source="https://news.example/feed")
    assert not done.durable
    assert [each.id for each in done.results[0].publications]
    (match,) = found.wait_for(1)
    assert (match.kind, match.sequence, match.title) == ("match", 1, "A vaccine is tested")
    assert match.link == "https://news.example/1"
    assert "vaccine" in match.why
    assert match.bindings[0]["title"]["value"] == "A vaccine is tested"
    assert client.matches(mine.id, mine.ticket).notifications == (match,)
    assert client.matches(mine.id, mine.ticket, after=1).notifications == ()
    assert "A vaccine is tested" in client.atom_feed(mine.id, mine.ticket)
    client.unsubscribe(mine.id, mine.ticket)
    assert found.wait_for_end() == [match]


def test_a_subscription_is_checked_listed_replaced_paused_and_renewed(client: Client) -> None:
    checked = client.check("vaccine", form="short")
    assert checked.query.startswith("SELECT")
    mine = client.subscribe("vaccine", form="short", validity=3_600, at_most=3, digest="1m")
    read = client.subscription(mine.id, mine.ticket)
    assert (read.query, read.form, read.validity, read.at_most, read.digest) == ("vaccine", "short", 3_600, 3, 60)
    assert mine.id in {each.id for each in client.subscriptions()}
    client.pause(mine.id, mine.ticket)
    assert client.subscription(mine.id, mine.ticket).paused
    client.resume(mine.id, mine.ticket)
    client.replace(mine.id, mine.ticket, "football", form="short")
    assert client.subscription(mine.id, mine.ticket).query == "football"
    renewed = client.renew(mine.id, mine.ticket, validity="2d")
    assert renewed.expires_at is not None
    assert mine.expires_at is not None
    assert (renewed.expires_at - mine.expires_at).days >= 1
    assert client.read_address(mine.id, mine.ticket).feed.startswith(client.url)
    assert client.subscribe(VACCINES, deliver=[Target("https://me.example/hook")]).targets[0].secret


def test_problem_details_become_the_errors_of_the_project(client: Client) -> None:
    with pytest.raises(InvalidQuery) as query:
        client.subscribe("SELECT ?x {\n ?x rss:title }")
    assert (query.value.line, query.value.column is not None) == (2, True)
    assert "line 2" in str(query.value)
    mine = client.subscribe(VACCINES)
    for call in (client.subscription, client.renew, client.unsubscribe, client.matches):
        with pytest.raises(InvalidTicket, match="no active subscription"):
            call(mine.id, WRONG)
    with pytest.raises(InvalidTicket):
        list(client.follow(mine.id, WRONG))
    with pytest.raises(MalformedPublication):
        client.publish("<a> <b>", "text/turtle")
    with pytest.raises(FeedNotFound):
        client.remove_feed("https://news.example/none")
    with pytest.raises(RequestRefused) as refused:
        client.subscribe(VACCINES, validity="soon")
    assert (refused.value.status, refused.value.problem) == (422, "invalid-request")
    with Client(client.url, key="gk_" + "A" * 43) as other, pytest.raises(InvalidKey):
        other.subscribe(VACCINES)


def test_of_several_documents_each_has_its_result(client: Client) -> None:
    bad, good = Document("<a> <b>", "text/turtle"), Document("<urn:a> <urn:b> <urn:c> .", "text/turtle", id="urn:one")
    done = client.publish_many([bad, good])
    assert isinstance(done.results[0].error, MalformedPublication)
    assert [each.id for each in done.results[1].publications] == ["urn:one"]
    assert client.publish_many([good]).results[0].publications[0].duplicate


def test_feeds_are_imported_listed_and_removed(client: Client) -> None:
    opml = b'<opml version="2.0"><body><outline xmlUrl="https://news.example/feed"/></body></opml>'
    assert client.import_opml(opml).added == 1
    assert [each.url for each in client.feeds()] == ["https://news.example/feed"]
    assert "https://news.example/feed" in client.export_opml()
    client.remove_feed("https://news.example/feed")
    assert client.feeds() == ()


def test_no_service_is_one_clear_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    with Client(url) as client:
        for attempt in (client.feeds, lambda: list(client.follow("s", WRONG))):
            with pytest.raises(ServiceUnreachable, match="no service answers") as error:
                attempt()
            assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:8181", "begins with http:// or https://, such as http://127.0.0.1:8181"),
        ("localhost:8080/", "such as http://localhost:8080"),
        ("ftp://a.example", "begins with http:// or https://"),
        ("", "begins with http:// or https://"),
        ("http://", "names no host"),
        ("http://bad host:x", "Invalid port"),
        (None, "is a text"),
    ],
)
@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_an_address_that_is_none_is_refused_when_the_client_is_created(
    kind: type[Client | AsyncClient], address: Any, message: str
) -> None:
    with pytest.raises(InvalidAddress, match=re.escape(message)) as error:
        kind(address)
    assert isinstance(error.value, ValueError)


def test_another_program_at_the_address_is_recognised() -> None:
    answers = {"/feeds": httpx.Response(200, text="<html>"), "/subscriptions": httpx.Response(502, text="Bad gateway")}
    transport = httpx.MockTransport(lambda request: answers[request.url.path])
    with Client(transport=transport) as client:
        with pytest.raises(InvalidResponse, match="cannot be read"):
            client.feeds()
        with pytest.raises(InvalidResponse, match="status 502"):
            client.subscriptions()


def test_a_stream_continues_after_a_restart_of_the_service(tmp_path: Path) -> None:
    """What is published while the reader is away is not missed, and nothing is read twice."""
    store = f"sqlite:{tmp_path / 'broker.db'}"
    with live_service(store=store) as (url, service):
        port = int(url.rpartition(":")[2])
        client = Client(url, sleep=lambda seconds: None)
        mine = client.subscribe(VACCINES)
        found = Collected(client.follow(mine.id, mine.ticket))
        client.publish(item(1))
        found.wait_for(1)
    with live_service(store=store, port=port) as (url, service):
        with Client(url) as other:
            other.publish(item(2))
        found.wait_for(2)
        service.broker.unsubscribe(mine.id, mine.ticket)
        assert [each.sequence for each in found.wait_for_end()] == [1, 2]
    client.close()


def stream_with_interruptions() -> httpx.MockTransport:
    """Answers an event stream that ends, then as a service that starts and as a proxy, then the rest of the stream."""
    events = {"content-type": "text/event-stream"}
    text = 'event: gap\nid: {0}\ndata: {{"first_sequence": {0}, "last_sequence": {0}}}\n\n'
    starting = {"type": "urn:gtopss:problem:not-ready", "title": "Not ready", "status": 503}
    responses = iter(
        [
            httpx.Response(200, headers=events, text=text.format(1)),
            httpx.Response(503, json=starting),
            httpx.Response(502, text="Bad gateway"),
            httpx.Response(200, headers=events, text=text.format(2) + "event: end\ndata: {}\n\n"),
        ]
    )
    return httpx.MockTransport(lambda request: next(responses))


def test_a_stream_continues_while_the_service_starts_behind_a_proxy() -> None:
    with Client(transport=stream_with_interruptions(), sleep=lambda seconds: None) as client:
        assert [each.sequence for each in client.follow("s", WRONG, after=0)] == [1, 2]


def test_a_service_that_starts_is_an_error_for_the_first_connection() -> None:
    problem = {"type": "urn:gtopss:problem:not-ready", "title": "Not ready", "status": 503}
    transport = httpx.MockTransport(lambda request: httpx.Response(503, json=problem))
    with Client(transport=transport) as client, pytest.raises(RequestRefused, match="not-ready"):
        next(iter(client.follow("s", WRONG, after=0)))


def test_an_expired_subscription_says_so_and_ends() -> None:
    clock = TestClock()
    with live_service(clock) as (url, _), Client(url) as client:
        mine = client.subscribe(VACCINES, validity=100)
        found = Collected(client.follow(mine.id, mine.ticket, after=0))
        clock.advance(95)
        found.wait_for(1)
        clock.advance(10)
        assert [each.kind for each in found.wait_for(2)] == ["expiring", "expired"]
        with pytest.raises(InvalidTicket):
            client.renew(mine.id, mine.ticket)
