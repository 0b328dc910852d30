"""A broker process that does random work until it is killed, and says before and after each action what it does.

    python -m support.killed_broker SOCKET

is the parent of all brokers of a test (`support.broker_processes`). For each message on the socket, whose descriptor is
given, it forks a broker. With `shares` above 1 the subscriptions are divided into so many shares at most, and now and
then into another number.

Each line on standard output is one JSON object: {"do": number, ...} before an action and {"done": number, ...} after
its acknowledgement, each with the time of the monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from gtopss import Engine
from gtopss.broker.broker import Broker
from gtopss.broker.config import BrokerConfig
from gtopss.broker.delivery.schedule import DeliverySchedule, ScheduleSettings
from gtopss.broker.delivery.targets import Targets
from gtopss.broker.delivery.webhook import WebhookDelivery
from gtopss.broker.notifications import add_notice
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.store import Store
from gtopss.matching.index.warmup import compile_kernels
from gtopss.net import Connector
from support.brokers import about, says

ACTIONS = ("subscribe", "subscribe", "subscribe", *["publish"] * 4, "renew", "replace", "unsubscribe")
"""More subscriptions come than go, so that publications have somebody to notify."""
MAX_SUBSCRIPTIONS = 30
"""Above this, one ends instead of another that begins: more would only make each publication reach more of them."""
VALUES = 6
"""Values that publications say and subscriptions ask for."""
MAX_SHARES = 4
MAX_MESSAGE_BYTES = 2**20
LEASE_SECONDS = 2.0
"""So that the publications of a killed broker are matched by the next one while the test runs."""


def new_broker(store: Store, folder: Path | None, clock: Callable[[], float] = time.time) -> Broker:
    config = BrokerConfig(
        match_lease=LEASE_SECONDS,
        share_lease=LEASE_SECONDS,
        max_shares=MAX_SHARES,  # one that is alone holds all of them
        snapshot_folder=folder,
        snapshot_changes=20,
    )
    return Broker(store, Engine(matcher="gm" if folder else "reference"), config, clock=clock)


def new_schedule(
    store: Store, broker: Broker, host: str, clock: Callable[[], float] = time.time
) -> tuple[Targets, DeliverySchedule]:
    kinds = {"webhook": WebhookDelivery(Connector(allow={host}))}
    settings = ScheduleSettings(threads=4, lease_seconds=LEASE_SECONDS)
    schedule = DeliverySchedule(
        store, kinds, broker.composer.compose, add_notice, broker_id=broker.id, settings=settings, clock=clock
    )
    return Targets(kinds, clock=clock), schedule


class _Worker:
    """Does one random action after the other."""

    def __init__(
        self, broker: Broker, targets: Targets, url: str, seed: int, tickets: dict[str, str], *, shares: int
    ) -> None:
        self._broker, self._targets, self._url, self._tickets = broker, targets, url, tickets
        self._random, self._number, self._seed, self._shares = random.Random(seed), 0, seed, shares

    def run(self) -> None:
        while True:
            if self._shares > 1 and self._random.random() < 0.03:
                self._broker.set_shares(self._random.randint(1, self._shares))
            name = self._random.choice(ACTIONS)
            if name == "subscribe" and len(self._tickets) >= MAX_SUBSCRIPTIONS:
                name = "unsubscribe"
            if name not in ("subscribe", "publish") and not self._tickets:
                continue
            getattr(self, name)()

    def subscribe(self) -> None:
        value = self._random.randrange(VALUES)
        self._begin("subscribe", value=value)
        made = self._broker.subscribe(about(f"v{value}"))
        self._tickets[made.id] = made.ticket
        self._end(id=made.id, ticket=made.ticket)
        if self._random.random() < 0.5:
            self._begin("target", id=made.id)
            new = self._targets.prepare("webhook", f"{self._url}{made.id}")
            self._broker.store.write(lambda connection: self._targets.add(connection, made.id, new))
            self._end()

    def publish(self) -> None:
        given = [
            (f"p-{self._seed}-{self._number}-{place}", self._random.randrange(VALUES))
            for place in range(self._random.randint(1, 5))
        ]
        self._begin("publish", publications=given)
        results = self._broker.publish([says(id, f"v{value}") for id, value in given])
        assert all(each.error is None for each in results)
        self._end()

    def renew(self) -> None:
        id, ticket = self._known()
        self._begin("renew", id=id)
        self._end(expires_at=self._broker.renew(id, ticket, validity=self._random.uniform(100_000, 200_000)))

    def replace(self) -> None:
        id, ticket = self._known()
        value = self._random.randrange(VALUES)
        self._begin("replace", id=id, value=value)
        self._broker.replace(id, ticket, about(f"v{value}"))
        self._end()

    def unsubscribe(self) -> None:
        id, ticket = self._known()
        self._begin("unsubscribe", id=id)
        del self._tickets[id]
        self._broker.unsubscribe(id, ticket)
        self._end()

    def _known(self) -> tuple[str, str]:
        return self._random.choice(sorted(self._tickets.items()))

    def _begin(self, action: str, **details: Any) -> None:
        self._number += 1
        _say({"do": self._number, "action": action, "at": time.monotonic(), **details})

    def _end(self, **details: Any) -> None:
        _say({"done": self._number, "at": time.monotonic(), **details})


def _say(line: dict[str, Any]) -> None:
    os.write(1, json.dumps(line).encode() + b"\n")  # one call, so that no line is cut


def run(*, url: str, folder: str | None, host: str, seed: int, tickets: dict[str, str], shares: int = 1) -> None:
    """Run a broker that does random work, in this process, until it is killed."""
    with open_store(url) as store:
        broker = new_broker(store, Path(folder) if folder else None)
        targets, schedule = new_schedule(store, broker, host)
        broker.start()
        _say({"started": True})

        def match() -> None:
            pause = threading.Event()
            while True:
                done = broker.run_pending() + schedule.start_due()
                broker.followers()[0].save_if_due(changes=20, seconds=0.5)
                if not done:
                    pause.wait(0.01)

        threading.Thread(target=match, daemon=True).start()
        _Worker(broker, targets, f"http://{host}/", seed, tickets, shares=shares).run()


def main() -> None:
    """Fork a broker for each message, and kill those that are left when the test ends."""
    compile_kernels()
    assert threading.active_count() == 1, "a process with threads must not fork"
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the brokers
    pids = []
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        while True:
            message, descriptors, _, _ = socket.recv_fds(requests, MAX_MESSAGE_BYTES, 1)
            if not message:
                break
            pid = os.fork()
            if pid == 0:
                requests.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                os.dup2(descriptors[0], 1)
                os.close(descriptors[0])
                run(**json.loads(message))
                os._exit(1)
            os.close(descriptors[0])
            pids.append(pid)
            requests.send(str(pid).encode())
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
