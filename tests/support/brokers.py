"""Brokers with an injected clock, and what tests ask of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gtopss import Engine, Publication
from gtopss.broker.broker import Acknowledgement, Broker
from gtopss.broker.config import BrokerConfig
from gtopss.broker.store.notification_rows import NotificationRow
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.store import Store
from gtopss.broker.store.subscription_rows import SubscriptionRow

START = 1_800_000_000.0


class TestClock:
    """A clock that tests set."""

    __test__ = False

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@contextmanager
def memory_broker(
    engine: Engine | None = None, *, store: Store | None = None, clock: TestClock | None = None, **settings: Any
) -> Iterator[Broker]:
    """Yield a broker with the reference matcher over a store, by default in memory.

    Unless a test asks for it, no further thread takes over where an operator takes long on a busy machine.
    """
    made = memory_store() if store is None else store
    try:
        config = BrokerConfig(**({"operator_patience": 600.0} | settings))
        given = Engine(matcher="reference") if engine is None else engine  # an empty engine is false
        with Broker(made, given, config, clock=clock or TestClock()) as broker:
            yield broker
    finally:
        if store is None:
            made.close()


def subscription_row(id: str = "a", **changes: Any) -> SubscriptionRow:
    """Return a row of a subscription that ends at 100, with other values where `changes` has them."""
    values: dict[str, Any] = {
        "id": id,
        "owner": "anonymous",
        "query": "SELECT",
        "form": "sparql",
        "ticket_hash": b"h",
        "created_at": 0.0,
        "validity": 100.0,
        "expires_at": 100.0,
        "expiring_at": 90.0,
        "since_change": 1,
    }
    return SubscriptionRow(**(values | changes))


def notification_row(sequence: int, publication: int | None = None, **changes: Any) -> NotificationRow:
    """Return a row of a match of the subscription "s", with other values where `changes` has them."""
    values: dict[str, Any] = {
        "subscription": "s",
        "sequence": sequence,
        "id": f"n{sequence}",
        "kind": "match",
        "created_at": 0.0,
        "publication": publication,
    }
    return NotificationRow(**(values | changes))


def says(name: str, *objects: str, subject: str = "x") -> Publication:
    """Return a publication that says <urn:p> of each object about <urn:x>."""
    return Publication(name, [(f"<urn:{subject}>", "<urn:p>", f"<urn:{each}>") for each in objects])


def about(value: str) -> str:
    """Return a subscription to publications that say <urn:p> of a value."""
    return f"SELECT ?x {{ ?x <urn:p> <urn:{value}> }}"


def received(broker: Broker, of: Acknowledgement) -> list[tuple[int, str, str | None]]:
    """Return number, kind and publication id of the notifications of a subscription."""
    found = broker.notifications(of.id, of.ticket)
    return [
        (each.row.sequence, each.row.kind, each.publications[0].id if each.publications else None) for each in found
    ]


def matched(broker: Broker, of: Acknowledgement) -> list[str | None]:
    """Return the ids of the publications that a subscription was notified of."""
    return [publication for _, kind, publication in received(broker, of) if kind == "match"]
