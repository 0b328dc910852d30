"""Explain why a retained publication matches the text of a subscription, or what is missing.

The text is explained in an engine of its own, so that it need not be registered. Operators are not called: a text that
calls them cannot be explained.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from gtopss.broker.errors import NotPermitted, PublicationNotFound
from gtopss.broker.explanation_texts import explanation_text
from gtopss.broker.store import publication_rows
from gtopss.broker.store.publication_rows import PublicationRow
from gtopss.broker.store.store import Store
from gtopss.broker.subscription_texts import add_quietly, read_text
from gtopss.engine import Engine
from gtopss.explain import Explanation
from sparqlish import PREFIXES

_MAX_NUMBER_DIGITS = 18


@dataclass(frozen=True, slots=True)
class ExplainedPublication:
    """A publication, its explanation, and the explanation in words: of a short form, condition by condition."""

    publication: PublicationRow
    explanation: Explanation
    text: str

    def svg(self) -> str:
        """Return a drawing of the pattern, with what matched and what failed."""
        return self.explanation.svg(PREFIXES)


class Explaining:
    """Explains publications with the texts of subscriptions. Thread-safe."""

    def __init__(self, store: Store, engine: Engine) -> None:
        self._store, self._engine = store, engine.without_subscriptions()

    def publication(self, name: str) -> PublicationRow:
        """Return a retained publication by its number or its id. Raises PublicationNotFound."""
        found = self._store.read(lambda connection: _find(connection, name))
        if found is None:
            raise PublicationNotFound(name)
        return found

    def explain(self, publication: str, text: str, form: str, id: str) -> ExplainedPublication:
        """Explain a publication, named by its number or id. Raises PublicationNotFound or InvalidSubscription."""
        row = self.publication(publication)
        engine = self._engine.without_subscriptions()
        read = read_text(text, form, id, engine)
        if read.calls_operators:
            raise NotPermitted("a subscription that calls operators is not explained, because that would call them")
        add_quietly(engine, read.subscription)
        item = row.publication()
        explanation = engine.explain(item, id)
        return ExplainedPublication(row, explanation, explanation_text(engine, text, form, item, explanation))


def _find(connection: Connection, name: str) -> PublicationRow | None:
    if name.isascii() and name.isdigit() and len(name) <= _MAX_NUMBER_DIGITS:
        return publication_rows.get_many(connection, [int(name)]).get(int(name))
    return None if "\0" in name else publication_rows.with_id(connection, name)
