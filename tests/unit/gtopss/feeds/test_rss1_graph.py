from __future__ import annotations

import pytest
from support.feed_samples import AS_RSS1, only, values

from gtopss.feeds.namespaces import RSS
from gtopss.feeds.rss1_graph import NotReadableAsRdf, split_feed
from gtopss.feeds.text import term_line
from gtopss.feeds.triples import ItemLines
from gtopss.feeds.vocabulary import CHANNEL, ITEM, ITEMS, TITLE
from gtopss.model.publication import TextPublication
from gtopss.model.terms import RDF, RDF_TYPE, Term, Triple
from gtopss.reading.documents import read_publications

C, ONE, TWO, SEQ = Term("<http://c.example/>"), Term("<urn:1>"), Term("<urn:2>"), Term("_:seq")


def triples(item: ItemLines) -> tuple[Triple, ...]:
    return TextPublication(item.id, b"".join(item.lines), len(item.lines) // 3).triples


def member(number: int, item: Term) -> Triple:
    return SEQ, Term(f"<{RDF}_{number}>"), item


def test_items_have_the_numbers_of_the_channels_sequence() -> None:
    listed = [(C, RDF_TYPE, CHANNEL), (C, ITEMS, SEQ), member(1, TWO), member(2, ONE)]
    feed = split_feed([*listed, (ONE, RDF_TYPE, ITEM), (TWO, RDF_TYPE, ITEM)], None, None)
    assert feed.channel == term_line(C)
    assert {item.id: [p for _, p, o in triples(item) if o == f"<{item.id}>"][-1] for item in feed.items} == {
        "urn:1": f"<{RDF}_2>",
        "urn:2": f"<{RDF}_1>",
    }


def test_a_listed_resource_without_a_type_is_an_item() -> None:
    listed = [(C, RDF_TYPE, CHANNEL), (C, ITEMS, SEQ), member(1, ONE), (ONE, TITLE, Term('"one"'))]
    (item,) = split_feed(listed, None, None).items
    assert (ONE, RDF_TYPE, ITEM) in triples(item)


def test_a_listed_resource_that_nothing_describes_as_an_item_is_none() -> None:
    listed = [(C, RDF_TYPE, CHANNEL), (C, ITEMS, SEQ), member(1, ONE), (ONE, Term("<urn:resour-ce>"), Term('"one"'))]
    assert split_feed(listed, None, None).items == []


def test_what_an_item_leads_to_is_with_it_but_no_other_item_is() -> None:
    image, next_ = Term("_:image"), Term("<urn:next>")
    given = [
        (ONE, RDF_TYPE, ITEM), (ONE, Term("<urn:image>"), image), (ONE, next_, TWO), (image, TITLE, Term('" i "')),
        (TWO, RDF_TYPE, ITEM), (TWO, TITLE, Term('"two"')),
    ]  # fmt: skip
    first = split_feed(given, None, None).items[0]
    assert Term('"i"') in [o for _, _, o in triples(first)]
    assert Term('"two"') not in [o for _, _, o in triples(first)]


def test_names_of_rss_0_90_become_those_of_1_0() -> None:
    old = "http://my.netscape.com/rdf/simple/0.9/"
    given = [(ONE, RDF_TYPE, Term(f"<{old}item>")), (ONE, Term(f"<{old}title>"), Term('"one"'))]
    (item,) = split_feed(given, None, None).items
    assert (ONE, Term(f"<{RSS}title>"), Term('"one"')) in triples(item)


def test_markup_in_a_title_cannot_be_read_as_rdf() -> None:
    with pytest.raises(NotReadableAsRdf, match="markup"):
        split_feed([(ONE, RDF_TYPE, ITEM), (ONE, TITLE, Term("_:b"))], None, None)


def test_two_items_about_one_resource_stay_two() -> None:
    twice = AS_RSS1.replace("</rdf:RDF>", '<item rdf:about="http://c.example/1"><title>Two</title></item></rdf:RDF>')
    assert [values(one, TITLE) for one in read_publications(twice.encode())] == [["One & only"], ["Two"]]


def test_an_item_about_the_channel_s_own_address_is_not_mixed_with_it() -> None:
    one = only(AS_RSS1.replace("http://c.example/1", "http://c.example/").encode())
    assert "One & only" in values(one, TITLE)
