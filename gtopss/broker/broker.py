"""The broker: the operations of subscribers, publishers and the operator, and the steps that run in the background.

    with sqlite_store("broker.db") as store, Broker(store) as broker:
        acknowledged = broker.subscribe("SELECT ?item { ?item dc:subject ?what FILTER(words(?what, 'health')) }")
        broker.publish([feed_bytes])
        broker.run_pending()
        broker.notifications(acknowledged.id, acknowledged.ticket)

`gtopss.broker.workers` runs the steps in threads. Without them, `run_pending` runs all that is due, so that everything
can be tested with an injected clock.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, MutableSequence, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from gtopss.extras import require_extra

try:
    from sqlalchemy import Connection
except ImportError:
    require_extra("broker", "gtopss.broker")
    raise

from gtopss.broker.backfill import Backfill
from gtopss.broker.config import BrokerConfig, SubscriptionOptions
from gtopss.broker.delivery.arrivals import Arrivals
from gtopss.broker.engine_follower import EngineFollower, FollowedShare
from gtopss.broker.engine_snapshots import EngineSnapshots
from gtopss.broker.errors import InvalidSetting, StoreError
from gtopss.broker.expiry import Expiry
from gtopss.broker.explaining import Explaining
from gtopss.broker.matching import Matching
from gtopss.broker.notifications import Composer, Notification, notifications_after
from gtopss.broker.owners import DEFAULT_ROLES, NewOwner, Owners, Role
from gtopss.broker.publishing import Published, Publishing, PublishResult
from gtopss.broker.registration import Registrar, Registration
from gtopss.broker.shares.held_shares import HeldShares
from gtopss.broker.shares.placement import Placement
from gtopss.broker.shares.resharing import Resharing, ask_for_shares
from gtopss.broker.shares.router import Router
from gtopss.broker.shares.routing import Routing
from gtopss.broker.store import change_rows, subscription_rows
from gtopss.broker.store.owner_rows import ANONYMOUS
from gtopss.broker.store.retention import Cleaner
from gtopss.broker.store.store import Store
from gtopss.broker.store.subscription_rows import SubscriptionRow
from gtopss.broker.subscribing import NewSubscription, StoredText, Subscribing
from gtopss.broker.subscription_texts import Form, add_quietly, parse_text
from gtopss.broker.tickets import new_id
from gtopss.engine import Engine
from gtopss.engine.config import EngineConfig
from gtopss.errors import SubscriptionNotFound
from gtopss.matching.table import MATCHERS
from ontology.limits import DEFAULT_LIMITS

MAX_NOTIFICATIONS_READ = 1_000
"""Notifications that one call returns."""
MAX_SEQUENCE = 2**62
"""Above every number of a notification, and small enough for a database."""


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """The acknowledgement of a subscription. The ticket is shown only here; its holder may change the subscription."""

    id: str
    ticket: str
    expires_at: float | None
    """Unix seconds; None for no end."""
    registration: Registration
    backfilled: int = 0


@dataclass(frozen=True, slots=True)
class OwnedSubscription:
    """What an owner sees of a subscription in a list."""

    id: str
    query: str
    """As it was written."""
    form: str
    created_at: float
    expires_at: float | None
    paused: bool
    steps: float
    notifications: int
    """How many it has had."""


class Broker:
    """Durable subscriptions with tickets, publications and notifications over one store. Thread-safe."""

    def __init__(
        self,
        store: Store,
        engine: Engine | EngineConfig | None = None,
        config: BrokerConfig | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Create a broker. The caller closes the store, after the broker.

        `engine` gives settings, taxonomy and operators. It must have no subscriptions; the broker owns it from now on,
        and its taxonomy must not be edited. Subscriptions are read by `start`, or before the first match.
        """
        made = engine if isinstance(engine, Engine) else Engine(engine)
        if len(made):
            reason = "give an engine without subscriptions, because the broker reads them from its store"
            raise InvalidSetting("engine", f"an engine of {len(made)} subscriptions", reason)
        self.store, self.config, self.clock = store, config or BrokerConfig(), clock
        self.id = secrets.token_hex(8)
        """Names this broker among those that share the store."""
        self.arrivals = Arrivals()
        """Tells readers of event streams that there are new notifications."""
        self.when_published: MutableSequence[Callable[[], None]] = []
        """Called after publications were stored."""
        self.when_notified: MutableSequence[Callable[[], None]] = []
        """Called after notifications were stored."""
        self.owners = Owners(store, self.config, clock)
        """API keys, their roles and their quotas."""
        self._cleaner = Cleaner(store, self.config.retention)
        store.write(self._prepare)
        empty = made.without_subscriptions()
        self.operators = self._follower(made.without_subscriptions(), "operators", calls_operators=True)
        """The engine with the subscriptions that call operators."""
        self._whole = self._follower(made, "plain", calls_operators=False)
        self.shares = HeldShares(
            store,
            clock,
            broker_id=self.id,
            whole=self._whole,
            new_follower=lambda share: self._share_follower(empty, share),
            max_shares=self.config.max_shares,
            lease=self.config.share_lease,
        )
        """The shares of the subscriptions that this broker holds; without a division, all subscriptions."""
        self.router = Router(store, empty.taxonomy)
        """Knows in which shares a publication may fire."""
        placement = Placement(store, empty, self.router)
        self.resharing = Resharing(store, placement, self.router)
        """Divides the subscriptions into another number of shares."""
        self.composer = Composer(lambda row: self._engine_with(row, empty))
        self.explaining = Explaining(store, made)
        """Explains publications with the texts of subscriptions."""
        self._registrar = Registrar(store, made, self.config)
        self._backfill = Backfill(store, empty, self.config.backfill_publications, clock)
        self._subscribing = Subscribing(store, self.config, clock, placement)
        limits = made.config.document_limits or DEFAULT_LIMITS
        compiled = MATCHERS[made.config.matcher].capabilities.text
        readers = self.config.reader_processes
        self.publishing = Publishing(store, clock, readers=readers, limits=limits, compiled=compiled)
        self.matching = Matching(
            store,
            self.config,
            clock,
            broker_id=self.id,
            held=self.shares.current,
            operators=self.operators,
            new_operators=lambda: self._operator_follower(empty),
            written=self._notified,
        )
        self.routing = Routing(
            store,
            self.config,
            clock,
            broker_id=self.id,
            router=self.router,
            leases=self.matching.leases,
            is_divided=self.shares.is_divided,
            routed=self.published,
        )
        self.expiry = Expiry(store, self.config, clock, written=self._notified)

    def _prepare(self, connection: Connection) -> None:
        change_rows.create_store_number(connection)
        self.owners.create_anonymous(connection)

    def _follower(self, engine: Engine, name: str, *, calls_operators: bool) -> EngineFollower:
        folder = self.config.snapshot_folder
        snapshots = None if folder is None else EngineSnapshots(folder / name)
        return EngineFollower(self.store, engine, self.clock, calls_operators=calls_operators, snapshots=snapshots)

    def _share_follower(self, empty: Engine, share: FollowedShare) -> EngineFollower:
        """Return an engine for the subscriptions of one share."""
        folder, engine = self.config.snapshot_folder, empty.without_subscriptions()
        name = f"share-{share.share}-of-{share.division.shares}-epoch-{share.division.epoch}"
        snapshots = None if folder is None else EngineSnapshots(folder / name)
        return EngineFollower(self.store, engine, self.clock, share=share, snapshots=snapshots)

    def followers(self) -> list[EngineFollower]:
        """Return the engines with the subscriptions that call no operators: one for each share that is held."""
        return [held.follower for held in self.shares.current()] or [self._whole]

    def costs(self, most: int) -> dict[str, int]:
        """Return the steps of the most expensive subscriptions that this broker holds, most expensive first."""
        spent: Counter[str] = Counter()
        for each in self.followers():
            if MATCHERS[each.engine.config.matcher].capabilities.costs:
                spent.update(each.engine.costs(most))
        return dict(spent.most_common(most))

    def _engine_with(self, row: SubscriptionRow, empty: Engine) -> Engine:
        """Return an engine that has a subscription. Raises GtopssError if it cannot be read."""
        if not self.shares.is_divided():
            return self._whole.engine
        for each in self.followers():
            with suppress(SubscriptionNotFound):
                each.engine.subscription(row.id)
                return each.engine
        alone = empty.without_subscriptions()  # another broker holds it
        add_quietly(alone, parse_text(row.query, row.form, row.id, alone))
        return alone

    def _operator_follower(self, engine: Engine) -> EngineFollower:
        """Return a further engine with the subscriptions that call operators: an engine waits for its operators."""
        return EngineFollower(self.store, engine.without_subscriptions(), self.clock, calls_operators=True)

    def _notified(self, subscription_ids: Sequence[str]) -> None:
        if subscription_ids:
            self.arrivals.signal(subscription_ids)
            for call in self.when_notified:
                call()

    def published(self) -> None:
        """Wake the matching step, after publications were stored."""
        for call in self.when_published:
            call()

    def start(self) -> None:
        """Read the subscriptions now, from a snapshot or from the store."""
        for each in self.shares.current():
            each.follower.follow()
        self.operators.follow()

    def close(self) -> None:
        """Save the engine, if a folder is configured, and stop the processes that read documents."""
        self.matching.close()
        for follower in self._followers():
            follower.save_if_due(changes=1, seconds=0.0)
        with suppress(StoreError):  # others wait until the shares are free by themselves
            self.shares.release()
        self.publishing.close()

    def save_snapshots(self) -> int:
        """Save the engines if that is due; return how many were saved. Matching goes on meanwhile."""
        changes, seconds = self.config.snapshot_changes, self.config.snapshot_interval
        return sum(each.save_if_due(changes=changes, seconds=seconds) for each in self._followers())

    def _followers(self) -> Sequence[EngineFollower]:
        return (*(each.follower for each in self.shares.known()), self.operators)

    def set_shares(self, count: int) -> None:
        """Divide the subscriptions into shares, of which each broker holds `max_shares` at most.

        The same number as before divides them anew. Returns at once: a step of some broker does it. Raises
        InvalidSetting.
        """
        ask_for_shares(self.store, count)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- owners ---------------------------------------------------------------------------------------------

    def create_owner(
        self,
        name: str,
        *,
        max_subscriptions: int | None = None,
        max_steps: float | None = None,
        roles: Collection[Role] = DEFAULT_ROLES,
    ) -> NewOwner:
        """Create an owner and return its API key, which is shown this once."""
        return self.owners.create(name, max_subscriptions, max_steps, roles)

    def delete_owner(self, key: str) -> int:
        """Delete an owner with all its data, and return how many subscriptions it had. Raises InvalidKey."""
        return self.owners.delete(key)

    def list(self, key: str) -> list[OwnedSubscription]:
        """Return the subscriptions of an owner, the newest first. Raises InvalidKey."""
        owner, now = self.owners.by_key(key), self.clock()
        rows = self.store.read(lambda connection: subscription_rows.of_owner(connection, owner.id))
        return [_owned(row) for row in rows if row.is_active(now)]

    # --- subscribers ----------------------------------------------------------------------------------------

    def check(self, text: str, *, form: Form = "sparql", key: str | None = None) -> Registration:
        """Return what `subscribe` would say about a text, without registering it. Raises InvalidSubscription."""
        owner = ANONYMOUS if key is None else self.owners.by_key(key).id
        return self._registrar.examine(text, form, new_id(), owner, now=self.clock())

    def subscribe(
        self,
        text: str,
        *,
        form: Form = "sparql",
        key: str | None = None,
        validity: float | None = None,
        options: SubscriptionOptions | None = None,
        backfill: bool = False,
    ) -> Acknowledgement:
        """Register a subscription durably, and return its ticket and the result of the registration.

        `validity` is in seconds; None for the default, `math.inf` for no end. With `backfill`, matches among the newest
        retained publications become notifications. Raises InvalidSubscription, InvalidKey, NotPermitted,
        InvalidSetting or QuotaExceeded.
        """
        owner, granted = self.owners.subscriber(key), self.config.granted_validity(validity)
        id = new_id()
        found = self._registrar.examine(text, form, id, owner, now=self.clock())
        new = NewSubscription(id, owner, _stored(text, form, found), granted, options or SubscriptionOptions())
        if backfill and not found.calls_operators:
            matches = self._backfill.matches(text, form, id)
            added = self._subscribing.add(new, lambda connection, row: self._backfill.write(connection, row, matches))
        else:
            added = self._subscribing.add(new)
        return Acknowledgement(id, added.ticket, added.row.expires_at, found, added.backfilled)

    def renew(self, id: str, ticket: str, *, validity: float | None = None) -> float | None:
        """Renew a subscription: its validity starts again, by default as long as before. Return the new expiry time.

        The ticket stays the same. Raises InvalidTicket, NotPermitted or InvalidSetting.
        """
        return self._subscribing.renew(id, ticket, validity).expires_at

    def replace(self, id: str, ticket: str, text: str, *, form: Form = "sparql") -> Registration:
        """Give a subscription a new text under the same id and ticket, in one step. Raises InvalidTicket.

        Publications that are matched from now on are matched with the new text. If it begins or ceases to call
        operators, the subscription receives only publications that are accepted from now on. Raises
        InvalidSubscription or QuotaExceeded, and then the old text stays.
        """
        owner = self._subscribing.authorised(id, ticket).owner
        found = self._registrar.examine(text, form, id, owner, now=self.clock(), replaced=id)
        self._subscribing.replace(id, ticket, _stored(text, form, found))
        return found

    def unsubscribe(self, id: str, ticket: str) -> None:
        """Remove a subscription with its notifications, delivered or not. Raises InvalidTicket."""
        self._subscribing.unsubscribe(id, ticket)

    def pause(self, id: str, ticket: str) -> None:
        """Stop matching a subscription. Its validity goes on. Raises InvalidTicket."""
        self._subscribing.set_paused(id, ticket, True)

    def resume(self, id: str, ticket: str) -> None:
        """Match a paused subscription again. Raises InvalidTicket."""
        self._subscribing.set_paused(id, ticket, False)

    def new_reader(self, id: str, ticket: str) -> str:
        """Return a token that may read the notifications of a subscription and nothing else, shown this once.

        The token before it is revoked. Raises InvalidTicket.
        """
        return self._subscribing.new_reader(id, ticket)

    def revoke_reader(self, id: str, ticket: str) -> None:
        """Revoke the token that may only read. Raises InvalidTicket."""
        self._subscribing.revoke_reader(id, ticket)

    def authorised(self, id: str, ticket: str) -> SubscriptionRow:
        """Return the row of the active subscription that a ticket is for. Raises InvalidTicket."""
        return self._subscribing.authorised(id, ticket)

    def authorise_change(self, connection: Connection, id: str, ticket: str) -> SubscriptionRow:
        """Do the same in a transaction that changes something of the subscription, and lock its row until it ends."""
        return self._subscribing.authorise_change(connection, id, ticket)

    def readable(self, id: str, ticket: str) -> SubscriptionRow:
        """Return the row of a subscription whose notifications a ticket may read, also a while after its end.

        A token of `new_reader` may read them too. Raises InvalidTicket.
        """
        return self._subscribing.reader(id, ticket)

    def notifications(self, id: str, ticket: str, *, after: int = 0, limit: int = 100) -> Sequence[Notification]:
        """Return the notifications of a subscription after a number. Raises InvalidTicket.

        They can be read for a while after the end of the subscription, until its rows are deleted.
        """
        self.readable(id, ticket)
        most = max(0, min(limit, MAX_NOTIFICATIONS_READ))
        start = max(0, min(after, MAX_SEQUENCE))
        return self.store.read(lambda connection: notifications_after(connection, self.composer, id, start, most))

    # --- publishers -----------------------------------------------------------------------------------------

    def publish(self, given: Iterable[Published], *, key: str | None = None) -> Sequence[PublishResult]:
        """Accept documents and publications; return one acknowledgement or error for each, in their order.

        What is acknowledged is durable, and is matched later. The same id and content again is acknowledged as a
        duplicate. Raises InvalidKey or NotPermitted.
        """
        self.owners.check_publisher(key)
        return self.publish_as_operator(given)

    def publish_as_operator(self, given: Iterable[Published]) -> Sequence[PublishResult]:
        """Accept documents and publications as `publish` does, without asking for a key."""
        results = self.publishing.publish(list(given))
        self.published()
        return results

    # --- steps ----------------------------------------------------------------------------------------------

    def run_pending(self) -> int:
        """Run the steps that are due now: matching, notices and removals. Return how many rows they handled."""
        total = 0
        steps = (
            self.resharing.reshare_step,
            self.shares.refresh_if_due,
            self.routing.route_step,
            self.matching.match_step,
            self.matching.operator_step,
            self.expiry.notice_step,
            self.expiry.removal_step,
        )
        while done := sum(step() for step in steps):
            total += done
        return total

    def delete_old(self, is_stopped: Callable[[], bool] = lambda: False) -> int:
        """Delete rows beyond their retention, and subscriptions that expired long ago.

        Return how many rows were deleted. `is_stopped` is called between portions.
        """
        deleted = self._cleaner.clean(self.clock(), is_stopped=is_stopped)
        return sum(deleted.values()) + self.expiry.purge_step()


def _stored(text: str, form: str, found: Registration) -> StoredText:
    return StoredText(text, form, found.calls_operators, found.steps)


def _owned(row: SubscriptionRow) -> OwnedSubscription:
    return OwnedSubscription(
        row.id, row.query, row.form, row.created_at, row.expires_at, row.paused, row.steps, row.last_sequence
    )
