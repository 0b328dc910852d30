from __future__ import annotations

import pytest

from gtopss import Publication
from gtopss.broker.articles import article_hashes, canonical_link

RSS = "http://purl.org/rss/1.0/"
TEXT = "the quick brown fox jumps over the lazy dog again and again"


def item(title: str, link: str | None, description: str = "") -> Publication:
    node = "<urn:item>"
    triples = [
        (node, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", f"<{RSS}item>"),
        (node, f"<{RSS}title>", f'"{title}"'),
        (node, f"<{RSS}description>", f'"{description}"'),
    ]
    if link is not None:
        triples.append((node, f"<{RSS}link>", f'"{link}"'))
    return Publication("p", triples)


@pytest.mark.parametrize(
    "link",
    [
        "https://example.org/a?id=1&b=",
        "http://www.example.org/a/?b=&id=1",
        "HTTPS://Example.ORG:443/a?utm_source=x&id=1&b=&fbclid=9#part",
        "http://user:secret@example.org/a?id=1&b=",
    ],
)
def test_links_of_the_same_page_are_equal(link: str) -> None:
    assert canonical_link(link) == "example.org/a?b=&id=1"


@pytest.mark.parametrize(
    "link", ["https://example.org/b", "https://example.org/a?id=2", "http://example.org:8080/a?id=1"]
)
def test_links_of_other_pages_differ(link: str) -> None:
    assert canonical_link(link) != canonical_link("https://example.org/a?id=1")


def test_a_link_that_is_none_is_left_as_it_is() -> None:
    assert canonical_link("http://[broken") == "http://[broken"


def test_texts_are_compared_without_markup_case_and_punctuation() -> None:
    one = article_hashes(item("Fox!", "http://a.example/1", f"<p>{TEXT}.</p>"))
    other = article_hashes(item("FOX", "http://b.example/2", TEXT.upper()))
    assert one.text == other.text is not None
    assert one.link != other.link


def test_short_texts_and_missing_links_identify_nothing() -> None:
    assert article_hashes(item("Corrections", None)) == (None, None)
