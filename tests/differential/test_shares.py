"""Brokers that hold shares find what one broker with all subscriptions finds, on real feed items and generated ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
from conftest import ROOT, SOAK
from sqlalchemy import Connection, select
from support.brokers import TestClock
from support.postgresql_server import PostgresqlServer
from support.share_brokers import run_all, share_brokers

from gtopss import Engine, Publication
from gtopss.broker.broker import Broker
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.tables import notifications, publications, subscriptions
from gtopss.experiments.benchmark.broker_shares import items_of, subscription_texts
from ontology import Taxonomy, load

SUBSCRIPTIONS = 600 if SOAK else 60
ITEMS = 1_000 if SOAK else 40


Found = set[tuple[str, str, str | None]]


@pytest.fixture(scope="module")
def taxonomy() -> Taxonomy:
    return load(ROOT / "data" / "ontologies" / "iptc-mediatopics-en-GB.ttl")


def found(broker: Broker) -> Found:
    """Return text of the subscription, id of the publication, and bindings of all notifications."""
    query = (
        select(subscriptions.c.query, publications.c.id, notifications.c.bindings)
        .join(notifications, notifications.c.subscription == subscriptions.c.id)
        .join(publications, publications.c.number == notifications.c.publication)
    )

    def read(connection: Connection) -> Found:
        return {(text, id, bindings) for text, id, bindings in connection.execute(query)}

    return broker.store.read(read)


def run(
    url: str, items: Sequence[Publication], texts: Sequence[str], engine: Engine, counts: Sequence[int | None]
) -> Found:
    """Publish items to brokers, while the number of shares changes, and return what they have found.

    None in place of the number of shares leaves all subscriptions to one broker.
    """
    chance, clock = random.Random(5), TestClock()
    with open_store(url) as store:
        brokers = share_brokers(store, clock, 1 if None in counts else 3, max_shares=9, engine=engine)
        size = len(items) // len(counts)
        for number, count in enumerate(counts):
            part = texts[number :: len(counts)]
            for text in part[::2]:
                chance.choice(brokers).subscribe(text)
            if count is not None:
                chance.choice(brokers).set_shares(count)
            run_all(brokers)
            for text in part[1::2]:
                chance.choice(brokers).subscribe(text)
            for item in items[number * size : (number + 1) * size]:
                chance.choice(brokers).publish([item])
        run_all(brokers)
        if None not in counts:
            assert all(each.holders for each in brokers[0].shares.status())
        result = found(brokers[0])
        for broker in brokers:
            broker.close()
        return result


def compare(new_url: Callable[[], str], taxonomy: Taxonomy) -> None:
    engine = Engine(matcher="reference", taxonomy=taxonomy)
    items = [each for folder in ("feeds", "news") for each in items_of(ROOT / "data" / folder)]
    items = random.Random(20).sample(items, ITEMS)
    texts = list(dict.fromkeys(subscription_texts("mixed", items, SUBSCRIPTIONS, engine)))
    one = run("memory:", items, texts, engine, [None, None, None])
    assert len(one) > SUBSCRIPTIONS
    assert run(new_url(), items, texts, engine, [3, 2, 5]) == one


def test_shares_in_memory_find_what_one_broker_finds(taxonomy: Taxonomy) -> None:
    compare(lambda: "memory:", taxonomy)


def test_shares_on_postgresql_find_what_one_broker_finds(postgresql: PostgresqlServer, taxonomy: Taxonomy) -> None:
    compare(postgresql.new_store_url, taxonomy)
