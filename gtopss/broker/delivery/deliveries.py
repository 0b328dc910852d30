"""The operations on the deliveries of a subscription, for the holder of its ticket."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from gtopss.broker.delivery.atom_feed import DEFAULT_FEED_NOTIFICATIONS, atom_feed
from gtopss.broker.delivery.event_stream import EventReader, EventStream, StreamSettings
from gtopss.broker.delivery.json_lines import json_lines
from gtopss.broker.delivery.kind import DeliveryKind
from gtopss.broker.delivery.schedule import DeliverySchedule, ScheduleSettings
from gtopss.broker.delivery.targets import NewTarget, Targets, TargetStatus
from gtopss.broker.notifications import add_notice
from gtopss.broker.store import target_rows
from gtopss.broker.store.store import T
from gtopss.broker.store.target_rows import DeadLetter
from gtopss.broker.workers import Step
from gtopss.feeds.writing import FeedHeader

if TYPE_CHECKING:
    from gtopss.broker.broker import Broker

DUE_SPACING_SECONDS = 0.05
"""Time between two searches for deliveries that are due, if the first has found none. New notifications cause one."""


class Deliveries:
    """The targets, streams and feeds of subscriptions, and the schedule of their deliveries. Thread-safe.

    Every method takes the id and the ticket of a subscription, and raises InvalidTicket if they do not belong together.
    """

    def __init__(
        self, broker: Broker, kinds: Mapping[str, DeliveryKind], *, settings: ScheduleSettings | None = None
    ) -> None:
        """Create the deliveries of a broker. `kinds` are the kinds of push delivery that it offers, by name."""
        self._store, self._clock, self._arrivals = broker.store, broker.clock, broker.arrivals
        self._compose, self._authorise = broker.composer.compose, broker.authorised
        self._authorise_change = broker.authorise_change
        self._authorise_reading = broker.readable  # the last notifications can be read after the end
        self._targets = Targets(kinds, clock=broker.clock)
        self.schedule = DeliverySchedule(
            broker.store,
            kinds,
            self._compose,
            add_notice,
            broker_id=broker.id,
            settings=settings,
            clock=broker.clock,
        )
        """Attempts the deliveries that are due."""

    def steps(self) -> list[Step]:
        """Return the steps that `Workers` runs for deliveries."""
        return [
            Step("deliver", self.schedule.start_due, 0.5, spacing=DUE_SPACING_SECONDS),
            Step("streams", lambda: self._arrivals.look(self._store), 1.0),
        ]

    def close(self) -> None:
        """Finish the attempts that run, and begin no others. Call it after the workers were stopped."""
        self.schedule.close()

    # --- push ---------------------------------------------------------------------------------------------------

    def add_target(self, id: str, ticket: str, kind: str, address: str) -> NewTarget:
        """Push the notifications that follow to an address, once it is verified. The secret is shown this once.

        Raise InvalidTarget for an address that cannot be a target. The receiver is not contacted now.
        """
        self._authorise(id, ticket)  # so that nobody else learns which addresses are refused
        new = self._targets.prepare(kind, address)
        self._change(id, ticket, lambda connection: self._targets.add(connection, id, new))
        return new

    def check_target(self, kind: str, address: str) -> None:
        """Raise InvalidTarget for an address that cannot be a target. Nothing is stored, and nobody is contacted."""
        self._targets.prepare(kind, address)

    def targets(self, id: str, ticket: str) -> list[TargetStatus]:
        """Return the targets of a subscription, without their secrets."""
        self._authorise(id, ticket)
        return self._store.read(lambda connection: self._targets.statuses(connection, id))

    def remove_target(self, id: str, ticket: str, target: str) -> None:
        """Delete a target and its dead letters. Raise TargetNotFound."""
        self._change(id, ticket, lambda connection: self._targets.remove(connection, id, target))

    def rotate_secret(self, id: str, ticket: str, target: str) -> str:
        """Return a new secret of a target, shown this once. For a day messages are signed with the old one too."""
        return self._change(id, ticket, lambda connection: self._targets.rotate_secret(connection, id, target))

    def confirm(self, id: str, ticket: str, target: str, code: str) -> None:
        """Confirm a mail address with the code that it got. Raise TargetNotFound for a wrong code."""
        self._change(id, ticket, lambda connection: self._targets.confirm(connection, id, target, code))

    def enable(self, id: str, ticket: str, target: str) -> None:
        """Verify a disabled target again; then what waits for it is delivered. Raise TargetNotFound."""
        self._change(id, ticket, lambda connection: self._targets.enable(connection, id, target))

    def dead_letters(self, id: str, ticket: str) -> list[DeadLetter]:
        """Return the deliveries of a subscription that were given up, the oldest first."""
        self._authorise(id, ticket)
        return self._store.read(lambda connection: target_rows.dead_letters_of(connection, id))

    def replay(self, id: str, ticket: str, target: str, first_sequence: int | None = None) -> int:
        """Deliver a dead letter of a target again, or all of them. Return how many. Raise TargetNotFound."""
        return self._change(id, ticket, lambda connection: self._targets.replay(connection, id, target, first_sequence))

    # --- the operator -------------------------------------------------------------------------------------------

    def all_dead_letters(self, *, limit: int = 1_000) -> list[DeadLetter]:
        """Return the newest deliveries of all subscriptions that were given up, the newest first."""
        return self._store.read(lambda connection: target_rows.newest_dead_letters(connection, limit))

    def replay_any(self, subscription: str, target: str, first_sequence: int | None = None) -> int:
        """Deliver dead letters again as `replay` does, for the operator, who has no ticket."""
        return self._store.write(
            lambda connection: self._targets.replay(connection, subscription, target, first_sequence)
        )

    # --- pull ---------------------------------------------------------------------------------------------------

    def event_stream(
        self, id: str, ticket: str, *, last_event_id: str | None = None, settings: StreamSettings | None = None
    ) -> EventStream:
        """Return the events of a subscription for one reader."""
        self._authorise_reading(id, ticket)
        return EventStream(
            self._store, self._arrivals, self._compose, id, last_event_id=last_event_id, settings=settings
        )

    def event_reader(self, id: str, ticket: str) -> EventReader:
        """Return what reads the events of a subscription, for a transport with many clients of its own."""
        self._authorise_reading(id, ticket)
        return EventReader(self._store, self._compose, id)

    def atom_feed(self, id: str, ticket: str, header: FeedHeader, *, limit: int = DEFAULT_FEED_NOTIFICATIONS) -> bytes:
        """Return the newest notifications of a subscription as an Atom feed."""
        self._authorise_reading(id, ticket)
        return atom_feed(self._store, self._compose, id, header, limit=limit, now=self._clock())

    def json_lines(self, id: str, ticket: str, *, after: int = 0) -> Iterator[bytes]:
        """Return the retained notifications of a subscription after a number, each as a line of JSON."""
        self._authorise_reading(id, ticket)
        return json_lines(self._store, self._compose, id, after=after)

    def _change(self, id: str, ticket: str, change: Callable[[Connection], T]) -> T:
        """Run a change in the transaction in which the ticket is checked: the subscription may end at any moment."""
        self._authorise(id, ticket)  # so that wrong tickets cost no write

        def authorised_change(connection: Connection) -> T:
            self._authorise_change(connection, id, ticket)
            return change(connection)

        return self._store.write(authorised_change)
