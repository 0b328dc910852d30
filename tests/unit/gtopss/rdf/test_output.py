from __future__ import annotations

import pytest

from gtopss import Engine
from gtopss.errors import GtopssError, MalformedPublication
from gtopss.rdf.formats import RdfFormat
from gtopss.rdf.output import OutputBudget
from gtopss.rdf.parse import read_quads, read_triples
from gtopss.reading.documents import read_document
from ontology.limits import DocumentLimits

LIST = b"@prefix p: <http://a.example/long/long/long/> . p:a p:b p:c, p:d, p:e, p:f ."
FEED = "<rss version='2.0'><channel><title>{}</title>{}</channel></rss>"


@pytest.mark.parametrize(
    ("limits", "name"),
    [
        (DocumentLimits(max_output_bytes=400), "400 bytes .max_output_bytes"),
        (DocumentLimits(max_output_growth=5, min_output_bytes=1), "380 bytes .max_output_growth"),
        (DocumentLimits(max_output_growth=1, min_output_bytes=401), "401 bytes .max_output_growth"),
    ],
)
def test_each_limit_is_reported_by_its_name(limits: DocumentLimits, name: str) -> None:
    for matcher in ("gm", "naive"):
        for format in ("turtle", "trig", "n3"):
            with pytest.raises(MalformedPublication, match=name) as caught:
                Engine(matcher=matcher, document_limits=limits).match(LIST, format, id="p1")
            assert caught.value.publication_id == "p1"
            assert len(Engine(matcher=matcher).match(LIST, format)) == 0
    with pytest.raises(MalformedPublication, match=name):
        list(read_quads(LIST, RdfFormat.TRIG, limits=limits))


THREE_TRIPLES = {
    "nt": b"<urn:a> <urn:p> <urn:b> .\n<urn:a> <urn:p> <urn:c> .\n<urn:a> <urn:p> <urn:b> .",
    "nq": b"<urn:a> <urn:p> <urn:b> .\n<urn:a> <urn:p> <urn:c> .\n<urn:a> <urn:p> <urn:b> .",
    "turtle": b"<urn:a> <urn:p> (1) .",
    "trig": b"<urn:g> { <urn:a> <urn:p> 1, 2, 3 }",
    "n3": b"<urn:a> <urn:p> 1, 2, 3 .",
    "json-ld": b'{"urn:p": [1, 2, 3]}',
    "xml": b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Bag><rdf:li>1</rdf:li><rdf:li>2</rdf:li></rdf:Bag></rdf:RDF>""",
}


@pytest.mark.parametrize("format", THREE_TRIPLES)
@pytest.mark.parametrize("matcher", ["gm", "naive"])
def test_the_triples_of_a_publication_are_limited(format: str, matcher: str) -> None:
    data = THREE_TRIPLES[format]
    engine = Engine(matcher=matcher, document_limits=DocumentLimits(max_triples=2))
    (report,) = engine.match_many([data], format)
    assert "more than 2 triples (max_triples)" in str(report.error)
    with pytest.raises(MalformedPublication, match="max_triples"):
        engine.match(data, format)
    engine = Engine(matcher=matcher, document_limits=DocumentLimits(max_triples=3))
    assert [report.error for report in engine.match_many([data], format)] == [None]
    assert engine.match(data, format).error is None


def test_the_triples_of_each_graph_and_each_item_are_limited() -> None:
    graphs = b"<urn:g> { <urn:a> <urn:p> 1, 2 } <urn:h> { <urn:a> <urn:p> 1, 2, 3 }"
    feed = FEED.format("x", "<item><link>http://a.example/</link></item>").encode()
    for data, enough in ((graphs, 3), (feed, len(read_document(feed).publications[0].triples))):
        assert read_document(data, limits=DocumentLimits(max_triples=enough)).publications
        with pytest.raises(MalformedPublication, match="max_triples"):
            read_document(data, limits=DocumentLimits(max_triples=enough - 1))


def test_output_up_to_the_limit_is_read() -> None:
    size = sum(len(" ".join(triple)) + 3 for triple in read_triples(LIST, "turtle"))
    assert len(read_triples(LIST, "turtle", limits=DocumentLimits(max_output_bytes=size))) == 4
    with pytest.raises(MalformedPublication):
        read_triples(LIST, "turtle", limits=DocumentLimits(max_output_bytes=size - 1))


def test_a_budget_keeps_what_was_written() -> None:
    budget = OutputBudget(1, limits=DocumentLimits(max_output_bytes=5))
    assert budget.write(b"abc") == 3
    budget.write(b"d")
    budget.flush()
    assert budget.written() == b"abcd"
    with pytest.raises(MalformedPublication, match="5 bytes"):
        budget.charge(2)


def test_a_channel_that_each_item_repeats_is_counted_with_each() -> None:
    feed = FEED.format("x" * 10_000, "<item><title>a</title><link>http://a.example/</link></item>" * 1_000).encode()
    assert len(read_document(feed).publications) == 1_000
    with pytest.raises(MalformedPublication, match="max_output_bytes"):
        read_document(feed, limits=DocumentLimits(max_output_bytes=5_000_000))


@pytest.mark.parametrize("value", [0, -1, 1.5, "7", None, True])
def test_a_limit_is_a_positive_number(value: object) -> None:
    with pytest.raises(ValueError, match="max_depth"):
        DocumentLimits(max_depth=value)  # type: ignore[arg-type]


def test_document_limits_are_a_setting_that_is_saved() -> None:
    engine = Engine(document_limits=DocumentLimits(max_depth=7))
    assert type(engine.config).from_json(engine.config.to_json()) == engine.config
    with pytest.raises(GtopssError, match="document_limits"):
        Engine(document_limits=7)  # type: ignore[arg-type]
