"""A broker through whatever may happen to it, as a state machine for hypothesis, beside a plain model of it.

The model holds subscriptions and publications as Python objects and does each step in the simplest way: a new naive
engine for each subscription and publication. Several brokers share the store, and any of them may do the next step.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from gtopss import Engine, Publication
from gtopss.broker import stored_bindings
from gtopss.broker.broker import Broker
from gtopss.broker.config import BrokerConfig
from gtopss.broker.errors import InvalidKey, InvalidTicket, QuotaExceeded
from gtopss.broker.expiry import SHARED_DELAY_SECONDS
from gtopss.broker.store.open_store import open_store
from gtopss.errors import NeverMatches
from gtopss.operators import Registry
from support.brokers import TestClock

OPERATORS = Registry()


@OPERATORS.operator("endsWithA", arity=1, timeout=None)
def ends_with_a(publication: Publication, subject: str) -> bool:
    return str(subject).rstrip('">').endswith("a")


TEXTS = [
    "SELECT ?x { ?x <urn:p> <urn:a> }",
    "SELECT ?y { ?x <urn:p> ?y }",
    "SELECT DISTINCT ?x { ?x <urn:p> ?y . ?y <urn:q> ?z }",
    "SELECT * { { ?x <urn:p> <urn:b> } UNION { ?x <urn:q> <urn:a> } }",
    "SELECT * { ?x <urn:q> ?n FILTER(?n > 1) }",
    "SELECT ?x { ?x <urn:q> ?n FILTER(?n = 1) FILTER(?n = 2) }",  # never matches
    'SELECT ?x { ?x <urn:q> ?t FILTER(words(?t, "health")) }',
    "ASK { ?x <urn:q> ?x }",
    "SELECT ?y { ?x <urn:p> ?y FILTER(endsWithA(?y)) }",
    "SELECT ?x { ?x <urn:q> ?y FILTER(endsWithA(?x)) }",
]
NODES = ["<urn:a>", "<urn:b>", "_:c"]
OBJECTS = [*NODES, 1, 2, '"Health care"@en']
VALIDITIES = [None, 5.0, 10.0, 100.0]
MAX_ANONYMOUS, RETENTION = 8, 50.0


def publications() -> st.SearchStrategy[Publication]:
    triples = st.tuples(st.sampled_from(NODES), st.sampled_from(["<urn:p>", "<urn:q>"]), st.sampled_from(OBJECTS))
    made = st.lists(triples, min_size=3, max_size=6)
    return st.builds(Publication, st.sampled_from(["p1", "p2", "p3"]), made)


Bindings = Counter[frozenset[tuple[str, str]]]


@cache
def answer(text: str, triples: tuple[tuple[str, str, str], ...]) -> tuple[frozenset[tuple[str, str]], ...] | None:
    """Return the bindings of a subscription in a publication; None if it does not match."""
    engine = Engine(matcher="naive", operators=OPERATORS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NeverMatches)
        engine.add(text, id="s")
    report = engine.match(Publication("p", triples))
    return tuple(frozenset(row.items()) for row in report[0].rows) if len(report) else None


def calls_operators(text: str) -> bool:
    return "endsWithA" in text


@dataclass
class ModelSubscription:
    """A subscription as the model knows it."""

    ticket: str
    owner: str | None
    text: str
    since: int
    validity: float
    expires_at: float
    expiring_at: float | None
    paused: bool = False
    removed: bool = False
    expected: list[tuple[str, int | None]] = field(default_factory=list)
    """Kind, and the number of the publication, in order."""
    bindings: dict[int, Bindings] = field(default_factory=dict)

    def is_active(self, now: float) -> bool:
        return not self.removed and now < self.expires_at


@dataclass
class ModelPublication:
    """A publication as the model knows it. Numbers grow, but some are left out."""

    number: int
    publication: Publication
    received_at: float
    after: int
    waiting: bool = True
    operators_due: bool = False


class BrokerMachine(RuleBasedStateMachine):
    """Brokers over one store, and the model."""

    matcher = "reference"
    brokers_sharing = 2
    new_url: Callable[[], str]

    @initialize()
    def start(self) -> None:
        self.clock = TestClock()
        self.store = open_store(type(self).new_url())
        self.brokers = [self._new_broker() for _ in range(self.brokers_sharing)]
        self.changes = 0
        self.subscriptions: dict[str, ModelSubscription] = {}
        self.gone: list[tuple[str, str]] = []
        self.owners: list[str] = []
        self.publications: list[ModelPublication] = []
        for place in (0, 1, 8):  # so that something matches from the beginning
            self.subscribe(place, 0, TEXTS[place], 100.0, False)

    def teardown(self) -> None:
        if hasattr(self, "brokers"):
            for broker in self.brokers:
                broker.close()
            self.store.close()

    def _new_broker(self) -> Broker:
        config = BrokerConfig(
            anonymous_max_subscriptions=MAX_ANONYMOUS,
            default_validity=20.0,
            dry_run_publications=2,
            expired_retention=RETENTION,
            operator_patience=600.0,  # no further thread, which would go on after a step has returned
        )
        engine = Engine(matcher=self.matcher, operators=OPERATORS)
        return Broker(self.store, engine, config, clock=self.clock)

    def _broker(self, which: int) -> Broker:
        return self.brokers[which % len(self.brokers)]

    which = st.integers(0, 1)
    chosen = st.integers(0, 100)

    # --- owners ---------------------------------------------------------------------------------------------

    @precondition(lambda self: len(self.owners) < 3)
    @rule(which=which)
    def create_owner(self, which: int) -> None:
        self.owners.append(self._broker(which).create_owner("owner").key)

    @precondition(lambda self: self.owners)
    @rule(which=which, chosen=chosen)
    def delete_owner(self, which: int, chosen: int) -> None:
        key = self.owners.pop(chosen % len(self.owners))
        mine = [id for id, each in self.subscriptions.items() if each.owner == key]
        assert self._broker(which).delete_owner(key) == len(mine)
        for id in mine:
            self._forget(id)
        with pytest.raises(InvalidKey):
            self._broker(which).list(key)

    @precondition(lambda self: self.owners)
    @rule(which=which, chosen=chosen)
    def list_subscriptions(self, which: int, chosen: int) -> None:
        key = self.owners[chosen % len(self.owners)]
        listed = {(each.id, each.query, each.paused) for each in self._broker(which).list(key)}
        assert listed == {
            (id, each.text, each.paused)
            for id, each in self.subscriptions.items()
            if each.owner == key and each.is_active(self.clock.now)
        }

    # --- subscribers ----------------------------------------------------------------------------------------

    @rule(
        which=which,
        chosen=chosen,
        text=st.sampled_from(TEXTS),
        validity=st.sampled_from(VALIDITIES),
        backfill=st.booleans(),
    )
    def subscribe(self, which: int, chosen: int, text: str, validity: float | None, backfill: bool) -> None:
        key = ([None, *self.owners])[chosen % (len(self.owners) + 1)]
        used = sum(1 for each in self.subscriptions.values() if each.owner is None and not each.removed)
        if key is None and used == MAX_ANONYMOUS:
            with pytest.raises(QuotaExceeded):
                self._broker(which).subscribe(text, key=key, validity=validity)
            return
        made = self._broker(which).subscribe(text, key=key, validity=validity, backfill=backfill)
        self.changes += 1
        granted, now = validity or 20.0, self.clock.now
        subscription = ModelSubscription(
            made.ticket, key, text, self.changes, granted, now + granted, now + granted - 0.1 * granted
        )
        self.subscriptions[made.id] = subscription
        if backfill and not calls_operators(text):
            for each in self.publications:
                self._notify_of_match(subscription, each)

    @rule(which=which, chosen=chosen, text=st.sampled_from(TEXTS), given=publications())
    def subscribe_too_late(self, which: int, chosen: int, text: str, given: Publication) -> None:
        """Subscribe between a publication and its matching."""
        self._publish(which, [given])
        self.subscribe(which, chosen, text, None, backfill=False)
        self.match(which + 1)

    def _active(self, chosen: int) -> tuple[str, ModelSubscription]:
        ids = list(self.subscriptions)
        id = ids[chosen % len(ids)]
        return id, self.subscriptions[id]

    def _change(self, id: str, call: Callable[[], object]) -> bool:
        """Make a call for a subscription, which fails if it is not active. Return whether it is."""
        if self.subscriptions[id].is_active(self.clock.now):
            call()
            return True
        with pytest.raises(InvalidTicket):
            call()
        return False

    @precondition(lambda self: self.subscriptions)
    @rule(which=which, chosen=chosen, validity=st.sampled_from(VALIDITIES))
    def renew(self, which: int, chosen: int, validity: float | None) -> None:
        id, each = self._active(chosen)
        if self._change(id, lambda: self._broker(which).renew(id, each.ticket, validity=validity)):
            each.validity = validity or each.validity
            each.expires_at = self.clock.now + each.validity
            each.expiring_at = each.expires_at - 0.1 * each.validity

    @precondition(lambda self: self.subscriptions)
    @rule(which=which, chosen=chosen, text=st.sampled_from(TEXTS))
    def replace(self, which: int, chosen: int, text: str) -> None:
        id, each = self._active(chosen)
        if self._change(id, lambda: self._broker(which).replace(id, each.ticket, text)):
            self.changes += 1
            if calls_operators(text) != calls_operators(each.text):
                each.since = self.changes
            each.text = text

    @precondition(lambda self: self.subscriptions)
    @rule(which=which, chosen=chosen)
    def unsubscribe(self, which: int, chosen: int) -> None:
        id, each = self._active(chosen)
        if self._change(id, lambda: self._broker(which).unsubscribe(id, each.ticket)):
            self._forget(id)

    @precondition(lambda self: self.subscriptions)
    @rule(which=which, chosen=chosen, paused=st.booleans())
    def pause(self, which: int, chosen: int, paused: bool) -> None:
        id, each = self._active(chosen)
        broker = self._broker(which)
        call = broker.pause if paused else broker.resume
        if self._change(id, lambda: call(id, each.ticket)):
            each.paused = paused

    @precondition(lambda self: len(self.subscriptions) > 1)
    @rule(which=which, chosen=chosen)
    def use_a_foreign_ticket(self, which: int, chosen: int) -> None:
        (id, _), (_, other) = self._active(chosen), self._active(chosen + 1)
        for call in (self._broker(which).renew, self._broker(which).unsubscribe, self._broker(which).notifications):
            with pytest.raises(InvalidTicket):
                call(id, other.ticket)

    def _forget(self, id: str) -> None:
        self.gone.append((id, self.subscriptions.pop(id).ticket))

    # --- publishers and time --------------------------------------------------------------------------------

    @rule(which=which, given=st.lists(publications(), min_size=1, max_size=3), matched=st.booleans())
    def publish(self, which: int, given: list[Publication], matched: bool) -> None:
        """Publish, and often match at once, so that much of what happens is seen."""
        self._publish(which, given)
        if matched:
            self.match(which + 1)
            self.match_operators(which)

    @precondition(lambda self: self.subscriptions)
    @rule(which=which, chosen=chosen, given=publications(), at_notice=st.booleans())
    def publish_at_an_end(self, which: int, chosen: int, given: Publication, at_notice: bool) -> None:
        """Set the clock to the very moment at which a subscription ends, or its notice is due."""
        _, each = self._active(chosen)
        moment = each.expiring_at if at_notice else each.expires_at
        if moment is not None and moment > self.clock.now:
            self.clock.now = moment
            self._publish(which, [given])

    def _publish(self, which: int, given: list[Publication]) -> None:
        results = self._broker(which).publish(given)
        for publication, result in zip(given, results, strict=True):
            known = {(each.publication.id, frozenset(each.publication.triples)) for each in self.publications}
            is_new = (publication.id, frozenset(publication.triples)) not in known
            assert result.error is None
            assert result.publications[0].is_duplicate is not is_new
            if (number := result.publications[0].number) is not None:
                assert all(each.number < number for each in self.publications)
                self.publications.append(ModelPublication(number, publication, self.clock.now, self.changes))

    @rule(seconds=st.sampled_from([0.5, 4.5, 5.0, 9.0, 60.0]))
    def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @rule(which=which)
    def restart(self, which: int) -> None:
        self._broker(which).close()
        self.brokers[which % len(self.brokers)] = self._new_broker()

    # --- steps ----------------------------------------------------------------------------------------------

    @rule(which=which)
    def match(self, which: int) -> None:
        self._broker(which).matching.match_step()
        due = any(calls_operators(each.text) and not each.removed for each in self.subscriptions.values())
        for each in self.publications:
            if each.waiting:
                each.waiting, each.operators_due = False, due
                self._match(each, operators=False)

    @rule(which=which)
    def match_operators(self, which: int) -> None:
        self._broker(which).matching.operator_step()
        for each in self.publications:
            if each.operators_due:
                each.operators_due = False
                self._match(each, operators=True)

    def _match(self, each: ModelPublication, *, operators: bool) -> None:
        for subscription in self.subscriptions.values():
            if (
                calls_operators(subscription.text) == operators
                and subscription.since <= each.after
                and not subscription.paused
                and not subscription.removed
                and subscription.expires_at > each.received_at
            ):
                self._notify_of_match(subscription, each)

    def _notify_of_match(self, subscription: ModelSubscription, each: ModelPublication) -> None:
        rows = answer(subscription.text, each.publication.triples)
        if rows is not None and each.number not in subscription.bindings:
            subscription.expected.append(("match", each.number))
            subscription.bindings[each.number] = Counter(rows)

    @rule(which=which)
    def give_notice(self, which: int) -> None:
        self._broker(which).expiry.notice_step()
        for each in self.subscriptions.values():
            if not each.removed and each.expiring_at is not None and each.expiring_at <= self.clock.now:
                each.expiring_at = None
                if each.is_active(self.clock.now):
                    each.expected.append(("expiring", None))

    @rule(which=which)
    def remove_expired(self, which: int) -> None:
        self._broker(which).expiry.removal_step()
        waiting = [each.received_at for each in self.publications if each.waiting or each.operators_due]
        delay = SHARED_DELAY_SECONDS if self.store.name.startswith("postgresql") else 0.0
        until = min([self.clock.now - delay, *waiting])
        for each in self.subscriptions.values():
            if not each.removed and each.expires_at <= until:
                each.removed = True
                each.expected.append(("expired", None))

    @rule(which=which)
    def delete_old(self, which: int) -> None:
        self._broker(which).delete_old()
        for id, each in list(self.subscriptions.items()):
            if each.removed and each.expires_at < self.clock.now - RETENTION:
                self._forget(id)

    @rule(which=which)
    def run_pending(self, which: int) -> None:
        self.match(which)
        self.match_operators(which)
        self.give_notice(which)
        self.remove_expired(which)
        assert self._broker(which).run_pending() == 0

    # --- what is compared -----------------------------------------------------------------------------------

    @invariant()
    def notifications_are_those_of_the_model(self) -> None:
        ids = set()
        for id, each in getattr(self, "subscriptions", {}).items():
            found = self.brokers[0].notifications(id, each.ticket, limit=1_000)
            rows = [one.row for one in found]
            assert [row.sequence for row in rows] == list(range(1, len(rows) + 1))
            assert [(row.kind, row.publication) for row in rows] == each.expected, (rows, each)
            for row in rows:
                ids.add(row.id)
                if row.publication is not None:
                    assert _bindings(row.bindings) == each.bindings[row.publication]
        assert len(ids) == sum(len(each.expected) for each in getattr(self, "subscriptions", {}).values())

    @invariant()
    def what_is_gone_is_gone(self) -> None:
        for id, ticket in getattr(self, "gone", [])[-3:]:
            with pytest.raises(InvalidTicket):
                self.brokers[0].notifications(id, ticket)


def _bindings(text: str | None) -> Bindings:
    from gtopss.model.results_json import term_from_json

    rows = stored_bindings.decode(text or "")
    return Counter(frozenset((name, str(term_from_json(value))) for name, value in row.items()) for row in rows)
