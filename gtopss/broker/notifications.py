"""A notification as its receiver gets it: the item, the bindings and why, as JSON or Turtle.

The row of a notification has what must not change: its id, its number and the bindings. What can be computed again is
computed when the notification is rendered: what the item says comes from the retained publication, and the explanation
from the engine.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sqlalchemy import Connection

from gtopss.broker import stored_bindings
from gtopss.broker.explanation_texts import explanation_text
from gtopss.broker.match_recording import MATCH, record_notices
from gtopss.broker.store import publication_rows, subscription_rows
from gtopss.broker.store.notification_pages import page_after
from gtopss.broker.store.notification_rows import NotificationRow
from gtopss.broker.store.publication_rows import PublicationRow
from gtopss.broker.store.subscription_rows import SubscriptionRow
from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.feeds.entries import Entry, entry_of
from gtopss.feeds.graph_names import graph_name
from gtopss.feeds.namespaces import DCTERMS, GTOPSS
from gtopss.model.publication import TextPublication
from gtopss.model.results_json import term_from_json
from gtopss.model.terms import RDF_TYPE, Term, iri, literal

MAX_SUMMARY_CHARACTERS = 10_000
"""Characters of an item's description in JSON; a longer one is cut. The triples have all of it."""
MAX_TRIPLES_CHARACTERS = 200_000
"""Characters of an item's triples in JSON; of an item with more there are none."""
_NOTICE_TITLES = {
    "expiring": "This subscription is about to expire: renew it",
    "expired": "This subscription has expired",
    "disabled": "A target of this subscription was disabled",
}
_RESULTS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"
_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
_DATE_TIME = "http://www.w3.org/2001/XMLSchema#dateTime"

Explain = Callable[[PublicationRow], str | None]
"""Returns why a publication matches the subscription, or None if that is not known."""


@dataclass(frozen=True, slots=True)
class Notification:
    """A notification with the publications that it is about, as far as they are retained."""

    row: NotificationRow
    publications: tuple[PublicationRow, ...] = ()
    expires_at: float | None = None
    """The end of the subscription."""
    explain: Explain = field(default=lambda publication: None, repr=False, compare=False)

    def entry(self) -> Entry:
        """Return what a feed reader shows of it: the item, or the notice."""
        if self.row.kind != MATCH:
            return Entry(self.row.id, _NOTICE_TITLES.get(self.row.kind, self.row.kind))
        if not self.publications:
            return Entry(self.row.id, "An item that is no longer retained")
        return entry_of(self.publications[0].publication())

    def bindings(self) -> list[dict[str, dict[str, str]]]:
        """Return the solutions, as in the SPARQL 1.1 Query Results JSON Format."""
        return stored_bindings.decode(self.row.bindings or "")

    def why(self) -> str | None:
        """Explain the match in words; None for a notice, or if it cannot be explained any longer."""
        return self.explain(self.publications[0]) if self.publications else None

    def to_json(self) -> dict[str, Any]:
        """Return the notification as JSON data."""
        data = {
            "id": self.row.id,
            "subscription": self.row.subscription,
            "sequence": self.row.sequence,
            "kind": self.row.kind,
            "created_at": _time(self.row.created_at),
        }
        if self.row.kind != MATCH:
            return {**data, "message": self.entry().title, "expires_at": _time(self.expires_at)}
        return {
            **data,
            "item": _item_to_json(self.publications[0]) if self.publications else None,
            "bindings": self.bindings(),
            "truncated": self.row.truncated,
            "why": self.why(),
            "sources": [_source_to_json(each) for each in self.publications],
        }

    def to_turtle(self) -> bytes:
        """Return the notification as Turtle: what it is, its solutions, and the triples of the item.

        It is in the part of Turtle that is N-Triples too: one triple per line, without prefixes.
        """
        about = "".join(f"{s} {p} {o} .\n" for s, p, o in self._triples())
        return about.encode() + b"".join(map(_ntriples, self.publications[:1]))

    def _triples(self) -> Iterator[tuple[Term, Term, Term]]:
        node = iri(f"{GTOPSS}notification:{self.row.id}")
        yield node, RDF_TYPE, iri(f"{GTOPSS}Notification")
        yield node, iri(f"{GTOPSS}kind"), literal(self.row.kind)
        yield node, iri(f"{GTOPSS}subscription"), literal(self.row.subscription)
        yield node, iri(f"{GTOPSS}sequence"), literal(str(self.row.sequence), _INTEGER)
        yield node, iri(f"{DCTERMS}created"), literal(str(_time(self.row.created_at)), _DATE_TIME)
        for each in self.publications:
            yield node, iri(f"{GTOPSS}publication"), iri(graph_name(each.id))
            if each.source:
                yield node, iri(f"{DCTERMS}source"), literal(each.source)
        if why := self.why():
            yield node, iri(f"{DCTERMS}description"), literal(why)
        for number, solution in enumerate(self.bindings(), start=1):
            made = iri(f"{GTOPSS}notification:{self.row.id}:{number}")
            yield node, iri(f"{_RESULTS}solution"), made
            for name, value in solution.items():
                binding = iri(f"{GTOPSS}notification:{self.row.id}:{number}:{name}")
                yield made, iri(f"{_RESULTS}binding"), binding
                yield binding, iri(f"{_RESULTS}variable"), literal(name)
                yield binding, iri(f"{_RESULTS}value"), term_from_json(value)


class Composer:
    """Adds to rows of notifications what their publications say, and why they matched. Thread-safe."""

    def __init__(self, engine: Callable[[SubscriptionRow], Engine]) -> None:
        """`engine` returns an engine that has a subscription, if it calls no operators; others are not explained."""
        self._engine = engine

    def compose(self, connection: Connection, rows: Sequence[NotificationRow]) -> list[Notification]:
        """Return the notifications of rows."""
        numbers = {number for row in rows for number in row.publications()}
        publications = publication_rows.get_many(connection, numbers)
        subscriptions = subscription_rows.get_many(connection, {row.subscription for row in rows})
        made = []
        for row in rows:
            found = tuple(publications[number] for number in row.publications() if number in publications)
            subscription = subscriptions.get(row.subscription)
            expires_at = None if subscription is None else subscription.expires_at
            made.append(Notification(row, found, expires_at, partial(self._explain, subscription)))
        return made

    def _explain(self, subscription: SubscriptionRow | None, publication: PublicationRow) -> str | None:
        if subscription is None:
            return None
        item = publication.publication()
        try:
            engine = self._engine(subscription)
            explanation = engine.explain(item, subscription.id)
            # A subscription that was replaced since may not match any longer: then nothing is known.
            if not explanation.matched:
                return None
            return explanation_text(engine, subscription.query, subscription.form, item, explanation)
        except GtopssError:  # it is gone, or calls operators
            return None


def add_notice(connection: Connection, subscription: str, kind: str, now: float) -> None:
    """Add a notice to a subscription, in a transaction of the caller. Nothing happens if the subscription is gone."""
    row = subscription_rows.get(connection, subscription, lock=True)
    if row is not None:
        record_notices(connection, [(row, kind)], now)


def notifications_after(
    connection: Connection, composer: Composer, subscription: str, sequence: int, limit: int
) -> list[Notification]:
    """Return the notifications of a subscription after a number, in their order.

    They are fewer than the limit if they are large, but at least one.
    """
    rows, _ = page_after(connection, subscription, sequence, limit)
    return composer.compose(connection, rows)


def _item_to_json(row: PublicationRow) -> dict[str, Any]:
    entry = entry_of(row.publication())
    summary = entry.summary
    if summary is not None and len(summary) > MAX_SUMMARY_CHARACTERS:
        summary = f"{summary[:MAX_SUMMARY_CHARACTERS]}…"
    return {
        "id": row.id,
        "title": entry.title,
        "link": entry.link,
        "summary": summary,
        "authors": list(entry.authors),
        "categories": list(entry.categories),
        "published_at": None if entry.published_at is None else entry.published_at.isoformat(),
        "received_at": _time(row.received_at),
        "triples": _ntriples(row).decode() if len(row.lines) <= MAX_TRIPLES_CHARACTERS else None,
    }


def _source_to_json(row: PublicationRow) -> dict[str, Any]:
    entry = entry_of(row.publication())
    return {"publication": row.id, "source": row.source, "title": entry.source, "link": entry.link}


def _ntriples(row: PublicationRow) -> bytes:
    publication = row.publication()
    assert isinstance(publication, TextPublication)
    return "".join([f"{s} {p} {o} .\n" for s, p, o in publication.triples]).encode()


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat()
