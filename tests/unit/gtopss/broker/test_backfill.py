from __future__ import annotations

import pytest
from support.brokers import TestClock, about, matched, memory_broker, received, says

from gtopss.broker import backfill
from gtopss.broker.backfill import Backfill, RetainedMatches
from gtopss.broker.errors import StoreUnavailable
from gtopss.broker.store import publication_rows, subscription_rows
from gtopss.broker.store.retention import Keep, Retention
from gtopss.broker.subscription_texts import Form


def test_retained_matches_become_notifications_once() -> None:
    clock = TestClock()
    with memory_broker(clock=clock) as broker:
        broker.publish([says("p1", "a"), says("p2", "b")])
        broker.run_pending()
        broker.publish([says("waiting", "a")])
        one = broker.subscribe(about("a"), backfill=True)
        assert one.backfilled == 2
        broker.publish([says("p3", "a")])
        broker.run_pending()
        assert received(broker, one) == [(1, "match", "p1"), (2, "match", "waiting"), (3, "match", "p3")]


def test_a_subscription_without_its_backfill_is_not_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object, **settings: object) -> int:
        raise StoreUnavailable("memory:", "the disk is full")

    with memory_broker() as broker:
        broker.publish([says("p1", "a")])
        monkeypatch.setattr(backfill, "record", fail)
        with pytest.raises(StoreUnavailable):
            broker.subscribe(about("a"), backfill=True)
        assert broker.store.read(lambda connection: subscription_rows.newest(connection, 10)) == []


def test_what_is_published_while_a_subscription_is_matched_is_in_its_backfill(monkeypatch: pytest.MonkeyPatch) -> None:
    with memory_broker(backfill_publications=3) as broker:
        broker.publish([says(f"p{number}", "a") for number in range(3)])
        matches = Backfill.matches

        def slow_matches(self: Backfill, query: str, form: Form, id: str) -> RetainedMatches:
            found = matches(self, query, form, id)
            broker.publish([says("later", "a"), says("other", "b")])
            return found

        monkeypatch.setattr(Backfill, "matches", slow_matches)
        one = broker.subscribe(about("a"), backfill=True)
        broker.run_pending()
        assert one.backfilled == 2
        assert received(broker, one) == [(1, "match", "p2"), (2, "match", "later")]


def test_a_backfill_looks_at_the_newest_publications_only() -> None:
    with memory_broker(backfill_publications=2) as broker:
        broker.publish([says(f"p{number}", "a") for number in range(4)])
        one = broker.subscribe(about("a"), backfill=True)
        assert matched(broker, one) == ["p2", "p3"]


def test_a_backfill_looks_at_a_limited_amount_of_text(monkeypatch: pytest.MonkeyPatch) -> None:
    with memory_broker() as broker:
        broker.publish([says(f"p{number}", "a") for number in range(4)])
        monkeypatch.setattr(backfill, "MAX_BACKFILL_BYTES", 60)  # a publication has 26
        one = broker.subscribe(about("a"), backfill=True)
        assert matched(broker, one) == ["p2", "p3"]


def test_a_publication_that_retention_deletes_meanwhile_gets_no_notification(monkeypatch: pytest.MonkeyPatch) -> None:
    with memory_broker(retention=Retention(publications=Keep(rows=1))) as broker:
        broker.publish([says(f"p{number}", "a") for number in range(4)])
        broker.run_pending()
        rows = broker.store.read(lambda connection: publication_rows.newest(connection, 10))
        monkeypatch.setattr(publication_rows, "newest", lambda *given, **settings: rows)
        broker.delete_old()
        one = broker.subscribe(about("a"), backfill=True)
        assert one.backfilled == 1
        assert received(broker, one) == [(1, "match", "p3")]
