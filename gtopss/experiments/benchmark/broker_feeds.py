"""Measure feed items per second: fetched from a loopback server, stored and matched, beside the `reader` library.

python -m gtopss.experiments.benchmark.broker_feeds COUNT    a server of feeds, which prints its address
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module

from sqlalchemy import update

from gtopss.broker.broker import Broker
from gtopss.broker.config import BrokerConfig
from gtopss.broker.feeds.feeds import Feeds
from gtopss.broker.feeds.polling import PollingSettings
from gtopss.broker.store import tables
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.store import Store
from gtopss.broker.workers import Workers
from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.experiments.benchmark.broker_lines import BrokerLine, at_least
from gtopss.experiments.benchmark.broker_subscriptions import store_texts
from gtopss.experiments.benchmark.broker_waiting import wait_until_matched
from gtopss.experiments.loopback_server import LoopbackAnswer, serve_on_loopback
from gtopss.experiments.workloads.generated_feeds import WORDS, generate_feeds
from gtopss.feeds.opml import FeedEntry, write_opml
from gtopss.net import Connector

ITEMS_PER_FEED = 12
READER_WORKERS = 10
"""Threads of `reader`: the number that its documentation names."""
TIMES_READER = 3.0
WARM_UP_FEEDS = 8
"""Feeds that both have polled before they are measured, so that processes, modules and compiled code are loaded."""


def measure_feeds(store_url: str, *, feeds: int, subscriptions: int) -> list[BrokerLine]:
    """Poll feeds once, with subscriptions to words, and let `reader` do the same without matching.

    Both have polled `WARM_UP_FEEDS` other feeds before.
    """
    with _served(feeds + WARM_UP_FEEDS) as host:
        ours = _broker_rate(store_url, host, feeds, subscriptions)
        peer = _reader_rate(host, feeds)
    what = f"feed items, fetched, stored and matched with {subscriptions:,} subscriptions"
    return [at_least(what, "1/s", ours, peer, TIMES_READER, "reader")]


@contextmanager
def _served(feeds: int) -> Iterator[str]:
    """Serve feeds from another process, and yield its address."""
    command = [sys.executable, "-m", "gtopss.experiments.benchmark.broker_feeds", str(feeds)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            host = process.stdout.readline().strip()
            if not host:
                raise GtopssError("the server of feeds did not start")
            yield host
        finally:
            process.kill()


def main() -> None:
    """Serve feeds until the input ends."""
    made = generate_feeds(int(sys.argv[1]), seed=20, items_per_feed=ITEMS_PER_FEED)
    documents = {f"/{number}": data for number, (_, data) in enumerate(made)}
    with serve_on_loopback(lambda request: LoopbackAnswer(documents[request.path])) as host:
        print(host, flush=True)
        sys.stdin.read()


def _broker_rate(store_url: str, host: str, feeds: int, subscriptions: int) -> float:
    texts = [
        (f"{number:024x}", f'SELECT ?x {{ ?x rss:title ?t FILTER words(?t, "{_word(number)} {_word(number * 7)}") }}')
        for number in range(subscriptions)
    ]
    items = feeds * ITEMS_PER_FEED
    with open_store(store_url) as store:
        store_texts(store, texts)
        with Broker(store, Engine(), BrokerConfig(reader_processes=2)) as broker:
            polled = Feeds(broker, Connector(allow={host}), settings=PollingSettings(per_host=64))
            urls = [f"http://{host}/{number}" for number in range(feeds + WARM_UP_FEEDS)]
            opml = write_opml([FeedEntry(url, url) for url in urls], "feeds")
            broker.start()
            polled.list.import_opml(opml)
            _set_due(store, urls, None)
            _set_due(store, urls[:WARM_UP_FEEDS], 0.0)
            with Workers(broker, polled.steps()):
                wait_until_matched(store, WARM_UP_FEEDS * ITEMS_PER_FEED)
                began = time.perf_counter()
                _set_due(store, urls[WARM_UP_FEEDS:], 0.0)
                wait_until_matched(store, items + WARM_UP_FEEDS * ITEMS_PER_FEED)
                seconds = time.perf_counter() - began
            polled.close()
    return items / seconds


def _set_due(store: Store, urls: Sequence[str], due_at: float | None) -> None:
    statement = update(tables.feeds).where(tables.feeds.c.url.in_(urls)).values(due_at=due_at)
    store.write(lambda connection: connection.execute(statement))


def _word(number: int) -> str:
    return WORDS[number % len(WORDS)]


def _reader_rate(host: str, feeds: int) -> float | None:
    """Return the items per second of `reader`; None if it is not installed."""
    try:
        library = import_module("reader")
    except ImportError:
        return None
    with tempfile.TemporaryDirectory(prefix="gtopss-reader-") as folder:
        reader = library.make_reader(f"{folder}/reader.db")
        for number in range(WARM_UP_FEEDS):
            reader.add_feed(f"http://{host}/{number}")
        reader.update_feeds(workers=READER_WORKERS)
        for number in range(WARM_UP_FEEDS, feeds + WARM_UP_FEEDS):
            reader.add_feed(f"http://{host}/{number}")
        began = time.perf_counter()
        reader.update_feeds(workers=READER_WORKERS, new=True)
        seconds = time.perf_counter() - began
        count = reader.get_entry_counts().total - WARM_UP_FEEDS * ITEMS_PER_FEED
        reader.close()
    return float(count / seconds)


if __name__ == "__main__":
    main()
