"""Matching in a DBMS by sequential search (ToPSS, section 4.1).

One relation, `subs (sid, attr, op, val)`, a row for each predicate of each subscription; the query counts the satisfied
rows by subscription, and the subscriptions whose count is the number of their rows are matched. `val` is two columns
here, for numbers and texts.
"""

from __future__ import annotations

from collections.abc import Iterable

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import EVERYTHING, Abilities, AttributeReport, Register
from gtopss.attributes.matchers.databases import Database
from gtopss.attributes.matchers.slots import Slots
from gtopss.attributes.matchers.sql_conditions import COLUMNS, Orders, best_counts, predicate_row, rounds
from gtopss.attributes.predicates import AttributeSubscription
from gtopss.attributes.schema import Schema


class SequentialSearchMatcher:
    """A row per predicate and subscription, all of them asked."""

    abilities = Abilities(EVERYTHING)

    def __init__(self, schema: Schema, database: Database) -> None:
        self._schema, self._database = schema, database
        self._register = Register("sequential-search", self.abilities, schema)
        self._slots = Slots()
        self._rows = 0
        database.run(f"CREATE TABLE subs (sid INTEGER, {COLUMNS})")
        database.run("CREATE INDEX subs_sid ON subs (sid)")
        self._orders = Orders(schema, database)

    def __len__(self) -> int:
        return len(self._register)

    def insert(self, subscription: AttributeSubscription) -> None:
        self.load([subscription])

    def load(self, subscriptions: Iterable[AttributeSubscription]) -> None:
        """Insert many at once, as a database likes it; none of them if one is refused."""
        admitted = self._register.admit_all(subscriptions)
        rows = []
        for subscription in admitted:
            sid = self._slots.take(subscription.id, len(subscription.predicates))
            for predicate in subscription.predicates:
                self._orders.need(predicate)
                rows.append((sid, *predicate_row(predicate)))
        self._database.load("subs", rows)
        self._rows += len(rows)

    def remove(self, subscription_id: str) -> None:
        subscription = self._register.release(subscription_id)
        self._database.run("DELETE FROM subs WHERE sid = ?", (self._slots.give_back(subscription_id),))
        self._rows -= len(subscription.predicates)

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_values(event)
        asked = list(rounds(event, self._schema))
        counters = AttributeCounters(predicates=self._rows * len(asked))
        if not asked:
            return AttributeReport(frozenset(), counters)
        counted = best_counts("subs", asked)
        sql = (
            f"SELECT t1.sid FROM ({counted.sql}) AS t1"
            " JOIN (SELECT sid, COUNT(*) AS x FROM subs GROUP BY sid) AS t2 ON t1.sid = t2.sid AND t1.x = t2.x"
        )
        found = self._database.run(sql, counted.parameters)
        return AttributeReport(self._slots.ids(sid for (sid,) in found), counters)

    def structure_bytes(self) -> int:
        """The database's pages."""
        return self._database.page_bytes()
