"""The broker's part of `gtopss bench`: each workload is one or several lines of the table.

Those on PostgreSQL use an empty database, which `GTOPSS_POSTGRESQL` names by its URL; each uses a schema of its own.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import Any

from gtopss.errors import GtopssError
from gtopss.extras import require_extra

BROKER_WORKLOADS = {
    "broker-sqlite": "durable publications per second on a new file, beside NATS JetStream",
    "broker-postgresql": "the same on PostgreSQL",
    "broker-feeds": "feed items per second, fetched, stored and matched, beside the library reader",
    "broker-webhooks": "the time from an acknowledgement to the webhook",
    "broker-two": "processor time for a publication of two brokers on PostgreSQL, beside one",
    "broker-memory": "memory over 200,000 publications, while subscriptions come and go",
    "broker-http": "requests per second to the HTTP service; 10,000 clients that wait for events",
}
"""What each workload measures."""
POSTGRESQL_VARIABLE = "GTOPSS_POSTGRESQL"
_ON_POSTGRESQL = ("broker-postgresql", "broker-two")
MEMORY_ITEMS_PER_ITEM = 66  # 200,000 publications where the plan has 3,000 items
MEMORY_SUBSCRIPTIONS = 10_000
CLIENTS_PER_ITEM = 3.34  # 10,000 clients where the plan has 3,000 items


def measure_broker(
    workloads: Iterable[str], *, subscriptions: int, items: int, progress: Callable[[str], None]
) -> Iterator[list[dict[str, Any]]]:
    """Measure each workload, and yield the lines of its table. Raises GtopssError."""
    try:
        from gtopss.experiments.benchmark.broker_publishing import measure_nats
    except ImportError as error:
        raise GtopssError(f"the broker is not installed ({error}): pip install 'gtopss[broker]'") from error
    names, nats = list(workloads), None
    if {"broker-sqlite", "broker-postgresql"} & set(names):
        progress("NATS JetStream: storing the documents")
        nats = measure_nats(items)
    for name in names:
        progress(f"{name}, {subscriptions:,} subscriptions, {items:,} items")
        with tempfile.TemporaryDirectory(prefix="gtopss-broker-") as folder:
            url = _postgresql(name) if name in _ON_POSTGRESQL else f"sqlite:{folder}/broker.db"
            yield [asdict(line) for line in _lines(name, url, subscriptions, items, nats)]


def _postgresql(name: str) -> str:
    url = os.environ.get(POSTGRESQL_VARIABLE)
    if url is None:
        raise GtopssError(f"{name} needs an empty database: set {POSTGRESQL_VARIABLE} to its URL")
    from sqlalchemy import create_engine, make_url, text

    schema = name.replace("-", "_")
    made = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
    with made.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    made.dispose()
    options = {"options": f"-csearch_path={schema}"}
    return make_url(url).update_query_dict(options).render_as_string(hide_password=False)


def _lines(name: str, url: str, subscriptions: int, items: int, nats: Any) -> list[Any]:
    match name:
        case "broker-feeds":
            from gtopss.experiments.benchmark.broker_feeds import measure_feeds

            return measure_feeds(url, feeds=max(10, items // 12), subscriptions=min(1_000, subscriptions))
        case "broker-webhooks":
            from gtopss.experiments.benchmark.broker_webhooks import measure_webhooks

            return measure_webhooks(url, min(300, items))
        case "broker-two":
            from gtopss.experiments.benchmark.broker_processes import measure_two_brokers

            return measure_two_brokers(url, subscriptions=min(10_000, subscriptions), items=items)
        case "broker-memory":
            from gtopss.experiments.benchmark.broker_memory import measure_memory

            count = min(MEMORY_SUBSCRIPTIONS, subscriptions)
            return measure_memory(url, subscriptions=count, items=items * MEMORY_ITEMS_PER_ITEM)
        case "broker-http":
            require_extra("serve", "the workload broker-http")
            from gtopss.experiments.benchmark.http_load import http_lines

            return http_lines(subscriptions, items, int(items * CLIENTS_PER_ITEM))
    from gtopss.experiments.benchmark.broker_publishing import measure_publishing, publishing_lines

    return publishing_lines(measure_publishing(url, subscriptions=subscriptions, items=items), nats)
