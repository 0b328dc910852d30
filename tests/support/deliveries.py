"""Subscriptions, notifications and receivers for tests of deliveries, without matching."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from gtopss.broker.delivery.arrivals import Arrivals
from gtopss.broker.delivery.kind import DONE, Outcome
from gtopss.broker.delivery.message import Message
from gtopss.broker.delivery.schedule import DeliverySchedule, ScheduleSettings
from gtopss.broker.delivery.targets import Targets
from gtopss.broker.store import notification_rows, subscription_rows, target_rows
from gtopss.broker.store.notification_rows import NotificationRow
from gtopss.broker.store.store import Store
from gtopss.broker.store.tables import notifications, subscriptions
from gtopss.broker.store.target_rows import Target
from gtopss.feeds.entries import Entry
from support.brokers import subscription_row


class Clock:
    """A clock that a test sets."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class PlainNotification:
    """A notification whose title says its kind and number."""

    row: NotificationRow

    def to_json(self) -> dict[str, Any]:
        return {"id": self.row.id, "sequence": self.row.sequence, "kind": self.row.kind}

    def entry(self) -> Entry:
        return Entry(f"urn:item:{self.row.sequence}", f"{self.row.kind} {self.row.sequence}")


def compose(connection: object, rows: Sequence[NotificationRow]) -> list[PlainNotification]:
    return [PlainNotification(row) for row in rows]


class RecordingKind:
    """A kind of delivery that keeps what it delivers, and answers what the test wants (`answer`)."""

    name = "webhook"

    def __init__(self) -> None:
        self.delivered: list[tuple[str, tuple[int, ...]]] = []
        """The subscription and the numbers of the notifications of each attempt."""
        self.ids: list[str] = []
        self.verified: list[str] = []
        self.answer: Callable[[Target, Message | None], Outcome] = lambda target, message: DONE
        self._lock = threading.Lock()

    def normalise_address(self, address: str) -> str:
        return address

    def new_secret(self) -> str:
        return "whsec_c2VjcmV0"

    def host(self, target: Target) -> str:
        return target.address

    def verify(self, target: Target, now: float) -> Outcome:
        self.verified.append(target.id)
        return self.answer(target, None)

    def deliver(self, target: Target, message: Message, now: float) -> Outcome:
        with self._lock:
            numbers = tuple(each.row.sequence for each in message.notifications)
            self.delivered.append((target.subscription, numbers))
            self.ids.append(message.id)
        return self.answer(target, message)

    def numbers(self, subscription: str) -> list[tuple[int, ...]]:
        return [numbers for of, numbers in self.delivered if of == subscription]


class DeliveryWorld:
    """A store with subscriptions, and what delivers their notifications."""

    def __init__(self, store: Store, kind: Any, **settings: Any) -> None:
        self.store, self.kind, self.clock, self.arrivals = store, kind, Clock(), Arrivals()
        self.targets = Targets({kind.name: kind}, clock=self.clock)
        self.schedule = self.new_schedule(**settings)

    def new_schedule(self, **settings: Any) -> DeliverySchedule:
        return DeliverySchedule(
            self.store,
            {self.kind.name: self.kind},
            compose,
            self.add_notice,
            broker_id="broker",
            settings=ScheduleSettings(**({"threads": 8} | settings)),
            clock=self.clock,
        )

    def subscribe(self, id: str, **settings: Any) -> None:
        row = subscription_row(
            id, created_at=self.clock.now, validity=None, expires_at=None, expiring_at=None, **settings
        )
        self.store.write(lambda connection: subscription_rows.insert(connection, row))

    def add_target(self, subscription: str, address: str = "http://receiver.example/") -> str:
        new = self.targets.prepare(self.kind.name, address)
        self.store.write(lambda connection: self.targets.add(connection, subscription, new))
        return new.id

    def subscribe_with_target(self, id: str, address: str = "http://receiver.example/", **settings: Any) -> str:
        """Add a subscription with a target that is verified."""
        self.subscribe(id, **settings)
        target = self.add_target(id, address)
        self.schedule.run_due()
        assert self.status(id).state == "active"
        return target

    def notify(self, subscription: str, count: int = 1, kind: str = "match", publication: int | None = None) -> None:
        """Add notifications as the matching step does."""

        def change(connection: Any) -> None:
            for _ in range(count):
                self.add(connection, subscription, kind, self.clock.now, publication)
            target_rows.wake(connection, [subscription], self.clock.now, notice=kind != "match")

        self.store.write(change)
        self.arrivals.signal([subscription])

    def add(self, connection: Any, subscription: str, kind: str, now: float, publication: int | None = None) -> None:
        row = subscription_rows.get(connection, subscription, lock=True)
        assert row is not None
        sequence = row.last_sequence + 1
        new = NotificationRow(
            subscription=subscription,
            sequence=sequence,
            id=f"{subscription}-{sequence}",
            kind=kind,
            created_at=now,
            publication=publication,
        )
        notification_rows.insert_many(connection, [new])
        subscription_rows.set_last_sequences(connection, {subscription: sequence})

    def add_notice(self, connection: Any, subscription: str, kind: str, now: float) -> None:
        self.add(connection, subscription, kind, now)
        target_rows.wake(connection, [subscription], now, notice=True)

    def status(self, subscription: str) -> Any:
        """The status of the subscription's only target."""
        (found,) = self.store.read(lambda connection: self.targets.statuses(connection, subscription))
        return found

    def kinds(self, subscription: str) -> list[str]:
        """The kinds of all notifications of a subscription."""
        rows = self.store.read(lambda connection: notification_rows.after(connection, subscription, 0, 1_000))
        return [row.kind for row in rows]

    def dead_letters(self, subscription: str) -> list[tuple[int, int]]:
        found = self.store.read(lambda connection: target_rows.dead_letters_of(connection, subscription))
        return [(each.first_sequence, each.last_sequence) for each in found]

    def forget(self, subscription: str, up_to: int) -> None:
        """Delete notifications as retention does."""
        old = (notifications.c.subscription == subscription) & (notifications.c.sequence <= up_to)
        self.store.write(lambda connection: connection.execute(notifications.delete().where(old)) and None)

    def unsubscribe(self, id: str) -> None:
        self.store.write(
            lambda connection: connection.execute(subscriptions.delete().where(subscriptions.c.id == id)) and None
        )


class Receiver:
    """A receiver of webhooks on loopback. It answers a challenge, and keeps all other messages."""

    def __init__(self, port: int) -> None:
        self.host = f"127.0.0.1:{port}"
        self.url = f"http://{self.host}/hook"
        self.requests: list[tuple[dict[str, str], bytes]] = []
        """Headers and body of each message, verifications included."""
        self.respond: Callable[[dict[str, Any]], tuple[int, dict[str, str], bytes]] | None = None

    def messages(self) -> list[dict[str, Any]]:
        """The messages that are no verifications."""
        return [each for each in (json.loads(body) for _, body in self.requests) if each["type"] != "verification"]

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        if self.respond is not None:
            return self.respond(body)
        return 200, {}, str(body["data"].get("challenge", "")).encode()


@contextlib.contextmanager
def webhook_receiver() -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.requests.append(({name.lower(): value for name, value in self.headers.items()}, body))
            status, headers, answer = receiver.answer(json.loads(body))
            with contextlib.suppress(OSError):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver = Receiver(server.server_port)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield receiver
        server.shutdown()
