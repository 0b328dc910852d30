"""Measure the processor time for a publication of two brokers on one database, beside that of one.

python -m gtopss.experiments.benchmark.broker_processes URL    a broker that matches until its input ends
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence

from gtopss.broker.broker import Broker
from gtopss.broker.config import BrokerConfig
from gtopss.broker.publishing import Document
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.store import Store
from gtopss.broker.workers import Workers
from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.experiments.benchmark.broker_lines import BrokerLine, at_most
from gtopss.experiments.benchmark.broker_subscriptions import store_texts, text_of
from gtopss.experiments.benchmark.broker_waiting import wait_until_matched
from gtopss.experiments.workloads import few_shapes
from gtopss.matching.index.warmup import compile_kernels

MAX_TIMES_ONE_BROKER = 1.15
DOCUMENTS_PER_CALL = 64


def measure_two_brokers(store_url: str, *, subscriptions: int, items: int) -> list[BrokerLine]:
    """Publish documents that brokers in other processes match: one first, then two, then one again."""
    found = few_shapes(100_000).publications(3 * items)
    data = ["".join(f"{' '.join(triple)} .\n" for triple in each.triples).encode() for each in found]
    documents = [Document(each, "nt", id=f"urn:item:{number}") for number, each in enumerate(data)]
    with open_store(store_url) as store:
        store_texts(store, [(each.id, text_of(each)) for each in few_shapes(subscriptions).subscriptions()])
        with Broker(store, Engine(), BrokerConfig()) as publisher:
            used = [
                _cpu_seconds(store_url, store, publisher, count, documents[place * items : (place + 1) * items])
                for place, count in enumerate((1, 2, 1))
            ]
    one, two = (used[0] + used[2]) / 2, used[1]
    what = "processor time for a publication, two brokers"
    return [at_most(what, "us", two / items * 1e6, one / items * 1e6, MAX_TIMES_ONE_BROKER, "one broker")]


def _cpu_seconds(store_url: str, store: Store, publisher: Broker, count: int, documents: Sequence[Document]) -> float:
    """Return the processor time of so many brokers for publications, after their start."""
    command = [sys.executable, "-m", "gtopss.experiments.benchmark.broker_processes", store_url]
    brokers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(count)]
    try:
        return _match_all(brokers, store, publisher, documents)
    finally:
        for each in brokers:
            each.kill()


def _match_all(
    brokers: Sequence[subprocess.Popen[bytes]], store: Store, publisher: Broker, documents: Sequence[Document]
) -> float:
    for each in brokers:
        assert each.stdout is not None
        if each.stdout.readline() != b"ready\n":
            raise GtopssError("a broker process did not start")
    for start in range(0, len(documents), DOCUMENTS_PER_CALL):
        publisher.publish(documents[start : start + DOCUMENTS_PER_CALL])
    wait_until_matched(store)
    used = 0.0
    for each in brokers:
        out, _ = each.communicate()
        used += float(json.loads(out)["cpu_seconds"])
    return used


def main() -> None:
    """Match until the input ends, and print the processor time since the start was over.

    Compiled code is loaded before, as a service does before it is ready: that takes each process most of a second.
    """
    compile_kernels()
    with open_store(sys.argv[1]) as store, Broker(store, Engine(), BrokerConfig()) as broker, Workers(broker):
        began = time.process_time()
        print("ready", flush=True)
        sys.stdin.read()
        print(json.dumps({"cpu_seconds": time.process_time() - began}))


if __name__ == "__main__":
    main()
