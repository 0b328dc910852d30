"""Brokers are killed at random moments under load; nothing that was acknowledged may be lost, half done or changed.

The load is `support.killed_broker`: subscribe, renew, replace, unsubscribe, publish, matching and webhooks. At the end
a broker finishes what is left, on a clock an hour ahead, so that all leases and pauses are over.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import SOAK
from sqlalchemy import Connection, func, select
from support.broker_history import History, KnownSubscription
from support.broker_processes import BrokerProcesses
from support.deliveries import Receiver, webhook_receiver
from support.killed_broker import new_broker, new_schedule
from support.postgresql_server import PostgresqlServer

from gtopss.broker.broker import Broker
from gtopss.broker.errors import InvalidTicket
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.tables import dead_letters, notifications, owners, subscriptions, targets

KILLS = 200 if SOAK else 5
FIRST_SEED = int(time.time()) if SOAK else 0
HOUR = 3600.0
LINES_OF_A_LONG_RUN = 200
"""So many lines have some of everything, so that no check of the end is empty."""
_Found = tuple[int, str, str]
"""Number, publication and id of a notification."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with webhook_receiver() as made:
        yield made


@pytest.fixture
def processes() -> Iterator[BrokerProcesses]:
    with BrokerProcesses() as made:
        yield made


def test_one_broker_on_sqlite_loses_nothing_when_it_is_killed(
    tmp_path: Path, receiver: Receiver, processes: BrokerProcesses
) -> None:
    url, chosen, history = f"sqlite:{tmp_path / 'broker.db'}", random.Random(FIRST_SEED), History()
    where = {"url": url, "folder": str(tmp_path / "snapshots"), "host": receiver.host}
    for number in range(KILLS):
        process = processes.start(**where, seed=FIRST_SEED + number, tickets=history.tickets())
        process.wait_for(chosen.randint(2, 60) if number else LINES_OF_A_LONG_RUN)
        process.kill()
        history.add(process.lines)
    _check(url, tmp_path / "snapshots", history, receiver)


@pytest.mark.parametrize("shares", [1, 4] if SOAK else [4])
def test_three_brokers_on_postgresql_lose_nothing_when_one_after_the_other_is_killed(
    postgresql: PostgresqlServer, receiver: Receiver, processes: BrokerProcesses, shares: int
) -> None:
    """With shares, their number changes too: a broker may be killed while it divides the subscriptions."""
    url, chosen, history = postgresql.new_store_url(), random.Random(FIRST_SEED), History()
    where = {"url": url, "folder": None, "host": receiver.host, "shares": shares}
    brokers = [processes.start(**where, seed=FIRST_SEED + number, tickets={}) for number in range(3)]
    for number in range(KILLS):
        place = number % 3
        brokers[place].wait_for(chosen.randint(2, 60))
        brokers[place].kill()
        history.add(brokers[place].lines)
        own = {id: ticket for id, ticket in history.tickets().items() if _place(id) == place}
        brokers[place] = processes.start(**where, seed=FIRST_SEED + 3 + number, tickets=own)
    for process in brokers:
        process.wait_for(LINES_OF_A_LONG_RUN)
        process.kill()
        history.add(process.lines)
    _check(url, None, history, receiver)


def _place(id: str) -> int:
    """Return which of three processes may change a subscription of an earlier one, so that no two do."""
    return sum(id.encode()) % 3


def _check(url: str, folder: Path | None, history: History, receiver: Receiver) -> None:
    ahead = HOUR

    def clock() -> float:
        return time.time() + ahead

    with open_store(url) as store, new_broker(store, folder, clock) as broker:
        _, schedule = new_schedule(store, broker, receiver.host, clock)
        for _ in range(3):  # also attempts that failed on a busy machine
            while broker.run_pending() + schedule.run_due():
                pass
            ahead += 600
        schedule.close()
        assert history.actions["publish"] >= KILLS
        notified, due = 0, set[tuple[str, int, str]]()
        for known in history.subscriptions.values():
            found = _check_subscription(broker, known, history)
            notified += len(found)
            due.update((known.id, *each) for each in _to_deliver(known, found, history))
        assert notified >= KILLS
        _check_rows(broker)
    _check_deliveries(receiver, due)


def _check_rows(broker: Broker) -> None:
    """Nothing is half done: no row of a subscription that is gone, and the quota counts those that are there."""

    def read(connection: Connection) -> tuple[set[str], set[str], int]:
        there = set(connection.scalars(select(subscriptions.c.id)))
        columns = (notifications.c.subscription, targets.c.subscription, dead_letters.c.subscription)
        belonging = {id for column in columns for id in connection.scalars(select(column).distinct())}
        return there, belonging, connection.execute(select(func.sum(owners.c.subscriptions))).scalar_one()

    broker.start()
    there, belonging, counted = broker.store.read(read)
    assert belonging <= there
    assert counted == len(there)
    matched = [one.id for held in broker.shares.current() for one in held.follower.engine.subscriptions()]
    assert sorted(matched) == sorted(there)


def _to_deliver(known: KnownSubscription, found: list[_Found], history: History) -> list[tuple[int, str]]:
    """Return number and id of the notifications that were added after the target was, and so are delivered."""
    return [
        (sequence, id)
        for sequence, publication, id in found
        if history.publications[publication].begun > known.target_done
    ]


def _check_subscription(broker: Broker, known: KnownSubscription, history: History) -> list[_Found]:
    if known.end_done < float("inf"):
        with pytest.raises(InvalidTicket):
            broker.authorised(known.id, known.ticket)
        return []
    if not known.must_exist():  # its end was begun and not acknowledged: either is right, but not half of it
        return []
    row = broker.authorised(known.id, known.ticket)
    assert row.query == f"SELECT ?x {{ ?x <urn:p> <urn:v{_value(row.query)}> }}"
    last = [each for each in known.versions if each.done < float("inf")][-1]
    assert _value(row.query) in known.possible_values(last.done)
    if known.expires_at and not known.renewal_unknown:
        assert row.expires_at == known.expires_at[-1]
    found = _all_notifications(broker, known)
    assert [sequence for sequence, _, _ in found] == list(range(1, len(found) + 1))
    counted = Counter(publication for _, publication, _ in found)
    assert not [each for each, count in counted.items() if count > 1]
    for publication in history.publications.values():
        certain = known.certain_value(publication.begun)
        if publication.acknowledged and certain == publication.value:
            assert publication.id in counted, f"{known.id} was not notified of {publication.id}"
        if publication.value not in known.possible_values(publication.begun):
            assert publication.id not in counted, f"{known.id} was notified of {publication.id}"
    return found


def _all_notifications(broker: Broker, known: KnownSubscription) -> list[_Found]:
    found: list[_Found] = []
    while more := broker.notifications(known.id, known.ticket, after=len(found), limit=1_000):
        found += [(each.row.sequence, each.publications[0].id, each.row.id) for each in more]
    return found


def _value(query: str) -> int:
    return int(query.split("<urn:v")[1].split(">")[0])


def _check_deliveries(receiver: Receiver, due: set[tuple[str, int, str]]) -> None:
    """All that is due has come, in the order of numbers; one that comes again has the same id."""
    seen: dict[tuple[str, int], str] = {}
    newest: dict[str, int] = {}
    for message in receiver.messages():
        data = message["data"]
        place = (data["subscription"], data["sequence"])
        assert seen.setdefault(place, data["id"]) == data["id"]
        assert data["sequence"] <= newest.get(data["subscription"], data["sequence"] - 1) + 1 or (
            data["subscription"] not in newest
        )
        newest[data["subscription"]] = max(newest.get(data["subscription"], 0), data["sequence"])
    assert due
    assert due <= {(subscription, sequence, id) for (subscription, sequence), id in seen.items()}
