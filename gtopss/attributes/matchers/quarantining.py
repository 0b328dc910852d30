"""Equality-preferred with nonequality quarantining (Le Subscribe, section 3.1, Figure 5).

| paper            | here                                                                  |
|------------------|-----------------------------------------------------------------------|
| eqsubmatch       | `EqualityClusters.satisfied`                                          |
| match(s, e)      | `all_hold`, on the predicates that the equalities leave open          |
| neqsub           | the subscriptions of `_quarantine`, a fair predicate matcher          |
| pred_to_neqsubs  | its postings                                                          |

Only subscriptions without an equality are counted. The others keep their nonequality predicates to themselves, and
have them evaluated one by one once their equalities hold.
"""

from __future__ import annotations

from gtopss.attributes.binding import all_hold
from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import EVERYTHING, Abilities, AttributeReport, Register
from gtopss.attributes.matchers.equalities import EqualityClusters, settle
from gtopss.attributes.matchers.fair_predicate import FairPredicateMatcher
from gtopss.attributes.matchers.slots import Slots
from gtopss.attributes.predicates import AttributeSubscription, Predicate
from gtopss.attributes.schema import Schema
from gtopss.attributes.size import size_of


class QuarantiningMatcher:
    """Finds equalities by cluster, tests what they leave open, and counts only where there is no equality."""

    abilities = Abilities(EVERYTHING)

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._register = Register("quarantining", self.abilities, schema)
        self._slots = Slots()
        self._equalities = EqualityClusters()
        self._open: dict[int, tuple[Predicate, ...]] = {}
        self._quarantine = FairPredicateMatcher(schema)

    def __len__(self) -> int:
        return len(self._register)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._register.admit(subscription)
        settled = settle(subscription, self._schema)
        if settled is None:
            return
        if not settled.equal:
            self._quarantine.insert(subscription)
            return
        slot = self._slots.take(subscription.id, len(settled.open))
        self._equalities.add(settled.equal, slot)
        self._open[slot] = settled.open

    def remove(self, subscription_id: str) -> None:
        settled = settle(self._register.release(subscription_id), self._schema)
        if settled is None:
            return
        if not settled.equal:
            self._quarantine.remove(subscription_id)
            return
        slot = self._slots.give_back(subscription_id)
        self._equalities.discard(settled.equal, slot)
        del self._open[slot]

    def match(self, event: Event) -> AttributeReport:
        report = self._quarantine.match(event)
        counters = report.counters
        matched = self._slots.ids(
            slot
            for slot in self._equalities.satisfied(event, counters)
            if self._holds(event, self._open[slot], counters)
        )
        return AttributeReport(report.subscription_ids | matched, counters)

    def _holds(self, event: Event, predicates: tuple[Predicate, ...], counters: AttributeCounters) -> bool:
        return all_hold(event, predicates, self._schema, counters)

    def structure_bytes(self) -> int:
        own = size_of(self._slots, self._equalities, self._open, without=(self._schema,))
        return own + self._quarantine.structure_bytes()
