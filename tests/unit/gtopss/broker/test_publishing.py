from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from rdflib import URIRef
from support.brokers import TestClock, about, matched, memory_broker, says

from gtopss import Engine, Publication
from gtopss.broker import publishing
from gtopss.broker.broker import Broker
from gtopss.broker.publishing import AcceptedPublication, Document
from gtopss.broker.store import publication_rows
from gtopss.broker.store.publication_rows import NewPublication, PublicationRow
from gtopss.broker.store.store import Store
from gtopss.rdf.document import RdfDocument
from gtopss.reading.isolation import IsolatedReader

FEED = b"""<rss version="2.0"><channel><title>News</title><link>http://a.example/</link>%s
<item><title>One</title><link>http://a.example/1</link></item>
<item><title>Two</title><link>http://a.example/2</link></item></channel></rss>"""


@pytest.fixture
def broker() -> Iterator[Broker]:
    with memory_broker(clock=TestClock()) as made:
        yield made


def stored(broker: Broker) -> list[PublicationRow]:
    return broker.store.read(lambda connection: publication_rows.newest(connection, 100))


def test_each_publication_has_its_own_acknowledgement_or_error(broker: Broker) -> None:
    results = broker.publish(
        [
            says("p1", "a"),
            [("<urn:x>", "<urn:p>", "a literal that is none")],
            [("<urn:x>", "<urn:p>", "<urn:a>")],
            5,  # type: ignore[list-item]
            "text",
            says("p2", "b"),
        ]
    )
    assert [result.error is None for result in results] == [True, False, True, False, False, True]
    assert results[0].publications == (AcceptedPublication("p1", 1),)
    assert results[2].publications[0].id.startswith("urn:gtopss:publication:")
    assert "is not a Document" in str(results[3].error)
    assert [row.id for row in stored(broker)] == ["p1", results[2].publications[0].id, "p2"]


def test_the_same_id_and_content_is_published_once(broker: Broker) -> None:
    one = broker.subscribe(about("a"))
    given = [says("p", "a", "b"), says("p", "b", "a"), says("p", "a")]
    results = broker.publish(given)
    assert [each.is_duplicate for result in results for each in result.publications] == [False, True, False]
    assert broker.publish(given[:1])[0].publications[0].is_duplicate
    triples = [("<urn:x>", "<urn:p>", "<urn:a>")]
    assert not broker.publish([triples])[0].publications[0].is_duplicate
    assert broker.publish([triples])[0].publications[0].is_duplicate
    broker.run_pending()
    assert len(matched(broker, one)) == 3


@pytest.mark.slow
def test_documents_of_any_syntax_are_read_in_another_process(broker: Broker) -> None:
    results = broker.publish(
        [
            FEED % b"",
            Document(b"<urn:a> <urn:p> 5 .", format="turtle", source="http://a.example/doc"),
            Document(b"<urn:a> <urn:p> <urn:b> .\n", format="application/n-triples", id="named"),
            Document(b"<urn:a> <urn:p> <urn:b> <urn:g1> .\n<urn:a> <urn:p> <urn:c> <urn:g2> .\n", format="nquads"),
            Document(b"<urn:a> <urn:p>", format="turtle"),
            Document(FEED % b"", id="one id for two items"),
            Document(b"x", format="docx"),
            b"<html><body>nothing</body></html>",
        ]
    )
    ids = [[each.id for each in result.publications] for result in results]
    assert ids[:4] == [
        ["http://a.example/1", "http://a.example/2"],
        ["http://a.example/doc"],
        ["named"],
        ["urn:g1", "urn:g2"],
    ]
    assert ids[4:] == [[], [], [], []]
    assert all(result.error is not None for result in results[4:])
    assert [row.source for row in stored(broker)][2] == "http://a.example/doc"


@pytest.mark.slow
def test_an_item_of_a_feed_is_the_same_while_only_its_channel_changes(broker: Broker) -> None:
    broker.publish([FEED % b""])
    again = broker.publish([FEED % b"<lastBuildDate>Mon, 02 Nov 2026 10:00:00 GMT</lastBuildDate>"])[0]
    assert [each.is_duplicate for each in again.publications] == [True, True]
    changed = broker.publish([(FEED % b"").replace(b"Two", b"Three")])[0]
    assert [each.is_duplicate for each in changed.publications] == [True, False]


@pytest.mark.parametrize("id", ["https://example.org/" + "é" * 500, "a\0b"])
def test_an_id_that_a_database_cannot_hold_is_refused(id: str, broker: Broker) -> None:
    results = broker.publish([says(id, "a"), says("small", "a")])
    assert "its id has more than 1,000 bytes, or a NUL" in str(results[0].error)
    assert [row.id for row in stored(broker)] == ["small"]


def test_a_term_of_rdflib_is_an_id_and_a_source(store: Store) -> None:
    name = URIRef("https://example.org/1")
    triples = [("<urn:x>", "<urn:p>", "<urn:a>")]
    with memory_broker(store=store) as broker:
        given = [Publication(name, triples, source=name), Publication("plain", triples, source="plain")]
        results = broker.publish([*given, given[0]])
        assert [each.is_duplicate for result in results for each in result.publications] == [False, False, True]
        assert [(row.id, row.source) for row in stored(broker)] == [(str(name), str(name)), ("plain", "plain")]


@pytest.mark.parametrize("source", ["a\0b", "a\ud800"])
def test_a_source_that_a_database_cannot_hold_is_refused(source: str, broker: Broker) -> None:
    bad = Publication("bad", [("<urn:x>", "<urn:p>", "<urn:a>")], source=source)
    results = broker.publish([bad, says("small", "a")])
    assert "its source has a NUL or a lone surrogate" in str(results[0].error)
    assert [row.id for row in stored(broker)] == ["small"]


def test_a_publication_that_is_too_large_is_refused(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "MAX_PUBLICATION_BYTES", 100)
    results = broker.publish([says("large", *map(str, range(10))), says("small", "a")])
    assert "more than 100 bytes" in str(results[0].error)
    assert [row.id for row in stored(broker)] == ["small"]


def test_a_payload_is_refused_because_only_triples_are_stored(broker: Broker) -> None:
    (refused,) = broker.publish([Publication("p1", [("<urn:a>", "<urn:p>", "<urn:b>")], payload=b"bytes")])
    assert "a broker stores triples only" in str(refused)
    assert stored(broker) == []


def test_a_long_ntriples_document_is_read_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"<urn:a> <urn:p> <urn:b> .\n"
    with memory_broker(Engine()) as broker:
        read = list[str]()
        read_publication = IsolatedReader.read_publication

        def counted(reader: IsolatedReader, document: RdfDocument) -> Publication:
            read.append(document.id)
            return read_publication(reader, document)

        monkeypatch.setattr(IsolatedReader, "read_publication", counted)
        given = {"short": data, "bad": b"<urn:a>", "more": data}
        results = broker.publish([Document(each, "nt", id=id) for id, each in given.items()])
        assert [each.error is None for each in results] == [True, False, True]
        assert read == ["bad"]
        monkeypatch.setattr(publishing, "MAX_COMPILED_BYTES", 10)
        (result,) = broker.publish([Document(data, "nt", id="long")])
        assert result.error is None
        assert read == ["bad", "long"]
        rows = stored(broker)
        assert len({row.lines for row in rows}) == len({row.digest for row in rows}) == 1


def test_plain_documents_of_several_callers_are_stored_together() -> None:
    """One that the compiled reader cannot read is left to `publish`, with all others of its caller."""
    good, bad = b"<urn:a> <urn:p> <urn:b> .", b"<urn:a> <urn:p> nothing"
    calls = [
        [Document(good, "application/n-triples", "p1")],
        [Document(good, "application/n-triples", "p2"), Document(bad, "application/n-triples", "p3")],
        [Document(good, "application/n-triples", "x" * 2_000)],
        [Document(good, "application/n-triples", each) for each in ("p1", "p4")],
    ]
    assert all(map(publishing.may_be_plain, calls))
    assert not publishing.may_be_plain([Document(good, "text/turtle")])
    with memory_broker(Engine(), clock=TestClock()) as broker:
        first, second, third, fourth = broker.publishing.publish_plain(calls)
        assert [each.publications for each in first] == [(AcceptedPublication("p1", 1),)]
        assert second is None
        assert "its id has more than" in str(third[0].error)
        assert [each.is_duplicate for result in fourth for each in result.publications] == [True, False]
        assert [row.id for row in stored(broker)] == ["p1", "p4"]


def test_an_error_of_one_caller_concerns_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    insert = publication_rows.insert_new

    def refuse(connection: object, new: Sequence[NewPublication], **given: Any) -> list[int | None]:
        if any(each.id == "p2" for each in new):
            raise ValueError("cannot be stored")
        return insert(connection, new, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(publication_rows, "insert_new", refuse)
    calls = [[Document(b"<urn:a> <urn:p> <urn:b> .", "application/n-triples", each)] for each in ("p1", "p2", "p3")]
    with memory_broker(Engine(), clock=TestClock()) as broker:
        first, second, third = broker.publishing.publish_plain(calls)
        assert isinstance(second, ValueError)
        assert [each[0].publications[0].id for each in (first, third)] == ["p1", "p3"]
