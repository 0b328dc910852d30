from __future__ import annotations

from support.feed_samples import FEEDS, item_of, only, rss, values

from gtopss.feeds.namespaces import DCTERMS, ENCLOSURE
from gtopss.feeds.vocabulary import SUBJECT
from gtopss.model.terms import Term, literal

CAP = "urn:oasis:names:tc:emergency:cap:1.1"


def test_alerts_keep_their_cap_elements() -> None:
    one = only((FEEDS / "nws-cap-alerts.atom").read_bytes())
    assert values(one, Term(f"<{CAP}severity>")) == ["Minor"]
    effective = [o for _, p, o in one.triples if p == f"<{CAP}effective>"]
    assert effective == [literal("2012-11-07T04:09:00-05:00", "http://www.w3.org/2001/XMLSchema#dateTime")]
    (geocode,) = [o for _, p, o in one.triples if p == f"<{CAP}geocode>"]
    assert len([o for s, _, o in one.triples if s == geocode]) == 4


def test_enclosures_media_and_attributes_are_kept() -> None:
    one = only(
        rss(
            "<item><guid isPermaLink='false'>7</guid>"
            "<enclosure url='http://c.example/a.mp3' length='12' type='audio/mpeg'/>"
            "<m:content url='http://c.example/a.jpg' width='640'><m:title>Cat</m:title></m:content>"
            "<m:rating scheme='urn:x'>adult</m:rating><category domain='http://s.example/t'>x y</category></item>",
            attributes="xmlns:m='http://search.yahoo.com/mrss/'",
        )
    )
    said = set(one.triples)
    node, mp3, jpg = item_of(one), Term("<http://c.example/a.mp3>"), Term("<http://c.example/a.jpg>")
    media = "http://search.yahoo.com/mrss/"
    assert (node, f"<{ENCLOSURE}enclosure>", mp3) in said
    assert (mp3, f"<{ENCLOSURE}type>", '"audio/mpeg"') in said
    assert (node, f"<{media}content>", jpg) in said
    assert {(jpg, f"<{media}width>", '"640"'), (jpg, f"<{media}title>", '"Cat"')} <= said
    assert (node, f"<{media}rating>", '"adult"') in said
    assert any(p == f"<{media}scheme>" and s[0] == "_" for s, p, _ in said)
    assert (node, f"<{DCTERMS}subject>", "<http://s.example/t#x%20y>") in said
    assert values(one, SUBJECT) == ["x y"]
