"""How long a wrong ticket is refused does not tell whether its subscription exists. Only under soak: it takes time."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from statistics import quantiles

import pytest
from conftest import SOAK
from support.brokers import about

from gtopss import Engine
from gtopss.broker.broker import Broker
from gtopss.broker.errors import InvalidTicket
from gtopss.broker.store.sqlite import sqlite_store
from gtopss.broker.tickets import new_id, new_ticket

CALLS = 3_000
MAX_DIFFERENCE = 0.05
"""Part of the time by which the lower quartiles may differ. Loading the row if there is one takes a tenth longer."""


@pytest.mark.skipif(not SOAK, reason="times are compared under soak only")
def test_all_wrong_tickets_are_refused_after_the_same_time(tmp_path: Path) -> None:
    chance = random.Random(5)
    with sqlite_store(tmp_path / "broker.db") as store, Broker(store, Engine(matcher="reference")) as broker:
        made = [broker.subscribe(about(f"v{number}")) for number in range(200)]
        gone = [broker.subscribe(about("a")) for _ in range(50)]
        for each in gone:
            broker.unsubscribe(each.id, each.ticket)
        removed = [(each.id, each.ticket) for each in gone]
        kinds: dict[str, Callable[[], tuple[str, str]]] = {
            "forged": lambda: (chance.choice(made).id, new_ticket()),
            "mutated": lambda: (chance.choice(made).id, chance.choice(made).ticket[:-1] + "#"),
            "foreign": lambda: (chance.choice(made).id, made[0].ticket[:-1] + "%"),
            "unknown": lambda: (new_id(), new_ticket()),
            "removed": lambda: chance.choice(removed),
        }
        times: dict[str, list[int]] = {name: [] for name in kinds}
        for _ in range(CALLS):
            for name in chance.sample(sorted(kinds), len(kinds)):
                id, ticket = kinds[name]()
                began = time.thread_time_ns()
                with pytest.raises(InvalidTicket):
                    broker.authorised(id, ticket)
                times[name].append(time.thread_time_ns() - began)
        # The lower quartile: what other programs delay is above it.
        usual = {name: quantiles(each, n=4)[0] for name, each in times.items()}
        assert max(usual.values()) <= (1 + MAX_DIFFERENCE) * min(usual.values()), usual
