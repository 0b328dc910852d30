"""Route publications: keep the routing keys of all subscriptions, by following the log of changes.

A publication is routed after the changes that it must be matched with were applied. A key that a removed or replaced
subscription had stays in the table until the table is built again. So no share is left out that the publication might
fire in; that one is routed to in vain costs time only.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection

from gtopss.broker.shares.assignment import Assignment, PublicationSample
from gtopss.broker.shares.key_table import KeyTable
from gtopss.broker.shares.routing_keys import FeatureReader, Keys, decode_keys
from gtopss.broker.store import change_rows, publication_rows, share_rows
from gtopss.broker.store.change_rows import ChangeRow
from gtopss.broker.store.publication_rows import OPERATORS
from gtopss.broker.store.share_rows import Division, ShareRow
from gtopss.broker.store.store import Store
from gtopss.model import Publication
from ontology import Taxonomy

MAX_SHARES = 32
"""Shares of one division: each is a bit of a number."""
OPERATOR_BITS = 1 << MAX_SHARES
"""Stands for the subscriptions that call operators, which every broker holds."""
CHANGES_PER_READ = 10_000
ROWS_PER_READ = 50_000
MIN_CHANGES_TO_BUILD = 20_000
"""Changes after which the table is built again, if a quarter of the subscriptions was changed too."""
SAMPLED_PUBLICATIONS = 200
"""The newest retained publications, which the sample begins with."""
SAMPLE_EVERY = 8
"""One of so many routed publications takes a place in the sample."""
MAX_SAMPLE_BYTES = 16 * 2**20
_log = logging.getLogger(__name__)


class _Changes(NamedTuple):
    """A part of the log, with the shares of the subscriptions that are in it; no log if the table must be built."""

    division: Division
    log: list[ChangeRow] | None
    rows: dict[str, ShareRow]


class Router:
    """Knows in which shares a publication may fire. Thread-safe; one thread uses it at a time, others wait."""

    def __init__(self, store: Store, taxonomy: Taxonomy) -> None:
        """Nothing is read before the first use. `taxonomy` is that of the engines, and does not change."""
        self._store = store
        self.features = FeatureReader(taxonomy)
        """Returns the features of a publication."""
        self._lock = threading.RLock()
        self.division = Division()
        """The division that the table is of."""
        self.applied = -1
        """The number of the newest change that the table has; -1 before the first use."""
        self.sample = PublicationSample()
        """Features of recent publications."""
        self._table, self._subscriptions, self._changes_since = KeyTable(), 0, 0
        self._assignment = Assignment(1)
        self._routed = 0

    def follow(self, number: int | None = None) -> Division:
        """Apply changes at least up to a number, or all that there are; return the division as of then."""
        with self._lock:
            while True:
                found = self._store.read(self._changes)
                if found.log is None or self._must_build(found.division):
                    self._build()
                else:
                    self._apply(found)
                    if len(found.log) < CHANGES_PER_READ:
                        return self.division
                if number is not None and self.applied >= number:
                    return self.division

    def route(self, publications: Sequence[Publication], number: int) -> tuple[Division, list[tuple[int, ...]]]:
        """Return the shares that each publication may fire in, with all changes up to a number, and their division."""
        with self._lock:
            division = self.follow(number)
            if division.shares == 1:
                return division, [(0,)] * len(publications)
            return division, [self._shares(each) for each in publications]

    def choose_share(self, keys: Keys | None) -> tuple[Division, int]:
        """Return the share for a new subscription, in the division that was known last."""
        with self._lock:
            if self.applied < 0:
                self.follow()
            if self.division.shares == 1:
                return self.division, 0
            fired = self.sample.fired(keys)
            share = self._assignment.choose(fired, self._subscriptions + 1, lambda: self._bits_of_keys(keys))
            self._assignment.add(share, fired)
            return self.division, share

    @property
    def keys(self) -> int:
        """How many distinct keys the table has."""
        return len(self._table)

    def table_bytes(self) -> int:
        """Return the bytes of the table of keys."""
        return self._table.nbytes()

    def _bits_of_keys(self, keys: Keys | None) -> int:
        bits = 0
        for key in keys or ():
            bits |= self._table.bits_of_key(key)
        return bits

    def _shares(self, publication: Publication) -> tuple[int, ...]:
        features = self.features(publication)
        bits = self._table.bits_of(features)
        self._routed += 1
        if self._routed % SAMPLE_EVERY == 0:
            self._assignment.replace_publication(self.sample.add(features), bits)
        shares = [share for share in range(self.division.shares) if bits >> share & 1]
        return (*shares, OPERATORS) if bits & OPERATOR_BITS else tuple(shares)

    # --- changes --------------------------------------------------------------------------------------------

    def _changes(self, connection: Connection) -> _Changes:
        division = share_rows.division(connection)
        if self.applied < 0:
            return _Changes(division, None, {})
        log = change_rows.after(connection, self.applied, CHANGES_PER_READ)
        if (log and log[0].number != self.applied + 1) or (not log and change_rows.newest(connection) > self.applied):
            return _Changes(division, None, {})
        ids = {each.subscription for each in log} if division.shares > 1 else set[str]()
        return _Changes(division, log, share_rows.get_many(connection, division, ids))

    def _must_build(self, division: Division) -> bool:
        if division[:2] != self.division[:2]:
            return True
        return division.shares > 1 and self._changes_since > max(MIN_CHANGES_TO_BUILD, self._subscriptions // 4)

    def _apply(self, found: _Changes) -> None:
        assert found.log is not None
        for row in found.rows.values():
            self._table.add(_bits(row), decode_keys(row.keys))
        self.division = found.division
        if found.log:
            self.applied = found.log[-1].number
            self._changes_since += len(found.log)

    def _build(self) -> None:
        """Build the table from the rows of all subscriptions."""
        # What changes meanwhile has a larger number, and is applied again afterwards.
        division, number = self._store.read(
            lambda connection: (share_rows.division(connection), change_rows.newest(connection))
        )
        loads = [0] * division.shares
        rows = self._all_rows(division, loads) if division.shares > 1 else iter(())
        table = KeyTable((_bits(row), decode_keys(row.keys)) for row in rows)
        if division.shares > 1 and not len(self.sample):
            for each in self._store.read(newest_publications):
                self.sample.add(self.features(each))
        self._table, self.division, self.applied, self._changes_since = table, division, number, 0
        self._subscriptions = sum(loads)
        self._assignment = Assignment(division.shares)
        self._assignment.loads = loads
        for place, features in enumerate(self.sample.features()):
            self._assignment.replace_publication(place, table.bits_of(features))
        if division.shares > 1:
            _log.info("built the routing table: %d keys of %d subscriptions", len(table), self._subscriptions)

    def _all_rows(self, division: Division, loads: list[int]) -> Iterator[ShareRow]:
        """Yield the rows of all subscriptions, and count those of each share."""
        last = ""
        while rows := self._store.read(partial(share_rows.page, now=division, after=last, limit=ROWS_PER_READ)):
            for row in rows:
                loads[row.share] += 1
                yield row
            last = rows[-1].id


def _bits(row: ShareRow) -> int:
    return OPERATOR_BITS if row.calls_operators else 1 << row.share


def newest_publications(connection: Connection) -> list[Publication]:
    """Return the publications that a sample begins with."""
    rows = publication_rows.newest(connection, SAMPLED_PUBLICATIONS, bytes_limit=MAX_SAMPLE_BYTES)
    return [row.publication() for row in rows]
