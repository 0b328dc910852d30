from __future__ import annotations

import pytest
from support.brokers import TestClock, about, memory_broker, received, says

from gtopss import Engine
from gtopss.broker import match_recording
from gtopss.broker.config import SubscriptionOptions
from gtopss.broker.delivery.arrivals import Arrivals
from gtopss.broker.match_recording import found_matches, notice_id
from gtopss.broker.publishing import Document
from gtopss.broker.store.tables import targets


def test_long_results_are_cut_and_marked(monkeypatch: object) -> None:
    engine = Engine(matcher="reference")
    engine.add("SELECT ?o { ?x <urn:p> ?o }", id="s")
    report = engine.match(says("p", *(f"value-{number}" for number in range(100))))
    assert not found_matches(report)[0].truncated
    monkeypatch.setattr(match_recording, "MAX_NOTIFICATION_CHARACTERS", 200)  # type: ignore[attr-defined]
    found = found_matches(report)[0]
    assert found.truncated
    assert len(found.bindings) < 1_000


def test_the_notifications_of_one_publication_are_cut_when_they_are_large_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = Engine(matcher="reference")
    for number in range(4):
        engine.add("SELECT ?o { ?x <urn:p> ?o }", id=f"s{number}")
    report = engine.match(says("p", *(f"value-{number}" for number in range(10))))
    whole = len(found_matches(report)[0].bindings)
    monkeypatch.setattr(match_recording, "MAX_PUBLICATION_CHARACTERS", 2 * whole)
    monkeypatch.setattr(match_recording, "MIN_NOTIFICATION_CHARACTERS", 20)
    found = found_matches(report)
    assert [each.truncated for each in found] == [False, False, True, True]
    assert all(0 < len(each.bindings) < 30 for each in found[2:])


def test_notices_about_different_times_have_different_ids() -> None:
    assert notice_id("s", "expiring", 5) == notice_id("s", "expiring", 5)
    assert len({notice_id("s", "expiring", 5), notice_id("s", "expired", 5), notice_id("s", "expiring", 6)}) == 3


def test_targets_and_readers_are_woken() -> None:
    clock = TestClock()
    with memory_broker(clock=clock) as broker:
        one, other = broker.subscribe(about("a")), broker.subscribe(about("b"))
        for of in (one, other):
            row = {"id": of.id, "subscription": of.id, "kind": "webhook", "address": "x", "state": 1, "secrets": "[]"}
            broker.store.write(lambda connection, row=row: connection.execute(targets.insert(), row))
        woken: list[str] = []
        assert isinstance(broker.arrivals, Arrivals)
        with (
            broker.arrivals.listening(one.id, lambda: woken.append("one")),
            broker.arrivals.listening(other.id, lambda: woken.append("other")),
        ):
            broker.publish([says("p", "a")])
            broker.run_pending()
        assert woken == ["one"]
        due = broker.store.read(lambda connection: connection.execute(targets.select()).fetchall())
        assert {row.id: row.due_at for row in due} == {one.id: clock.now, other.id: None}


def article(link: str, source: str, text: str) -> Document:
    feed = f"""<rss version="2.0"><channel><title>{source}</title><link>http://{source}/</link>
    <item><guid isPermaLink="false">{source}</guid><title>{text}</title><link>{link}</link></item></channel></rss>"""
    return Document(feed.encode(), source=f"http://{source}/feed")


LONG = "the quick brown fox jumps over the lazy dog again"


def test_the_same_article_of_several_feeds_is_one_notification() -> None:
    text = "SELECT ?item { ?item a rss:item }"
    with memory_broker() as broker:
        joined = broker.subscribe(text, options=SubscriptionOptions(join_articles=True))
        single = broker.subscribe(text)
        broker.publish(
            [
                article("http://news.example/1?utm_source=a", "a.example", "One"),
                article("https://www.news.example/1", "b.example", "One, copied"),
                article("http://news.example/2", "c.example", LONG),
            ]
        )
        broker.run_pending()
        broker.publish(
            [
                article("http://news.example/1#top", "d.example", "Again"),
                article("http://other.example/copy", "e.example", LONG.upper()),
                article("http://news.example/3", "f.example", "Another"),
            ]
        )
        broker.run_pending()
        sources = [
            [source["source"] for source in each.to_json()["sources"]]
            for each in broker.notifications(joined.id, joined.ticket)
        ]
        assert sources == [[f"http://{name}.example/feed" for name in names] for names in ("abd", "ce", "f")]
        assert [sequence for sequence, _, _ in received(broker, joined)] == [1, 2, 3]
        assert len(received(broker, single)) == 6


def test_a_notification_joins_a_limited_number_of_publications(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_recording, "MAX_JOINED_PUBLICATIONS", 2)
    with memory_broker() as broker:
        options = SubscriptionOptions(join_articles=True)
        joined = broker.subscribe("SELECT ?item { ?item a rss:item }", options=options)
        for names in ("abc", "d", "e"):
            broker.publish([article("http://news.example/1", f"{name}.example", "One") for name in names])
            broker.run_pending()
        sources = [
            [source["source"] for source in each.to_json()["sources"]]
            for each in broker.notifications(joined.id, joined.ticket)
        ]
        assert sources == [[f"http://{name}.example/feed" for name in names] for names in ("ab", "cd", "e")]
