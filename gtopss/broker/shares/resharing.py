"""Divide the subscriptions into another number of shares, while the broker works.

    wanted number ──> routing keys of all subscriptions ──> shares of the next epoch ──> the next epoch begins

The rows of the next epoch are written in portions, beside those of the current one; that it begins is one change of a
counter. Tasks of the epoch before that nobody has claimed are then routed again, and matches that were written already
are not written twice. If the broker ends meanwhile, another one goes on, and keeps the rows that are written.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial

from sqlalchemy import Connection

from gtopss.broker.errors import InvalidSetting
from gtopss.broker.shares.assignment import PublicationSample, divide
from gtopss.broker.shares.placement import Placement
from gtopss.broker.shares.router import MAX_SHARES, Router, newest_publications
from gtopss.broker.shares.routing_keys import decode_keys
from gtopss.broker.store import share_rows, subscription_rows
from gtopss.broker.store.share_rows import Division
from gtopss.broker.store.store import Store

ROWS_PER_READ = 5_000
"""Subscriptions whose keys are computed, and whose shares are written, at a time."""
_log = logging.getLogger(__name__)
_Text = tuple[str, str, str]


def ask_for_shares(store: Store, count: int) -> None:
    """Ask for so many shares: the next broker that runs `Resharing.reshare_step` divides the subscriptions.

    The same number as now divides them anew, by the publications of now. Raises InvalidSetting.
    """
    if not 1 <= count <= MAX_SHARES:
        raise InvalidSetting("shares", count, f"it must be from 1 to {MAX_SHARES}")
    store.write(lambda connection: share_rows.set_wanted(connection, count))


class Resharing:
    """Divides subscriptions anew. Thread-safe, also beside other brokers."""

    def __init__(self, store: Store, placement: Placement, router: Router) -> None:
        self._store, self._placement, self._router = store, placement, router

    def reshare_step(self) -> int:
        """Divide the subscriptions anew if that is wanted. Return 1 if another epoch began, else 0."""
        division = self._store.read(share_rows.division)
        if division.wanted is None:
            return 0
        if division.wanted > 1:
            _log.info("dividing the subscriptions into %d shares", division.wanted)
            texts, keys = self._all_keys()
            sample = PublicationSample(map(self._router.features, self._store.read(newest_publications)))
            shares = divide([decode_keys(each) for each in keys], division.wanted, sample)
            for start in range(0, len(texts), ROWS_PER_READ):
                part = slice(start, start + ROWS_PER_READ)
                change = partial(
                    self._write, division=division, texts=texts[part], shares=shares[part], keys=keys[part]
                )
                if not self._store.write(change):
                    return 0
        return int(self._store.write(partial(_begin, division=division)))

    def _all_keys(self) -> tuple[list[_Text], list[bytes]]:
        texts, keys = list[_Text](), list[bytes]()
        for calls_operators in (False, True):
            last = ""
            while page := self._store.read(
                partial(subscription_rows.texts, calls_operators=calls_operators, after=last, limit=ROWS_PER_READ)
            ):
                texts += page
                keys += [self._placement.keys(text, form) for _, form, text in page]
                last = page[-1][0]
                _log.info("routing keys of %d subscriptions so far", len(keys))
        return texts, keys

    def _write(
        self,
        connection: Connection,
        division: Division,
        texts: Sequence[_Text],
        shares: Sequence[int],
        keys: Sequence[bytes],
    ) -> bool:
        """Write rows of the next epoch; return whether it is still being prepared. Texts may have changed since."""
        if share_rows.division(connection, lock=True) != division:
            return False
        now = subscription_rows.get_many(connection, [id for id, _, _ in texts], lock=True)
        rows = []
        for (id, form, text), share, of_text in zip(texts, shares, keys, strict=True):
            row = now.get(id)
            if row is not None:
                same = (row.form, row.query) == (form, text)
                rows.append((id, share, of_text if same else self._placement.keys(row.query, row.form)))
        share_rows.insert_many(connection, division.epoch + 1, rows)
        return True


def _begin(connection: Connection, division: Division) -> bool:
    """Begin the next epoch, unless another broker has done so."""
    if share_rows.division(connection, lock=True) != division:
        return False
    assert division.wanted is not None
    share_rows.begin_epoch(connection, division.wanted)
    _log.info("the subscriptions are divided into %d shares", division.wanted)
    return True
