"""Measure the time from the acknowledgement of a publication to its webhook, on loopback."""

from __future__ import annotations

import json
import threading
import time
from statistics import quantiles

from gtopss.broker.broker import Broker
from gtopss.broker.config import BrokerConfig
from gtopss.broker.delivery.deliveries import Deliveries
from gtopss.broker.delivery.webhook import WebhookDelivery
from gtopss.broker.store.open_store import open_store
from gtopss.broker.workers import Workers
from gtopss.engine import Engine
from gtopss.experiments.benchmark.broker_lines import BrokerLine
from gtopss.experiments.loopback_server import LoopbackAnswer, LoopbackRequest, serve_on_loopback
from gtopss.model import Publication
from gtopss.net import Connector

PER_SECOND = 20.0
"""Publications that are published in a second: the broker is not full, and each is timed by itself."""
TARGETS = 10
"""Subscriptions with a webhook; each publication matches one of them."""
_TIMEOUT_SECONDS = 120.0


class _Receiver:
    """The times at which items have come."""

    def __init__(self) -> None:
        self.times: dict[str, float] = {}
        self.verified = 0
        self.changed = threading.Condition()

    def handle(self, request: LoopbackRequest) -> LoopbackAnswer:
        """Note a message, and return the answer to it."""
        now, message = time.perf_counter(), json.loads(request.body)
        with self.changed:
            challenge = message["data"].get("challenge")
            if challenge is not None:
                self.verified += 1
            else:
                self.times[message["data"]["item"]["id"]] = now
            self.changed.notify_all()
        return LoopbackAnswer(json.dumps({"challenge": challenge}).encode(), content_type="application/json")

    def wait(self, targets: int, items: int) -> None:
        """Wait until so many targets were verified and so many items have come."""
        with self.changed:
            done = self.changed.wait_for(
                lambda: self.verified >= targets and len(self.times) >= items, timeout=_TIMEOUT_SECONDS
            )
        assert done, "webhooks are missing"


def measure_webhooks(store_url: str, items: int) -> list[BrokerLine]:
    """Publish items one by one, and return the median and the 99th percentile of the times to their webhooks."""
    receiver, acknowledged = _Receiver(), dict[str, float]()
    with (
        serve_on_loopback(receiver.handle) as host,
        open_store(store_url) as store,
        Broker(store, Engine(), BrokerConfig()) as broker,
    ):
        deliveries = Deliveries(broker, {"webhook": WebhookDelivery(Connector(allow={host}))})
        with Workers(broker, deliveries.steps()):
            for number in range(TARGETS):
                made = broker.subscribe(f"SELECT ?x {{ ?x <urn:p> <urn:v{number}> }}")
                deliveries.add_target(made.id, made.ticket, "webhook", f"http://{host}/{number}")
            receiver.wait(TARGETS, 0)
            for number in range(items):
                triple = (f"<urn:item:{number}>", "<urn:p>", f"<urn:v{number % TARGETS}>")
                broker.publish([Publication(f"urn:item:{number}", [triple])])
                acknowledged[f"urn:item:{number}"] = time.perf_counter()
                time.sleep(1 / PER_SECOND)
            receiver.wait(TARGETS, items)
        deliveries.close()
    waits = sorted((receiver.times[id] - at) * 1e3 for id, at in acknowledged.items())
    cuts = quantiles(waits, n=100)
    name = f"acknowledgement to webhook, {PER_SECOND:g} items a second"
    return [
        BrokerLine(f"{name}, {part}", "ms", cuts[at], None, None, "", None) for part, at in (("p50", 49), ("p99", 98))
    ]
