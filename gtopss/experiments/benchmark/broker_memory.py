"""Measure whether the memory of a broker grows while it matches many publications and subscriptions come and go."""

from __future__ import annotations

import time
from collections import deque
from itertools import islice

import psutil

from gtopss.broker.broker import Broker
from gtopss.broker.config import BrokerConfig
from gtopss.broker.publishing import Document
from gtopss.broker.store import publication_rows
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.retention import Keep, Retention
from gtopss.broker.workers import Workers
from gtopss.engine import Engine
from gtopss.experiments.benchmark.broker_lines import BrokerLine, at_most
from gtopss.experiments.benchmark.broker_subscriptions import store_texts, text_of
from gtopss.experiments.workloads import few_shapes

DOCUMENTS_PER_CALL = 256
DISTINCT_DOCUMENTS = 2_000
MAX_WAITING = 4 * DOCUMENTS_PER_CALL
MAX_GROWTH = 1.05
CHURN_PER_CALL = 4
"""Subscriptions that are added and removed with each call."""


def measure_memory(store_url: str, *, subscriptions: int, items: int) -> list[BrokerLine]:
    """Publish items, and compare the memory after all of them with that after a quarter."""
    found = list(few_shapes(100_000).publications(DISTINCT_DOCUMENTS))
    data = ["".join(f"{' '.join(triple)} .\n" for triple in each.triples).encode() for each in found]
    given = few_shapes(subscriptions + items).subscriptions()
    retention = Retention(publications=Keep(rows=10_000), notifications=Keep(rows=50_000))
    made, sizes = deque[tuple[str, str]](), list[int]()
    with open_store(store_url) as store:
        store_texts(store, [(each.id, text_of(each)) for each in islice(given, subscriptions)])
        config = BrokerConfig(retention=retention, dry_run_publications=0, anonymous_max_subscriptions=10**9)
        with Broker(store, Engine(), config) as broker, Workers(broker):
            for start in range(0, items, DOCUMENTS_PER_CALL):
                for each in islice(given, CHURN_PER_CALL):
                    new = broker.subscribe(text_of(each))
                    made.append((new.id, new.ticket))
                while len(made) > 200:
                    broker.unsubscribe(*made.popleft())
                numbers = range(start, min(items, start + DOCUMENTS_PER_CALL))
                broker.publish([Document(data[n % len(data)], "nt", id=f"urn:item:{n}") for n in numbers])
                while store.read(publication_rows.count_waiting) > MAX_WAITING:
                    time.sleep(0.005)
                sizes.append(psutil.Process().memory_info().rss)
    early, late = sizes[len(sizes) // 4], sizes[-1]
    what = f"memory after {items:,} publications with churn"
    return [at_most(what, "MB", late / 1e6, early / 1e6, MAX_GROWTH, "after a quarter")]
