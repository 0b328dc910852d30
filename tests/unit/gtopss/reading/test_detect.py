from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gtopss.rdf.formats import RdfFormat
from gtopss.reading.detect import DocumentKind, detect, rdf_format_of_file

FEEDS = Path(__file__).parents[4] / "data" / "feeds"
RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
CASES = {
    '<rss version="0.91"><channel/></rss>': DocumentKind.RSS_091,
    "<rss version='0.92'>": DocumentKind.RSS_092,
    '<rss version = "0.93">': DocumentKind.RSS_093,
    '<rss version="0.94">': DocumentKind.RSS_094,
    '<rss version="2.0" xmlns:a="urn:x">': DocumentKind.RSS_20,
    '<rss version="2.0.1">': DocumentKind.RSS_20,
    '<rss xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0">': DocumentKind.RSS_20,
    "<RSS VERSION='2.0'>": DocumentKind.RSS_20,
    "<rss><channel/></rss>": DocumentKind.RSS,
    '<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "x">\n'
    '<rss version="0.91">': DocumentKind.RSS_091,
    f'<rdf:RDF {RDF} xmlns="http://purl.org/rss/1.0/"><channel/>': DocumentKind.RSS_10,
    f"<rdf:RDF xmlns='http://purl.org/rss/1.0/' {RDF}><item rdf:about='x'/>": DocumentKind.RSS_10,
    f'<rdf:RDF {RDF} xmlns:rss="http://purl.org/rss/1.0/"><rss:channel/>': DocumentKind.RSS_10,
    f'<r:RDF xmlns:r="{RDF[11:-1]}"><channel xmlns="http://purl.org/rss/1.0/"/>': DocumentKind.RSS_10,
    f'<rdf:RDF {RDF} xmlns="http://my.netscape.com/rdf/simple/0.9/"><channel>': DocumentKind.RSS_090,
    f'<rdf:RDF {RDF} xmlns="http://channel.netscape.com/rdf/simple/0.9/"><channel>': DocumentKind.RSS_090,
    f'<rdf:RDF {RDF} xmlns:rss="http://purl.org/rss/1.0/"><rdf:Description/>': DocumentKind.RDF_XML,
    f'<rdf:RDF {RDF} xmlns:foaf="http://xmlns.com/foaf/0.1/"><foaf:Person/>': DocumentKind.RDF_XML,
    f'<!DOCTYPE rdf:RDF [<!ENTITY owl "http://www.w3.org/2002/07/owl#">]><rdf:RDF {RDF}/>': DocumentKind.RDF_XML,
    '<feed xmlns="http://www.w3.org/2005/Atom">': DocumentKind.ATOM_10,
    '<a:feed xmlns:a="http://www.w3.org/2005/Atom">': DocumentKind.ATOM_10,
    '<entry xmlns="http://www.w3.org/2005/Atom">': DocumentKind.ATOM_10,
    '<feed version="0.3" xmlns="http://purl.org/atom/ns#">': DocumentKind.ATOM_03,
    '<feed xmlns="http://purl.org/atom/ns#" version="0.3">': DocumentKind.ATOM_03,
    '{"version": "https://jsonfeed.org/version/1.1", "items": []}': DocumentKind.JSON_FEED,
    '{"items": [], "version": "https:\\/\\/jsonfeed.org\\/version\\/1"}': DocumentKind.JSON_FEED,
    '{"@context": {}, "@id": "urn:a"}': DocumentKind.JSON_LD,
    '[{"@id": "urn:a"}]': DocumentKind.JSON_LD,
    '{"a": 1}': DocumentKind.UNKNOWN,
    "@prefix : <urn:x> .\n:a :b :c .": DocumentKind.TURTLE,
    "PREFIX e: <urn:x>\ne:a e:b 1 .": DocumentKind.TURTLE,
    "<urn:a> a <urn:b> .": DocumentKind.TURTLE,
    "<http://a.example/> <urn:p> 'x' ; <urn:q> 2 .": DocumentKind.TURTLE,
    "[ a <urn:b> ] .": DocumentKind.TURTLE,
    "<urn:a> <urn:p> <urn:b> .": DocumentKind.N_TRIPLES,
    '# comment\n_:a <urn:p> "x { y"@en-GB .\n\n<urn:a> <urn:p> "1"^^<urn:t> . # so\n': DocumentKind.N_TRIPLES,
    "<urn:a> <urn:p> <urn:b> <urn:g> .": DocumentKind.N_QUADS,
    "<urn:a> <urn:p> <urn:b> .\n<urn:a> <urn:p> 'x' .": DocumentKind.TURTLE,
    "<urn:g> { <urn:a> <urn:p> <urn:b> }": DocumentKind.TRIG,
    "@prefix e: <urn:x> . GRAPH e:g { e:a e:b 1 }": DocumentKind.TRIG,
    '@prefix e: <urn:x> . e:a e:b "{" .': DocumentKind.TURTLE,
    "<opml version='2.0'><body/></opml>": DocumentKind.OPML,
    "<!doctype HTML>\n<p>x": DocumentKind.HTML,
    "<html xmlns='http://www.w3.org/1999/xhtml'><body><rss/></body></html>": DocumentKind.HTML,
    "<HTML><BODY>": DocumentKind.HTML,
    "<recipe><step/></recipe>": DocumentKind.UNKNOWN,
    "Hello, world.": DocumentKind.UNKNOWN,
    "": DocumentKind.UNKNOWN,
    "<br/><b>Warning</b>: nothing\n<?xml version='1.0'?><rss version='2.0'><channel/></rss>": DocumentKind.RSS_20,
}
WRONG_NAMES = ("feed.rdf", "feed.xml", "feed.html", "feed.json", "feed", None)


@pytest.mark.parametrize("name", WRONG_NAMES)
@pytest.mark.parametrize("document", CASES)
def test_the_content_decides_the_kind_whatever_the_name(document: str, name: str | None) -> None:
    assert detect(document.encode(), name=name) is CASES[document]


@pytest.mark.parametrize(
    "document", [one for one in CASES if one.startswith("<") and CASES[one] is not DocumentKind.UNKNOWN]
)
def test_marks_encodings_and_prologs_are_seen_through(document: str) -> None:
    kind = CASES[document]
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert detect(document.encode(encoding)) is kind
    assert detect(("\n\n  " + document).encode()) is kind
    if kind not in (DocumentKind.TURTLE, DocumentKind.TRIG, DocumentKind.N_TRIPLES, DocumentKind.N_QUADS):
        prolog = "<?xml version='1.0'?><!-- <rss version='0.91'> --><?xml-stylesheet href='x'?>\n"
        assert detect((prolog + document).encode()) is kind
        assert detect((prolog + document).encode("utf-16-le")) is kind


def test_names_decide_between_turtle_and_its_relatives_only() -> None:
    triple, quad = b"<urn:a> <urn:p> <urn:b> .", b"<urn:a> <urn:p> <urn:b> <urn:g> ."
    assert [detect(triple, name=f"a.{end}") for end in ("ttl", "nt", "nq", "trig", "rss")] == [
        DocumentKind.TURTLE, DocumentKind.N_TRIPLES, DocumentKind.N_QUADS, DocumentKind.TRIG, DocumentKind.N_TRIPLES,
    ]  # fmt: skip
    assert detect(quad, name="a.ttl") is DocumentKind.N_QUADS
    assert detect(b"# nothing", name="a.ttl") is DocumentKind.TURTLE
    assert detect(b"<rss version='2.0'/>", name="a.ttl") is DocumentKind.RSS_20


def test_shipped_feeds_under_a_wrong_name() -> None:
    for path in FEEDS.iterdir():
        if path.suffix in (".rdf", ".atom", ".xml"):
            expected = (
                DocumentKind.RSS_10
                if "rss10" in path.name
                else DocumentKind.RSS_20
                if "rss20" in path.name
                else DocumentKind.ATOM_10
            )
            assert detect(path.read_bytes(), name="x.ttl") is expected


@given(st.binary(max_size=200) | st.text(st.sampled_from("<>{}[]\"'@:.#a urn/!?-=\n"), max_size=200).map(str.encode))
def test_any_bytes_are_of_some_kind(data: bytes) -> None:
    assert detect(data) in DocumentKind


@pytest.mark.parametrize(
    ("name", "data", "format"),
    [
        ("a.ttl", b"", RdfFormat.TURTLE),
        ("a.RDF", b"", RdfFormat.RDF_XML),
        ("a.json", b"", RdfFormat.JSON_LD),
        ("a", b"<?xml version='1.0'?><rdf:RDF/>", RdfFormat.RDF_XML),
        ("a", b"\xef\xbb\xbf  <rdf:RDF/>", RdfFormat.RDF_XML),
        ("a", b'{"@id": "urn:a"}', RdfFormat.JSON_LD),
        ("a", b'{"a": 1}', RdfFormat.JSON_LD),
        ("a", b"<urn:a> <urn:b> 1 .", RdfFormat.TURTLE),
        ("a", b"<urn:a> <urn:b> <urn:c> .", RdfFormat.TURTLE),  # later lines may be Turtle
        ("a", b"[ a <urn:b> ] .", RdfFormat.TURTLE),
        ("a", b"<urn:a> <urn:b> <urn:c> <urn:g> .", RdfFormat.N_QUADS),
        ("a", b"", RdfFormat.TURTLE),
    ],
)
def test_the_extension_of_an_rdf_file_decides_and_without_one_its_content(
    name: str, data: bytes, format: RdfFormat
) -> None:
    assert rdf_format_of_file(name, data) is format
