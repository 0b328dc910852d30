from __future__ import annotations

import pytest

from gtopss.broker.feeds.page_links import MAX_PAGE_BYTES, feed_links

PAGE = "http://site.example/news/"


def links(text: str) -> list[str]:
    return feed_links(text.encode(), PAGE)


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ('<link rel="alternate" type="application/rss+xml" href="rss.xml">', ["http://site.example/news/rss.xml"]),
        (
            "<LINK REL='Alternate Feed' TYPE='application/atom+xml; charset=utf-8' HREF='/a' />",
            ["http://site.example/a"],
        ),
        ("<link href=//other.example/f type=application/feed+json rel=alternate>", ["http://other.example/f"]),
        ('<link rel="alternate" type="text/html" hreflang="de" href="/de">', []),
        ('<link rel="stylesheet" type="application/rss+xml" href="/x">', []),
        ('<link rel="alternate" type="application/rss+xml" href="file:///etc/passwd">', []),
        ('<link rel="alternate" type="application/rss+xml">', []),
        ('<link rel="alternate" type="application/rss+xml" href="javascript:alert(1)">', []),
    ],
)
def test_links_to_feeds_are_found(tag: str, expected: list[str]) -> None:
    assert links(f"<html><head>{tag}</head>") == expected


def test_links_are_relative_to_the_base_of_the_page() -> None:
    tag = '<link rel="alternate" type="application/rss+xml" href="f">'
    assert links(f'<base href="http://base.example/x/">{tag}{tag}') == ["http://base.example/x/f"]


def test_a_link_after_the_part_that_is_searched_is_not_found() -> None:
    tag = '<link rel="alternate" type="application/rss+xml" href="/f">'
    assert links(" " * MAX_PAGE_BYTES + tag) == []


def test_hostile_pages_are_searched_quickly() -> None:
    for piece in ("<link ", "<link rel=", "<base href='", "<", "a=a ", "<link a='"):
        assert links(piece * 50_000) == []
