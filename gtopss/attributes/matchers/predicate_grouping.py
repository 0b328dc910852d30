"""Matching in a DBMS by predicate grouping (ToPSS, section 4.2).

Three relations: `subs (sid, cnt)`, `preds (pid, attr, op, val)` with each distinct predicate once, and `subs_preds
(sid, pid)`. The query finds the satisfied predicates, counts them by subscription and compares with `cnt`; the paper
names `subs_preds` as the bottleneck.
"""

from __future__ import annotations

from collections.abc import Iterable

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import ALL_OPERATORS, AttributeCapabilities, AttributeReport, RegisteredSubscriptions
from gtopss.attributes.matchers.databases import Database
from gtopss.attributes.matchers.predicate_numbers import PredicateNumbers
from gtopss.attributes.matchers.sql_conditions import (
    COLUMNS,
    PartialOrderTable,
    best_counts,
    predicate_row,
    round_conditions,
)
from gtopss.attributes.matchers.subscription_slots import SubscriptionSlots
from gtopss.attributes.predicates import AttributeSubscription, Predicate
from gtopss.attributes.schema import Schema


class PredicateGroupingMatcher:
    """Match with one query that evaluates each distinct predicate once."""

    capabilities = AttributeCapabilities(ALL_OPERATORS)

    def __init__(self, schema: Schema, database: Database) -> None:
        self._schema, self._database = schema, database
        self._subscriptions = RegisteredSubscriptions("predicate-grouping", self.capabilities, schema)
        self._slots = SubscriptionSlots()
        self._numbers = PredicateNumbers()
        self._number: dict[Predicate, int] = {}
        database.run("CREATE TABLE subs (sid INTEGER PRIMARY KEY, cnt INTEGER)")
        database.run(f"CREATE TABLE preds (pid INTEGER PRIMARY KEY, {COLUMNS})")
        database.run("CREATE TABLE subs_preds (sid INTEGER, pid INTEGER)")
        database.run("CREATE INDEX subs_preds_sid ON subs_preds (sid)")
        database.run("CREATE INDEX subs_preds_pid ON subs_preds (pid)")
        self._orders = PartialOrderTable(schema, database)

    def __len__(self) -> int:
        return len(self._subscriptions)

    def insert(self, subscription: AttributeSubscription) -> None:
        self.load([subscription])

    def load(self, subscriptions: Iterable[AttributeSubscription]) -> None:
        """Insert many subscriptions in one bulk load, or none of them if one is refused."""
        added = self._subscriptions.add_all(subscriptions)
        subs, preds, pairs = [], [], []
        for subscription in added:
            sid = self._slots.allocate(subscription.id, len(subscription.predicates))
            subs.append((sid, len(subscription.predicates)))
            for predicate in subscription.predicates:
                pid = self._number.get(predicate)
                if pid is None:
                    pid = self._number[predicate] = self._numbers.allocate(predicate)
                    self._orders.store_order_of(predicate)
                    preds.append((pid, *predicate_row(predicate)))
                else:
                    self._numbers.retain(pid)
                pairs.append((sid, pid))
        self._database.load("subs", subs)
        self._database.load("preds", preds)
        self._database.load("subs_preds", pairs)

    def remove(self, subscription_id: str) -> None:
        subscription = self._subscriptions.remove(subscription_id)
        sid = self._slots.release(subscription_id)
        self._database.run("DELETE FROM subs WHERE sid = ?", (sid,))
        self._database.run("DELETE FROM subs_preds WHERE sid = ?", (sid,))
        for predicate in subscription.predicates:
            pid = self._number[predicate]
            if self._numbers.release(pid):
                del self._number[predicate]
                self._database.run("DELETE FROM preds WHERE pid = ?", (pid,))

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_published(event)
        conditions = list(round_conditions(event, self._schema))
        counters = AttributeCounters(predicates=len(self._number) * len(conditions))
        if not conditions:
            return AttributeReport(frozenset(), counters)
        counted = best_counts("subs_preds JOIN preds USING (pid)", conditions)
        sql = f"SELECT subs.sid FROM subs JOIN ({counted.sql}) AS t1 ON subs.sid = t1.sid AND subs.cnt = t1.x"
        found = self._database.run(sql, counted.parameters)
        return AttributeReport(self._slots.ids(sid for (sid,) in found), counters)

    def structure_bytes(self) -> int:
        """Return the bytes of the database's tables and indexes."""
        return self._database.page_bytes()
