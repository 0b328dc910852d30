"""Subscriptions as their owners wrote them, where the matcher has another form of them."""

from __future__ import annotations

from typing import Any

from gtopss.model import Subscription, Term
from gtopss.model.codec import Press, Record


class Originals:
    """By id, in little room; and of each branch that cannot match, why not."""

    def __init__(self) -> None:
        self._terms: dict[Term, int] = {}
        self._texts: list[Term] = []
        self._press = Press(self._number, self._texts.__getitem__)
        self._records: dict[str, Record] = {}
        self.impossible: dict[str, tuple[str, ...]] = {}
        self.never: set[str] = set()
        """Those of which no branch can match: no matcher has them."""

    def _number(self, term: Term) -> int:
        known = self._terms.setdefault(term, len(self._texts))
        if known == len(self._texts):
            self._texts.append(term)
        return known

    def __contains__(self, subscription_id: str) -> bool:
        return subscription_id in self._records

    def keep(self, subscription: Subscription, impossible: tuple[str, ...], *, never: bool) -> None:
        self._records[subscription.id] = self._press.record(subscription)
        if impossible:
            self.impossible[subscription.id] = impossible
        if never:
            self.never.add(subscription.id)

    def get(self, subscription_id: str) -> Subscription | None:
        record = self._records.get(subscription_id)
        return None if record is None else self._press.subscription(record)

    def forget(self, subscription_id: str) -> None:
        self._records.pop(subscription_id, None)
        self.impossible.pop(subscription_id, None)
        self.never.discard(subscription_id)

    def to_json(self) -> list[Any]:
        return [
            [self._press.subscription(record).to_json(), self.impossible.get(id, ()), id in self.never]
            for id, record in self._records.items()
        ]

    @classmethod
    def from_json(cls, data: list[Any]) -> Originals:
        made = cls()
        for subscription, impossible, never in data:
            made.keep(Subscription.from_json(subscription), tuple(impossible), never=never)
        return made
