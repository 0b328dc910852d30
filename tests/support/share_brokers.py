"""Brokers whose subscriptions are divided into shares."""

from __future__ import annotations

from collections.abc import Sequence

from gtopss import Engine
from gtopss.broker.broker import Broker
from gtopss.broker.config import BrokerConfig
from gtopss.broker.store.store import Store
from support.brokers import TestClock


def share_brokers(
    store: Store, clock: TestClock, count: int, *, max_shares: int = 1, engine: Engine | None = None
) -> list[Broker]:
    """Return brokers on one store. The caller closes them."""
    config = BrokerConfig(max_shares=max_shares, anonymous_max_subscriptions=1_000_000)
    empty = Engine(matcher="reference") if engine is None else engine
    return [Broker(store, empty.without_subscriptions(), config, clock=clock) for _ in range(count)]


def run_all(brokers: Sequence[Broker]) -> None:
    """Run the steps of all brokers until nothing is left that one of them can do."""
    while sum(each.run_pending() for each in brokers):
        pass
