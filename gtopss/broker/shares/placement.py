"""Give new subscriptions a share and routing keys, in the transaction that stores them."""

from __future__ import annotations

import logging
from typing import NamedTuple

from sqlalchemy import Connection

from gtopss.broker.shares.router import Router
from gtopss.broker.shares.routing_keys import KeyRules, decode_keys, encode_keys, keys_of
from gtopss.broker.store import share_rows
from gtopss.broker.store.share_rows import Division, default_share
from gtopss.broker.store.store import Store
from gtopss.broker.subscription_texts import read_text
from gtopss.engine import Engine

_log = logging.getLogger(__name__)


class Place(NamedTuple):
    """The share that was chosen for a text, and its keys."""

    division: Division
    share: int
    keys: bytes


class Placement:
    """Chooses the shares of subscriptions. Thread-safe."""

    def __init__(self, store: Store, engine: Engine, router: Router) -> None:
        """`engine` has the settings, the taxonomy and the operators of the broker's engine."""
        self._store, self._engine, self._router = store, engine, router
        self._rules = KeyRules(engine.config.entailment is not None, engine.config.literals == "lenient")

    def keys(self, text: str, form: str) -> bytes:
        """Return the routing keys of a text that was accepted. One that cannot be read is fired by anything."""
        try:
            read = read_text(text, form, "placed", self._engine)
        except Exception as error:  # registered with other settings: the engine that holds it says so
            _log.warning("the routing keys of a subscription are not known: %s", error)
            return encode_keys(None)
        # Rewriting by SPARQL's rules removes branches that other rules can satisfy.
        normal = read.normal if self._rules == KeyRules() else None
        required = read.subscription if normal is None else normal
        return encode_keys(keys_of(required, self._rules, self._router.sample.frequency))

    def new_keys(self, text: str, form: str) -> bytes | None:
        """Return the keys for the new text of a subscription; None while there is one share."""
        return self.keys(text, form) if self._is_divided() else None

    def _is_divided(self) -> bool:
        division = self._store.read(share_rows.division)
        return division.shares > 1 or division.wanted is not None

    def choose(self, text: str, form: str) -> Place | None:
        """Return a place for a new subscription; None while there is one share."""
        if not self._is_divided():
            return None
        keys = self.keys(text, form)
        chosen, share = self._router.choose_share(decode_keys(keys))
        return Place(chosen, share, keys)

    def add(self, connection: Connection, id: str, place: Place | None) -> None:
        """Store the place of a new subscription. One that has none, or that is of another division, gets another."""
        now = share_rows.division(connection)
        keys = encode_keys(None) if place is None else place.keys
        if now.shares > 1:
            fits = place is not None and place.division[:2] == now[:2]
            share = place.share if place is not None and fits else default_share(id, now.shares)
            share_rows.insert_many(connection, now.epoch, [(id, share, keys)])
        if now.wanted is not None:
            share_rows.insert_many(connection, now.epoch + 1, [(id, default_share(id, now.wanted), keys)])

    def replace(self, connection: Connection, id: str, keys: bytes | None) -> None:
        """Store the keys of the new text of a subscription. It keeps its share."""
        now = share_rows.division(connection)
        if now.shares > 1 or now.wanted is not None:
            share_rows.set_keys(connection, id, encode_keys(None) if keys is None else keys)
