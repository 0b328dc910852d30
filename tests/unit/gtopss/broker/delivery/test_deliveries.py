"""Deliveries of a whole broker: a feed is published, matched and delivered."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Iterator

import pytest
from standardwebhooks import Webhook
from support.deliveries import Receiver

from gtopss.broker.broker import Acknowledgement, Broker
from gtopss.broker.delivery.deliveries import Deliveries
from gtopss.broker.delivery.event_stream import StreamSettings
from gtopss.broker.delivery.webhook import WebhookDelivery
from gtopss.broker.errors import InvalidTicket
from gtopss.broker.publishing import Document
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.workers import Workers
from gtopss.engine import Engine
from gtopss.feeds.writing import FeedHeader
from gtopss.net import Connector
from gtopss.reading.documents import read_document

ITEM = "<item><guid>urn:item:{0}</guid><title>{0}</title><link>http://site.example/{0}</link></item>"


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with memory_store() as store, Broker(store, Engine(matcher="naive")) as made:
        yield made


@pytest.fixture
def acknowledged(broker: Broker) -> Acknowledgement:
    return broker.subscribe('SELECT ?title { ?item rss:title ?title FILTER words(?title, "vaccine*") }')


@pytest.fixture
def deliveries(broker: Broker, receiver: Receiver) -> Iterator[Deliveries]:
    kinds = {"webhook": WebhookDelivery(Connector(allow={receiver.host}))}
    made = Deliveries(broker, kinds)
    yield made
    made.close()


def publish(broker: Broker, *titles: str) -> None:
    items = "".join(map(ITEM.format, titles))
    feed = f"<rss version='2.0'><channel><title>Site</title>{items}</channel></rss>"
    broker.publish([Document(feed.encode(), source="http://site.example/feed")])
    broker.run_pending()


def test_a_published_item_reaches_every_kind_of_delivery(broker, acknowledged, deliveries, receiver) -> None:
    id, ticket = acknowledged.id, acknowledged.ticket
    target = deliveries.add_target(id, ticket, "webhook", receiver.url)
    publish(broker, f"vaccine {time.time()}", "football")
    deliveries.schedule.run_due()
    (message,) = receiver.messages()
    headers, body = receiver.requests[-1]
    Webhook(target.secret).verify(body, headers)
    (notification,) = broker.notifications(id, ticket)
    assert headers["webhook-id"] == notification.row.id
    assert message["data"]["item"]["title"].startswith("vaccine")
    assert message["data"] == json.loads(next(deliveries.json_lines(id, ticket)))
    event = next(iter(deliveries.event_stream(id, ticket, last_event_id="0")))
    assert json.loads(event.data) == message["data"]
    feed = read_document(deliveries.atom_feed(id, ticket, FeedHeader("Vaccines", "urn:feed")))
    assert len(feed.publications) == 1
    assert [each.state for each in deliveries.targets(id, ticket)] == ["active"]


def test_a_reader_of_the_stream_is_woken_by_the_matching_step(broker, acknowledged, deliveries) -> None:
    settings = StreamSettings(ping_seconds=0.0, poll_seconds=600.0)
    events = iter(deliveries.event_stream(acknowledged.id, acknowledged.ticket, settings=settings))
    assert next(events).kind == "ping"
    publish(broker, f"vaccine {time.time()}")
    assert [each.id for each in itertools.islice(events, 1)] == [1]


def test_workers_deliver_in_the_background(broker, acknowledged, deliveries, receiver) -> None:
    received = threading.Event()

    def respond(body: dict) -> tuple[int, dict[str, str], bytes]:
        if body["type"] == "match":
            received.set()
        return 200, {}, body["data"].get("challenge", "").encode()

    receiver.respond = respond
    with Workers(broker, deliveries.steps()):
        deliveries.add_target(acknowledged.id, acknowledged.ticket, "webhook", receiver.url)
        items = ITEM.format(f"vaccine {time.time()}")
        broker.publish([f"<rss version='2.0'><channel>{items}</channel></rss>".encode()])
        assert received.wait(60)


def test_a_disabled_target_is_a_notice_of_its_subscription(broker, acknowledged, deliveries, receiver) -> None:
    id, ticket = acknowledged.id, acknowledged.ticket
    deliveries.add_target(id, ticket, "webhook", receiver.url)
    deliveries.schedule.run_due()
    receiver.respond = lambda body: (410, {}, b"")
    publish(broker, f"vaccine {time.time()}")
    deliveries.schedule.run_due()
    assert [each.row.kind for each in broker.notifications(id, ticket)] == ["match", "disabled"]


def test_nothing_is_possible_without_the_ticket(acknowledged, deliveries) -> None:
    id, ticket = acknowledged.id, acknowledged.ticket
    target = deliveries.add_target(id, ticket, "webhook", "http://receiver.example/").id
    for call in (
        lambda ticket: deliveries.add_target(id, ticket, "webhook", "http://receiver.example/"),
        lambda ticket: deliveries.targets(id, ticket),
        lambda ticket: deliveries.remove_target(id, ticket, target),
        lambda ticket: deliveries.rotate_secret(id, ticket, target),
        lambda ticket: deliveries.confirm(id, ticket, target, "code"),
        lambda ticket: deliveries.enable(id, ticket, target),
        lambda ticket: deliveries.dead_letters(id, ticket),
        lambda ticket: deliveries.replay(id, ticket, target),
        lambda ticket: deliveries.event_stream(id, ticket),
        lambda ticket: deliveries.atom_feed(id, ticket, FeedHeader()),
        lambda ticket: deliveries.json_lines(id, ticket),
    ):
        with pytest.raises(InvalidTicket):
            call("wrong")
    deliveries.remove_target(id, ticket, target)
    assert deliveries.targets(id, ticket) == []


def test_a_subscription_that_ends_after_its_ticket_was_checked_is_not_changed(broker, acknowledged, deliveries) -> None:
    id, ticket = acknowledged.id, acknowledged.ticket
    authorise = deliveries._authorise

    def then_end(*given: str) -> object:
        found = authorise(*given)
        broker.unsubscribe(id, ticket)
        return found

    deliveries._authorise = then_end
    with pytest.raises(InvalidTicket):
        deliveries._change(id, ticket, lambda connection: pytest.fail("it was changed"))
