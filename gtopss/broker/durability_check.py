"""Prove on the operator's own disk that nothing acknowledged is lost when a broker is killed.

    python -m gtopss.broker.durability_check STORE PREFIX      the child: publishes and subscribes until it is killed

The parent kills the child with SIGKILL at random moments, starts another one on the same store, and at the end compares
what was acknowledged with what the store has. A kill does not cut the power: what the disk or a virtual machine does
with synced writes then is not tested by this.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from sqlalchemy import func, select

from gtopss import Engine
from gtopss.broker.broker import Broker
from gtopss.broker.errors import InvalidSetting, InvalidTicket
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.store import Store
from gtopss.broker.store.tables import publications, subscriptions
from gtopss.model import Publication

_QUERY = "SELECT ?x { ?x <urn:gtopss:check> ?y }"


@dataclass(slots=True)
class DurabilityReport:
    """What was acknowledged before the kills, and what of it the store does not have."""

    kills: int = 0
    publications: int = 0
    subscriptions: int = 0
    lost: list[str] = field(default_factory=list)


def check_durability(
    url: str,
    seconds: float,
    *,
    kill_after: Callable[[], float] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> DurabilityReport:
    """Kill and reopen brokers on an empty store for some time, and compare. Raises InvalidSetting or a StoreError.

    `kill_after` returns how many acknowledgements a child may make before it is killed.
    """
    choose = kill_after or (lambda: random.randint(1, 300))
    _require_empty(url)
    report, published, tickets = DurabilityReport(), set[str](), dict[str, str]()
    end = clock() + seconds
    while not report.kills or clock() < end:
        for line in _run_child(url, f"k{report.kills}", int(choose())):
            if line["kind"] == "publication":
                published.add(line["id"])
            else:
                tickets[line["id"]] = line["ticket"]
        report.kills += 1
    report.publications, report.subscriptions = len(published), len(tickets)
    with open_store(url) as store, Broker(store, Engine(matcher="reference")) as broker:
        report.lost = sorted(published - _stored(store)) + [
            id for id in tickets if not _is_active(broker, id, tickets[id])
        ]
    return report


def _require_empty(url: str) -> None:
    with open_store(url) as store:
        found = store.read(
            lambda connection: sum(
                connection.scalar(select(func.count()).select_from(table)) or 0
                for table in (publications, subscriptions)
            )
        )
    if found:
        raise InvalidSetting("store", url, "it has data: give a new file, or an empty database, on the same disk")


def _run_child(url: str, prefix: str, acknowledgements: int) -> list[dict[str, str]]:
    """Run a child until it has acknowledged so much, kill it, and return everything that it has acknowledged."""
    command = [sys.executable, "-m", "gtopss.broker.durability_check", url, prefix]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        try:
            lines = [line for line, _ in zip(child.stdout, range(acknowledgements), strict=False)]
        finally:
            child.kill()
        lines += child.stdout.readlines()  # what it has said between the last line and its end
    return [json.loads(line) for line in lines if line.endswith(b"\n")]


def _stored(store: Store) -> set[str]:
    return set(store.read(lambda connection: connection.scalars(select(publications.c.id)).all()))


def _is_active(broker: Broker, id: str, ticket: str) -> bool:
    try:
        broker.authorised(id, ticket)
    except InvalidTicket:
        return False
    return True


def _work(url: str, prefix: str) -> None:
    """Publish and subscribe without end; say each acknowledgement after it was given."""
    with open_store(url) as store, Broker(store, Engine(matcher="reference")) as broker:
        for number in count():
            id = f"{prefix}-{number}"
            if number % 10 == 0:
                made = broker.subscribe(_QUERY)
                _say(kind="subscription", id=made.id, ticket=made.ticket)
            (result,) = broker.publish([Publication(id, [("<urn:x>", "<urn:gtopss:check>", number)])])
            if result.error is None:
                _say(kind="publication", id=id)


def _say(**line: str) -> None:
    os.write(1, json.dumps(line).encode() + b"\n")  # one call, so that no line is cut


if __name__ == "__main__":
    _work(*sys.argv[1:])
