"""Feeds of a whole broker: a feed is fetched, published and matched."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.feed_server import feed_server

from gtopss.broker.broker import Broker
from gtopss.broker.errors import NoFeedFound
from gtopss.broker.feeds.feeds import Feeds
from gtopss.broker.store.sqlite import memory_store
from gtopss.engine import Engine
from gtopss.net import Connector
from ontology.limits import DEFAULT_LIMITS


def test_the_items_of_a_feed_become_notifications_once() -> None:
    now = [1_700_000_000.0]
    with (
        feed_server() as host,
        memory_store() as store,
        Broker(store, Engine(matcher="naive"), clock=lambda: now[0]) as broker,
    ):
        feeds = Feeds(broker, Connector(allow={host}))
        mine = broker.subscribe('SELECT ?text { ?item rss:description ?text FILTER words(?text, "engine*") }')
        added = feeds.list.add(f"http://{host}/feed")
        assert added.items > 1
        broker.run_pending()
        matched = {each.row.id for each in broker.notifications(mine.id, mine.ticket)}
        assert matched
        now[0] += 3_600
        assert feeds.poller.run_due() == 1
        broker.run_pending()
        assert {each.row.id for each in broker.notifications(mine.id, mine.ticket)} == matched
        (health,) = feeds.list.health()
        assert (health.title, health.last_success_at, health.failures) == ("Liftoff News", now[0], 0)
        feeds.close()


def test_feeds_are_read_within_the_limits_of_the_engine() -> None:
    limits = replace(DEFAULT_LIMITS, max_depth=1)
    engine = Engine(matcher="naive", document_limits=limits)
    with feed_server() as host, memory_store() as store, Broker(store, engine) as broker:
        feeds = Feeds(broker, Connector(allow={host}))
        with pytest.raises(NoFeedFound):
            feeds.list.add(f"http://{host}/feed")
        feeds.close()
