"""Matching in a DBMS by sequential search (ToPSS, section 4.1).

One relation, `subs (sid, attr, op, val)`, a row for each predicate of each subscription; the query counts the satisfied
rows by subscription, and a subscription matches if the count is the number of its rows. `val` is two columns
here, for numbers and strings.
"""

from __future__ import annotations

from collections.abc import Iterable

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import ALL_OPERATORS, AttributeCapabilities, AttributeReport, RegisteredSubscriptions
from gtopss.attributes.matchers.databases import Database
from gtopss.attributes.matchers.sql_conditions import (
    COLUMNS,
    PartialOrderTable,
    best_counts,
    predicate_row,
    round_conditions,
)
from gtopss.attributes.matchers.subscription_slots import SubscriptionSlots
from gtopss.attributes.predicates import AttributeSubscription
from gtopss.attributes.schema import Schema


class SequentialSearchMatcher:
    """Match with one query over a row for each predicate of each subscription."""

    capabilities = AttributeCapabilities(ALL_OPERATORS)

    def __init__(self, schema: Schema, database: Database) -> None:
        self._schema, self._database = schema, database
        self._subscriptions = RegisteredSubscriptions("sequential-search", self.capabilities, schema)
        self._slots = SubscriptionSlots()
        self._rows = 0
        database.run(f"CREATE TABLE subs (sid INTEGER, {COLUMNS})")
        database.run("CREATE INDEX subs_sid ON subs (sid)")
        self._orders = PartialOrderTable(schema, database)

    def __len__(self) -> int:
        return len(self._subscriptions)

    def insert(self, subscription: AttributeSubscription) -> None:
        self.load([subscription])

    def load(self, subscriptions: Iterable[AttributeSubscription]) -> None:
        """Insert many subscriptions in one bulk load, or none of them if one is refused."""
        added = self._subscriptions.add_all(subscriptions)
        rows = []
        for subscription in added:
            sid = self._slots.allocate(subscription.id, len(subscription.predicates))
            for predicate in subscription.predicates:
                self._orders.store_order_of(predicate)
                rows.append((sid, *predicate_row(predicate)))
        self._database.load("subs", rows)
        self._rows += len(rows)

    def remove(self, subscription_id: str) -> None:
        subscription = self._subscriptions.remove(subscription_id)
        self._database.run("DELETE FROM subs WHERE sid = ?", (self._slots.release(subscription_id),))
        self._rows -= len(subscription.predicates)

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_published(event)
        conditions = list(round_conditions(event, self._schema))
        counters = AttributeCounters(predicates=self._rows * len(conditions))
        if not conditions:
            return AttributeReport(frozenset(), counters)
        counted = best_counts("subs", conditions)
        sql = (
            f"SELECT t1.sid FROM ({counted.sql}) AS t1"
            " JOIN (SELECT sid, COUNT(*) AS x FROM subs GROUP BY sid) AS t2 ON t1.sid = t2.sid AND t1.x = t2.x"
        )
        found = self._database.run(sql, counted.parameters)
        return AttributeReport(self._slots.ids(sid for (sid,) in found), counters)

    def structure_bytes(self) -> int:
        """Return the bytes of the database's tables and indexes."""
        return self._database.page_bytes()
