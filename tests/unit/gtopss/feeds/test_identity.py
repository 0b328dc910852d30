from __future__ import annotations

from support.feed_samples import only, rss, values

from gtopss.feeds.vocabulary import IDENTIFIER, TITLE
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
    assert [one.id for one in read] == ["http://c.example/1", "http://c.example/1 2"]
    assert [values(one, TITLE) for one in read] == [["a"], ["b"]]
