"""Write matches as notifications: numbered, with ids that do not depend on when or by whom they are written."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection

from gtopss.broker import stored_bindings
from gtopss.broker.articles import ArticleHashes, article_hashes
from gtopss.broker.store import notification_rows, publication_rows, subscription_rows, target_rows
from gtopss.broker.store.notification_rows import NotificationRow
from gtopss.broker.store.publication_rows import PublicationRow
from gtopss.broker.store.subscription_rows import Receiver, SubscriptionRow
from gtopss.model import MatchReport

_NO_HASHES = ArticleHashes(None, None)
MATCH = "match"
"""The kind of a notification that is no notice."""
MAX_NOTIFICATION_CHARACTERS = 200_000
"""Characters of the bindings of one notification; further solutions are left out, and `truncated` is true."""
MAX_PUBLICATION_CHARACTERS = 16_000_000
"""Characters of the bindings of all notifications of one publication; then each has `MIN_NOTIFICATION_CHARACTERS`."""
MIN_NOTIFICATION_CHARACTERS = 1_000
"""Characters of the bindings of a notification, even if others of its publication have reached the limit."""
MAX_JOINED_PUBLICATIONS = 100
"""Publications of one notification that joins articles; the next one of the article begins another notification."""


class FoundMatch(NamedTuple):
    """A match as it is stored."""

    subscription: str
    bindings: str
    """As `gtopss.broker.stored_bindings` writes them."""
    truncated: bool


def found_matches(report: MatchReport) -> list[FoundMatch]:
    """Return the matches of a publication as they are stored."""
    found, left = [], MAX_PUBLICATION_CHARACTERS
    for subscription, solutions, truncated in report.selected_values():
        allowed = min(MAX_NOTIFICATION_CHARACTERS, max(MIN_NOTIFICATION_CHARACTERS, left))
        text, is_cut = stored_bindings.encode(solutions, allowed)
        left -= len(text)
        found.append(FoundMatch(subscription, text, truncated or is_cut))
    return found


@dataclass(frozen=True, slots=True)
class MatchedPublication:
    """A publication and its matches."""

    row: PublicationRow
    matches: Sequence[FoundMatch]

    @property
    def characters(self) -> int:
        """The characters of the bindings."""
        return sum(len(each.bindings) for each in self.matches)


def notification_id(publication: PublicationRow, subscription: str) -> str:
    """Return the id of the notification of a match: the same whenever and wherever it is found."""
    return _id(_publication_part(publication), subscription)


def notice_id(subscription: str, kind: str, sequence: int) -> str:
    """Return the id of a notice, from its sequence number. No other notice of the subscription has that number."""
    return _id(_framed(subscription.encode()) + _framed(kind.encode()), str(sequence))


def _publication_part(publication: PublicationRow) -> bytes:
    """Return the first part of what the ids of a publication's notifications are hashes of."""
    return _framed(publication.id.encode()) + _framed(publication.digest)


def _framed(part: bytes) -> bytes:
    return len(part).to_bytes(8, "big") + part


def _id(first: bytes, last: str) -> str:
    digest = hashlib.sha256(first + _framed(last.encode()))
    return f"msg_{digest.hexdigest()[:40]}"


def receives(subscription: SubscriptionRow | Receiver, publication: PublicationRow) -> bool:
    """Return whether a subscription receives a publication that it matches.

    It was acknowledged before the publication was accepted, is not paused, and ends after the publication was received.
    """
    return (
        subscription.since_change <= publication.after_change
        and not subscription.paused
        and not subscription.expired
        and (subscription.expires_at is None or subscription.expires_at > publication.received_at)
    )


def record(
    connection: Connection,
    matched: Sequence[MatchedPublication],
    now: float,
    *,
    again: bool = False,
    backfill: bool = False,
) -> int:
    """Write the notifications of matches, in the order of publications, and wake their targets.

    Matches of subscriptions that do not receive the publication are left out. With `again`, so are those that were
    written before. A backfill is written whatever the publication's time. Return how many notifications were written.
    """
    ids = {each.subscription for publication in matched for each in publication.matches}
    if not ids:
        return 0
    subscriptions = subscription_rows.receivers(connection, ids)
    numbers = [each.row.number for each in matched] if again or backfill else []
    if backfill:  # retention may have deleted some since they were read
        kept = publication_rows.lock_retained(connection, numbers)
        matched = [each for each in matched if each.row.number in kept]
    written = notification_rows.written_pairs(connection, ids, numbers)
    recorder = _Recorder(connection, subscriptions, now)
    for publication in sorted(matched, key=lambda each: each.row.number):
        recorder.begin(publication.row)
        for match in publication.matches:
            subscription = subscriptions.get(match.subscription)
            if subscription is None or (match.subscription, publication.row.number) in written:
                continue
            if backfill or receives(subscription, publication.row):
                recorder.add(subscription, match)
    return recorder.write()


def record_notices(connection: Connection, notices: Iterable[tuple[SubscriptionRow, str]], now: float) -> None:
    """Write notices of a kind to subscriptions whose rows are locked."""
    recorder = _Recorder(connection, {}, now)
    for subscription, kind in notices:
        recorder.add_notice(subscription, kind)
    recorder.write(notices=True)


class _Recorder:
    """Numbers the notifications of one transaction."""

    def __init__(self, connection: Connection, subscriptions: Mapping[str, Receiver], now: float) -> None:
        self._connection, self._now = connection, now
        self._last = {id: row.last_sequence for id, row in subscriptions.items()}
        self._changed: set[str] = set()
        self._new: list[NotificationRow] = []
        self._new_articles: defaultdict[str, list[int]] = defaultdict(list)  # subscription -> places in `_new`

    def begin(self, publication: PublicationRow) -> None:
        """Let the matches that are added next be those of a publication."""
        self._publication, self._publication_part = publication, _publication_part(publication)
        self._hashes: ArticleHashes | None = None

    def add(self, subscription: Receiver, match: FoundMatch) -> None:
        hashes = _NO_HASHES
        if subscription.join_articles:
            hashes = self._article_hashes()
            if self._joined(subscription.id, self._publication.number, hashes):
                return
        row = NotificationRow(
            subscription.id,
            self._next(subscription.id),
            _id(self._publication_part, subscription.id),
            MATCH,
            self._now,
            self._publication.number,
            match.bindings,
            match.truncated,
            hashes.link,
            hashes.text,
        )
        if subscription.join_articles:
            self._new_articles[subscription.id].append(len(self._new))
        self._new.append(row)

    def add_notice(self, subscription: SubscriptionRow, kind: str) -> None:
        self._last.setdefault(subscription.id, subscription.last_sequence)
        sequence = self._next(subscription.id)
        row = NotificationRow(
            subscription=subscription.id,
            sequence=sequence,
            id=notice_id(subscription.id, kind, sequence),
            kind=kind,
            created_at=self._now,
        )
        self._new.append(row)

    def write(self, *, notices: bool = False) -> int:
        notification_rows.insert_many(self._connection, self._new)
        changed = {id: self._last[id] for id in self._changed}
        subscription_rows.set_last_sequences(self._connection, changed)
        target_rows.wake(self._connection, sorted(changed), self._now, notice=notices)
        return len(self._new)

    def _next(self, subscription: str) -> int:
        self._changed.add(subscription)
        self._last[subscription] += 1
        return self._last[subscription]

    def _article_hashes(self) -> ArticleHashes:
        if self._hashes is None:
            self._hashes = article_hashes(self._publication.publication())
        return self._hashes

    def _joined(self, subscription: str, number: int, hashes: ArticleHashes) -> bool:
        """Add a publication to the notification of the same article, and return whether there is one."""
        for place in self._new_articles[subscription]:
            row = self._new[place]
            if _is_same(row, hashes) and len(row.publications()) < MAX_JOINED_PUBLICATIONS:
                others = json.dumps([*row.publications()[1:], number])
                self._new[place] = row._replace(other_publications=others)
                return True
        found = notification_rows.of_article(self._connection, subscription, hashes.link, hashes.text)
        if found is None:
            return False
        others_before = found.publications()[1:]
        if number in others_before:
            return True
        if len(others_before) + 1 >= MAX_JOINED_PUBLICATIONS:
            return False
        notification_rows.set_other_publications(self._connection, found, [*others_before, number])
        return True


def _is_same(row: NotificationRow, hashes: ArticleHashes) -> bool:
    pairs = ((row.article_link, hashes.link), (row.article_text, hashes.text))
    return any(mine is not None and mine == theirs for mine, theirs in pairs)
