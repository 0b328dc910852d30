from __future__ import annotations

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st
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


@pytest.mark.parametrize(
    ("text", "iri"),
    [
        ("http://c.example/a#b#c", "http://c.example/a#b%23c"),
        ("http://c.example/[1]?[2]#[3]", "http://c.example/%5B1%5D?%5B2%5D#%5B3%5D"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
        ("http://[::1", None),
        ("http://[1:2]/", None),
        ("http://c.example:eighty/", None),
        ("http://c.example:80:81/", None),
        ("http://c.example/\ue000?\U000f0000", "http://c.example/%EE%80%80?%F3%B0%80%80"),
        ("http://c.example/\ufdd0\x85-", "http://c.example/%EF%B7%90%C2%85-"),
        ("http://c.example/%zz%41", "http://c.example/%25zz%41"),
        ("HTTPS://C.example/A", "https://C.example/A"),
        ("Tag:c.example,2005:1", "tag:c.example,2005:1"),
        ("http://b\xfccher.example/\xe9", "http://b\xfccher.example/\xe9"),
        ("c.example:80/x", None),
    ],
)
def test_iris_are_valid_or_none(text: str, iri: str | None) -> None:
    assert absolute_iri(text) == iri
    assert absolute_iri(text, "http://base.example/") == iri


@given(
    start=st.sampled_from(
        [
            "http://a.example/",
            "http://",
            "urn:",
            "HTTPS://A.b:8",
            "tag:x,2005:",
            "http://[::1]",
            "//a",
            "#",
            "x:",
            "a.b:",
        ]
    ),
    rest=st.text('ab:/?#[]@%20!\xe9\ue000\ufdd0\ufffe\U000e0001\u200e <>"{}|^`\\~\x7f\x85.-', max_size=8),
    base=st.sampled_from([None, "http://c.example/d?e#f", "file:///a/b"]),
)
def test_pyoxigraph_reads_every_iri(start: str, rest: str, base: str | None) -> None:
    found = absolute_iri(start + rest, base)
    if found is not None:
        assert absolute_iri(found) == found
        assert len(list(ox.parse(f"<{found}> <{found}> <{found}> <{found}> .", format=ox.RdfFormat.N_QUADS))) == 1
