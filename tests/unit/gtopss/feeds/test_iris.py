from __future__ import annotations

import pytest
from support.feed_samples import item_of, only, rss, values

from gtopss.feeds.iris import absolute_iri
from gtopss.feeds.vocabulary import LINK, TITLE


@pytest.mark.parametrize(
    ("link", "object_"),
    [
        ("http://c.example/a b", "<http://c.example/a%20b>"),
        ("http://c.example/a|b^c`{d}", "<http://c.example/a%7Cb%5Ec%60%7Bd%7D>"),
        ("/news/1", "<http://c.example/news/1>"),
        ("  http://c.example/1\n", "<http://c.example/1>"),
        ("http://c.example/100%", "<http://c.example/100%25>"),
        ("http://[broken", None),
    ],
)
def test_links_are_iris_where_they_can_be(link: str, object_: str | None) -> None:
    one = only(rss(f"<item><title>t</title><link>{link}</link></item>"))
    assert values(one, TITLE) == ["t"]
    if object_:
        assert [o for s, p, o in one.triples if s == item_of(one) and p == LINK] == [object_]


def test_links_that_cannot_be_resolved_stay_texts() -> None:
    one = only(rss("<item><title>t</title><link>news/1</link></item>", "<title>c</title>"))
    assert [o for s, p, o in one.triples if s == item_of(one) and p == LINK] == ['"news/1"']


def test_a_text_that_is_too_long_is_no_iri() -> None:
    assert absolute_iri("urn:" + "a" * 8_188) is not None
    assert absolute_iri("urn:" + "a" * 8_189) is None
