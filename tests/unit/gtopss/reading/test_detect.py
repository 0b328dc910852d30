from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gtopss.reading.detect import Kind, detect

FEEDS = Path(__file__).parents[4] / "data" / "feeds"
RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
CASES = {
    '<rss version="0.91"><channel/></rss>': Kind.RSS_091,
    "<rss version='0.92'>": Kind.RSS_092,
    '<rss version = "0.93">': Kind.RSS_093,
    '<rss version="0.94">': Kind.RSS_094,
    '<rss version="2.0" xmlns:a="urn:x">': Kind.RSS_20,
    '<rss version="2.0.1">': Kind.RSS_20,
    '<rss xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0">': Kind.RSS_20,
    "<RSS VERSION='2.0'>": Kind.RSS_20,
    "<rss><channel/></rss>": Kind.RSS,
    '<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "x">\n<rss version="0.91">': Kind.RSS_091,
    f'<rdf:RDF {RDF} xmlns="http://purl.org/rss/1.0/"><channel/>': Kind.RSS_10,
    f"<rdf:RDF xmlns='http://purl.org/rss/1.0/' {RDF}><item rdf:about='x'/>": Kind.RSS_10,
    f'<rdf:RDF {RDF} xmlns:rss="http://purl.org/rss/1.0/"><rss:channel/>': Kind.RSS_10,
    f'<r:RDF xmlns:r="{RDF[11:-1]}"><channel xmlns="http://purl.org/rss/1.0/"/>': Kind.RSS_10,
    f'<rdf:RDF {RDF} xmlns="http://my.netscape.com/rdf/simple/0.9/"><channel>': Kind.RSS_090,
    f'<rdf:RDF {RDF} xmlns="http://channel.netscape.com/rdf/simple/0.9/"><channel>': Kind.RSS_090,
    f'<rdf:RDF {RDF} xmlns:rss="http://purl.org/rss/1.0/"><rdf:Description/>': Kind.RDF_XML,
    f'<rdf:RDF {RDF} xmlns:foaf="http://xmlns.com/foaf/0.1/"><foaf:Person/>': Kind.RDF_XML,
    f'<!DOCTYPE rdf:RDF [<!ENTITY owl "http://www.w3.org/2002/07/owl#">]><rdf:RDF {RDF}/>': Kind.RDF_XML,
    '<feed xmlns="http://www.w3.org/2005/Atom">': Kind.ATOM_10,
    '<a:feed xmlns:a="http://www.w3.org/2005/Atom">': Kind.ATOM_10,
    '<entry xmlns="http://www.w3.org/2005/Atom">': Kind.ATOM_10,
    '<feed version="0.3" xmlns="http://purl.org/atom/ns#">': Kind.ATOM_03,
    '<feed xmlns="http://purl.org/atom/ns#" version="0.3">': Kind.ATOM_03,
    '{"version": "https://jsonfeed.org/version/1.1", "items": []}': Kind.JSON_FEED,
    '{"items": [], "version": "https:\\/\\/jsonfeed.org\\/version\\/1"}': Kind.JSON_FEED,
    '{"@context": {}, "@id": "urn:a"}': Kind.JSON_LD,
    '[{"@id": "urn:a"}]': Kind.JSON_LD,
    '{"a": 1}': Kind.UNKNOWN,
    "@prefix : <urn:x> .\n:a :b :c .": Kind.TURTLE,
    "PREFIX e: <urn:x>\ne:a e:b 1 .": Kind.TURTLE,
    "<urn:a> a <urn:b> .": Kind.TURTLE,
    "<http://a.example/> <urn:p> 'x' ; <urn:q> 2 .": Kind.TURTLE,
    "[ a <urn:b> ] .": Kind.TURTLE,
    "<urn:a> <urn:p> <urn:b> .": Kind.N_TRIPLES,
    '# comment\n_:a <urn:p> "x { y"@en-GB .\n\n<urn:a> <urn:p> "1"^^<urn:t> . # so\n': Kind.N_TRIPLES,
    "<urn:a> <urn:p> <urn:b> <urn:g> .": Kind.N_QUADS,
    "<urn:a> <urn:p> <urn:b> .\n<urn:a> <urn:p> 'x' .": Kind.TURTLE,
    "<urn:g> { <urn:a> <urn:p> <urn:b> }": Kind.TRIG,
    "@prefix e: <urn:x> . GRAPH e:g { e:a e:b 1 }": Kind.TRIG,
    '@prefix e: <urn:x> . e:a e:b "{" .': Kind.TURTLE,
    "<opml version='2.0'><body/></opml>": Kind.OPML,
    "<!doctype HTML>\n<p>x": Kind.HTML,
    "<html xmlns='http://www.w3.org/1999/xhtml'><body><rss/></body></html>": Kind.HTML,
    "<HTML><BODY>": Kind.HTML,
    "<recipe><step/></recipe>": Kind.UNKNOWN,
    "Hello, world.": Kind.UNKNOWN,
    "": Kind.UNKNOWN,
    "<br/><b>Warning</b>: nothing\n<?xml version='1.0'?><rss version='2.0'><channel/></rss>": Kind.RSS_20,
}
WRONG_NAMES = ("feed.rdf", "feed.xml", "feed.html", "feed.json", "feed", None)


@pytest.mark.parametrize("name", WRONG_NAMES)
@pytest.mark.parametrize("document", CASES)
def test_the_content_decides(document: str, name: str | None) -> None:
    assert detect(document.encode(), name=name) is CASES[document]


@pytest.mark.parametrize("document", [one for one in CASES if one.startswith("<") and CASES[one] is not Kind.UNKNOWN])
def test_marks_encodings_and_prologs_are_seen_through(document: str) -> None:
    kind = CASES[document]
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert detect(document.encode(encoding)) is kind
    assert detect(("\n\n  " + document).encode()) is kind
    if kind not in (Kind.TURTLE, Kind.TRIG, Kind.N_TRIPLES, Kind.N_QUADS):
        prolog = "<?xml version='1.0'?><!-- <rss version='0.91'> --><?xml-stylesheet href='x'?>\n"
        assert detect((prolog + document).encode()) is kind
        assert detect((prolog + document).encode("utf-16-le")) is kind


def test_names_decide_between_turtle_and_its_relatives_only() -> None:
    triple, quad = b"<urn:a> <urn:p> <urn:b> .", b"<urn:a> <urn:p> <urn:b> <urn:g> ."
    assert [detect(triple, name=f"a.{end}") for end in ("ttl", "nt", "nq", "trig", "rss")] == [
        Kind.TURTLE, Kind.N_TRIPLES, Kind.N_QUADS, Kind.TRIG, Kind.N_TRIPLES,
    ]  # fmt: skip
    assert detect(quad, name="a.ttl") is Kind.N_QUADS
    assert detect(b"# nothing", name="a.ttl") is Kind.TURTLE
    assert detect(b"<rss version='2.0'/>", name="a.ttl") is Kind.RSS_20


def test_shipped_feeds_under_a_wrong_name() -> None:
    for path in FEEDS.iterdir():
        if path.suffix in (".rdf", ".atom", ".xml"):
            expected = Kind.RSS_10 if "rss10" in path.name else Kind.RSS_20 if "rss20" in path.name else Kind.ATOM_10
            assert detect(path.read_bytes(), name="x.ttl") is expected


@given(st.binary(max_size=200) | st.text(st.sampled_from("<>{}[]\"'@:.#a urn/!?-=\n"), max_size=200).map(str.encode))
def test_any_bytes_are_of_some_kind(data: bytes) -> None:
    assert detect(data) in Kind
