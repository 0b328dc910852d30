"""Any bytes are parsed to triples or refused with MalformedPublication."""

from __future__ import annotations

import random

import pytest
from conftest import ROOT, SOAK

from gtopss.engine import Engine
from gtopss.errors import MalformedPublication
from gtopss.model.terms import parse_term
from gtopss.rdf.document import RdfDocument
from gtopss.rdf.formats import RdfFormat
from gtopss.rdf.parse import read_quads, read_rdf_publication, read_triples

XML = b"""<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE rdf:RDF [<!ENTITY ex "urn:ex:">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="urn:ex:" xml:lang="en">
  <rdf:Description rdf:about="&ex;a"><ex:p>text</ex:p>
    <ex:q rdf:parseType="Collection"><rdf:Description/></ex:q></rdf:Description>
</rdf:RDF>"""
JSON = b'{"@context": {"ex": "urn:ex:"}, "@id": "ex:a", "ex:p": [1, 2.5, {"@id": "ex:b"}, {"@value": "a"}]}'
QUADS = b'<urn:a> <urn:p> "x\\u00e9"@en-GB <urn:g> .\n_:b <urn:p> "1"^^<urn:t> <urn:g> .\n'
SEEDS = {
    "turtle": (ROOT / "data" / "figure5" / "event.ttl").read_bytes(),
    "xml": XML,
    "json-ld": JSON,
    "nquads": QUADS,
    "trig": b"@prefix : <urn:> . :g { :a :p ( 1 2 ), [ :q 'x' ] }",
    "n3": b"@prefix : <urn:> . :a :p 1 .",
}


@pytest.mark.parametrize("format", SEEDS)
def test_mutated_documents_are_read_or_refused(format: str) -> None:
    generator = random.Random(format)
    read = refused = 0
    for _ in range(20_000 if SOAK else 400):
        data = bytearray(SEEDS[format])
        for _ in range(generator.randint(0, 4)):
            at = generator.randrange(len(data))
            match generator.randrange(4):
                case 0:
                    data[at] = generator.randrange(256)
                case 1:
                    del data[at : at + generator.randint(1, 20)]
                case 2:
                    data[at:at] = data[generator.randrange(len(data)) :][:30]
                case 3:
                    data[at:at] = generator.choice([b"<", b'"', b"\x00", b"\xff", b"&x;", b"\\", b"@", b"{", b"_:"])
            data = data or bytearray(b" ")
        try:
            triples = read_triples(bytes(data), format)
        except MalformedPublication:
            refused += 1
            continue
        read += 1
        assert all(parse_term(part) == part for triple in triples for part in triple)
    assert read > 10
    assert refused > 10


@pytest.mark.parametrize(
    "format", [name for each in RdfFormat if each not in (RdfFormat.RDF_XML, RdfFormat.JSON_LD) for name in each.names]
)
def test_an_empty_document_has_no_triples(format: str) -> None:
    assert read_triples(b"", format) == ()


def test_blank_nodes_that_only_json_ld_can_name() -> None:
    ((subject, _, object_),) = read_triples(b'{"@id": "_:a:b", "urn:p": {"@id": "_:a:b"}}', "json-ld")
    assert subject == object_ == parse_term(subject)


def test_a_term_that_is_too_long_is_refused_like_any_other_mistake() -> None:
    """Oxigraph raises MemoryError for a term above its buffer size; that must not end a whole batch."""
    huge = b'<urn:a> <urn:p> "' + b"x" * (17 << 20) + b'" .\n'
    with pytest.raises(MalformedPublication, match=r"'p': .*buffer"):
        read_triples(huge, "nt", publication_id="p")
    engine = Engine()
    engine.add("SELECT ?o { <urn:a> <urn:p> ?o }", id="s")
    bad, good = engine.match_many([huge, b"<urn:a> <urn:p> <urn:b> .\n"], "nt")
    assert isinstance(bad.error, MalformedPublication)
    assert good.subscription_ids == ("s",)


def test_rdf_xml_is_read_in_its_declared_encoding() -> None:
    xml = XML.decode().replace("utf-8", "utf-16").replace("text", "é")
    assert '"é"@en' in [object_ for _, _, object_ in read_triples(xml.encode("utf-16"), "xml")]


def test_the_shipped_context_of_schema_org_is_used() -> None:
    data = b'{"@context": "https://schema.org", "@id": "urn:a", "headline": "x"}'
    assert read_triples(data, "json-ld") == (("<urn:a>", "<http://schema.org/headline>", '"x"'),)


def test_a_document_of_many_graphs_is_refused_at_the_second() -> None:
    with pytest.raises(MalformedPublication, match="several graphs"):
        read_rdf_publication(
            RdfDocument("p", b"<urn:g> { <urn:a> <urn:p> 1 } <urn:h> { <urn:a> <urn:p> 1 } <urn:", "trig")
        )


def test_the_names_of_graphs_are_part_of_the_output() -> None:
    """A long prefix would make a long name of each few characters."""
    graphs = b"".join(b"p:%d { <urn:a> <urn:p> 1 } " % number for number in range(3_000))
    document = b"@prefix p: <urn:%s> . " % (b"a" * 100_000) + graphs
    with pytest.raises(MalformedPublication, match="max_output_growth"):
        list(read_quads(document, RdfFormat.TRIG))
