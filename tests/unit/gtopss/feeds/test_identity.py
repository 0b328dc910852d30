from __future__ import annotations

import pytest
from support.feed_samples import only, rss, values

from gtopss.feeds.identity import content_digest
from gtopss.feeds.vocabulary import IDENTIFIER, LINK, TITLE
from gtopss.reading.documents import read_publications


def test_an_id_does_not_depend_on_the_position_of_the_item() -> None:
    a, b = "<item><title>a</title></item>", "<item><title>b</title></item>"
    first, second = list(read_publications(rss(a + b))), list(read_publications(rss(b + a)))
    assert {one.id for one in first} == {one.id for one in second}
    assert all(one.id.startswith("urn:gtopss:item:") for one in first)


def test_equal_local_guids_of_two_feeds_give_different_ids() -> None:
    item = "<item><guid isPermaLink='false'>12345</guid></item>"
    other = rss(item, "<title>d</title><link>http://d.example/</link>")
    assert only(rss(item)).id != only(other).id
    assert values(only(other), IDENTIFIER) == ["12345"]


def test_ids_are_unique_in_a_document() -> None:
    item = "<item><link>http://c.example/1</link><title>{}</title></item>"
    read = list(read_publications(rss(item.format("a") + item.format("b"))))
    assert [one.id for one in read] == ["http://c.example/1", "http://c.example/1#2"]
    assert [values(one, TITLE) for one in read] == [["a"], ["b"]]


ITEM = "<item><guid>http://c.example/1</guid><title>{}</title><author>a@b.example (Ann)</author></item>"


def test_the_digest_of_an_item_changes_only_with_what_is_said_about_it() -> None:
    channel = "<title>c</title><link>http://c.example/</link><lastBuildDate>{} Jun 2003 09:39:21 GMT</lastBuildDate>"
    before = only(rss(ITEM.format("a"), channel.format(10)))
    later = list(read_publications(rss("<item><title>new</title></item>" + ITEM.format("a"), channel.format(11))))[1]
    changed = only(rss(ITEM.format("b"), channel.format(10)))
    assert before.id == later.id == changed.id
    assert before.triples != later.triples
    assert content_digest(before.triples) == content_digest(later.triples) != content_digest(changed.triples)


def test_the_digest_of_other_rdf_counts_every_triple() -> None:
    first, second = ("<urn:a>", "<urn:p>", "_:x"), ("_:x", "<urn:p>", "<urn:b>")
    digests = {content_digest(triples) for triples in ([first], [first, second], [second])}  # type: ignore[list-item]
    assert len(digests) == 3


@pytest.mark.parametrize("source", [None, "https://c.example/feed", "feed.xml"])
@pytest.mark.parametrize("guid", ["902@http://c.example/", "12345", "C:\\x", "//"])
def test_a_local_guid_is_neither_an_iri_nor_resolved_nor_a_link(guid: str, source: str | None) -> None:
    for close in ("</item>", "<b></item>"):  # read by us, and by feedparser
        (one,) = read_publications(rss(f"<item><title>t</title><guid>{guid}</guid>{close}"), source=source)
        assert one.id.startswith("urn:gtopss:item:")
        assert values(one, IDENTIFIER) == [guid]
        assert values(one, LINK) == ([] if guid != "//" else values(one, LINK))


def test_a_guid_that_is_a_path_is_a_link() -> None:
    one = only(rss("<item><guid>/news/1</guid></item>"))
    assert values(one, LINK) == ["http://c.example/news/1"]
