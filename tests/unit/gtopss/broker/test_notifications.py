from __future__ import annotations

from collections.abc import Iterator

import pyoxigraph as ox
import pytest
from support.brokers import TestClock, about, memory_broker, says

from gtopss import Publication
from gtopss.broker import notifications
from gtopss.broker.broker import Broker
from gtopss.broker.notifications import add_notice
from gtopss.broker.store.tables import publications


@pytest.fixture
def broker() -> Iterator[Broker]:
    with memory_broker(clock=TestClock()) as made:
        yield made


def test_json_has_the_item_the_bindings_and_why(broker: Broker) -> None:
    one = broker.subscribe("SELECT ?x ?o { ?x <urn:p> ?o }")
    broker.publish([Publication("p", [("<urn:x>", "<urn:p>", '"text"@en')], source="http://a.example/")])
    broker.run_pending()
    data = broker.notifications(one.id, one.ticket)[0].to_json()
    value = {"type": "literal", "value": "text", "xml:lang": "en"}
    assert data["bindings"] == [{"x": {"type": "uri", "value": "urn:x"}, "o": value}]
    assert (data["kind"], data["sequence"], data["subscription"], data["truncated"]) == ("match", 1, one.id, False)
    assert data["item"]["id"] == "p"
    assert data["item"]["triples"] == '<urn:x> <urn:p> "text"@en .\n'
    assert "urn:p" in data["why"]
    assert [source["source"] for source in data["sources"]] == ["http://a.example/"]
    assert data["created_at"] == "2027-01-15T08:00:00+00:00"


def test_turtle_has_the_item_and_the_solutions(broker: Broker) -> None:
    one = broker.subscribe("SELECT ?x ?o { ?x <urn:p> ?o }")
    broker.publish([Publication("urn:pub", [("_:b", "<urn:p>", '"a \\"text\\"\\n"')], source="feed")])
    broker.run_pending()
    notification = broker.notifications(one.id, one.ticket)[0]
    triples = {(str(s), str(p), str(o)) for s, p, o, _ in ox.parse(notification.to_turtle(), ox.RdfFormat.TURTLE)}
    node = f"<urn:gtopss:notification:{notification.row.id}>"
    assert (node, "<urn:gtopss:publication>", "<urn:pub>") in triples
    assert (node, "<urn:gtopss:sequence>", '"1"^^<http://www.w3.org/2001/XMLSchema#integer>') in triples
    values = [o for _, p, o in triples if p == "<http://www.w3.org/2001/sw/DataAccess/tests/result-set#value>"]
    assert '"a \\"text\\"\\n"' in values
    assert any(p == "<urn:p>" for _, p, _ in triples)


def test_a_notice_says_what_happened(broker: Broker) -> None:
    one = broker.subscribe(about("a"), validity=100)
    broker.store.write(lambda connection: add_notice(connection, one.id, "disabled", 5.0))
    broker.store.write(lambda connection: add_notice(connection, "unknown", "disabled", 5.0))
    notice = broker.notifications(one.id, one.ticket)[0]
    assert notice.to_json()["message"] == "A target of this subscription was disabled"
    assert notice.to_json()["expires_at"] == "2027-01-15T08:01:40+00:00"
    assert b"disabled" in notice.to_turtle()


def test_an_item_that_is_no_longer_retained_leaves_its_bindings(broker: Broker) -> None:
    one = broker.subscribe(about("a"))
    broker.publish([says("p", "a")])
    broker.run_pending()
    broker.store.write(lambda connection: connection.execute(publications.delete()))
    notification = broker.notifications(one.id, one.ticket)[0]
    data = notification.to_json()
    assert (data["item"], data["why"], data["sources"]) == (None, None, [])
    assert data["bindings"] == [{"x": {"type": "uri", "value": "urn:x"}}]
    assert notification.entry().title == "An item that is no longer retained"


def test_a_match_of_a_text_that_was_replaced_is_not_explained(broker: Broker) -> None:
    one = broker.subscribe(about("a"))
    broker.publish([says("p", "a")])
    broker.run_pending()
    broker.replace(one.id, one.ticket, about("b"))
    broker.start()
    assert broker.notifications(one.id, one.ticket)[0].why() is None


def test_a_large_item_has_no_triples_in_json(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifications, "MAX_TRIPLES_CHARACTERS", 10)
    one = broker.subscribe(about("a"))
    broker.publish([says("p", "a")])
    broker.run_pending()
    assert broker.notifications(one.id, one.ticket)[0].to_json()["item"]["triples"] is None


def test_pages_of_notifications_follow_each_other(broker: Broker) -> None:
    one = broker.subscribe(about("a"))
    broker.publish([says(f"p{number}", "a") for number in range(5)])
    broker.run_pending()
    first = broker.notifications(one.id, one.ticket, limit=2)
    rest = broker.notifications(one.id, one.ticket, after=first[-1].row.sequence)
    assert [each.row.sequence for each in (*first, *rest)] == [1, 2, 3, 4, 5]
    assert broker.notifications(one.id, one.ticket, limit=-1) == []
    assert broker.notifications(one.id, one.ticket, after=10**30) == []
    assert len(broker.notifications(one.id, one.ticket, after=-(10**30))) == 5


def test_one_call_returns_a_limited_number(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    one = broker.subscribe(about("a"))
    broker.publish([says(f"p{number}", "a") for number in range(5)])
    broker.run_pending()
    monkeypatch.setattr("gtopss.broker.broker.MAX_NOTIFICATIONS_READ", 3)
    assert len(broker.notifications(one.id, one.ticket, limit=100)) == 3


def test_a_long_summary_is_cut(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifications, "MAX_SUMMARY_CHARACTERS", 5)
    one = broker.subscribe("SELECT ?x { ?x a rss:item }")
    rss = "http://purl.org/rss/1.0/"
    about_item = [("<urn:i>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", f"<{rss}item>")]
    broker.publish([Publication("p", [*about_item, ("<urn:i>", f"<{rss}description>", '"a long text"')])])
    broker.run_pending()
    assert broker.notifications(one.id, one.ticket)[0].to_json()["item"]["summary"] == "a lon…"


def test_a_short_form_is_explained_in_its_words() -> None:
    title = "<http://purl.org/rss/1.0/title>"
    with memory_broker() as broker:
        one = broker.subscribe("wheat -maize", form="short")
        item = ("<urn:i>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://purl.org/rss/1.0/item>")
        broker.publish([[item, ("<urn:i>", title, '"Wheat rises"')]])
        broker.run_pending()
        (found,) = broker.notifications(one.id, one.ticket)
        why = found.why()
        assert why is not None
        assert "wheat" in why
        assert "-maize" in why
        assert "WORDS" not in why
