from __future__ import annotations

from support.feed_samples import AS_RSS1, FEEDS, item_of, only, rss, values

from gtopss.feeds.vocabulary import DESCRIPTION, IDENTIFIER, TITLE
from gtopss.model.terms import RDF, Term
from gtopss.reading.documents import read_document, read_publications


def test_the_specification_s_example_keeps_its_unprefixed_sequence() -> None:
    first, second = read_publications((FEEDS / "w3c_rss_7_1.rss10.rdf").read_bytes())
    assert [p for _, p, o in second.triples if o == item_of(second) and p.startswith(f"<{RDF}_")] == [f"<{RDF}_2>"]
    assert values(first, DESCRIPTION)[0].startswith("Processing document inclusions")
    assert any(p == "<http://purl.org/rss/1.0/url>" for _, p, _ in first.triples)  # the channel's image


def test_a_feed_that_is_not_rdf_is_read_into_the_same_triples() -> None:
    broken = AS_RSS1.replace("<title> One &amp; only </title>", "<title>One <b>&amp;</b> only</title>")
    tidy, read = only(AS_RSS1.encode()), read_document(broken.encode())
    (one,) = read.publications
    assert read.warnings
    assert {t for t in one.triples if t[1] != TITLE} == {t for t in tidy.triples if t[1] != TITLE}
    assert values(one, TITLE) == ["One <b>&amp;</b> only"]


def test_an_about_that_is_no_iri_identifies_the_item_and_is_not_resolved() -> None:
    odd = "902@http://c.example/?a&amp;b"
    about = AS_RSS1.replace('"http://c.example/1"', f'"{odd}"').replace("<link>http://c.example/1</link>", "")
    for base in ("file:///tmp/x.rdf", None):
        (one,) = read_document(about.encode(), base=base).publications
        assert one.id.startswith("urn:gtopss:item:")
        assert values(one, IDENTIFIER) == ["902@http://c.example/?a&b"]
        assert [p for _, p, o in one.triples if o == item_of(one) and p.startswith(f"<{RDF}_")] == [f"<{RDF}_1>"]
    guid = rss(f"<item><guid>{odd}</guid><title>t</title></item>", "<link>http://c.example/</link>")
    assert only(guid).id == one.id  # as in the other formats


def test_module_elements_survive_undefined_entities() -> None:
    (one,) = read_publications(AS_RSS1.replace(" One", "Caf&eacute;&nbsp;&mdash;AT&T One").encode())
    assert values(one, TITLE) == ["Café\xa0—AT&T One & only"]
    assert values(one, Term("<http://www.w3.org/2003/01/geo/wgs84_pos#lat>")) == ["45.5"]
