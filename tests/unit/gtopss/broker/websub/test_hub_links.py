from __future__ import annotations

import json

import pytest

from gtopss.broker.websub.hub_links import MAX_JSON_BYTES, MAX_LINKS, MAX_SEARCHED_BYTES, HubLinks, find_hub

URL = "https://site.example/a/feed"
HUB, SELF = "https://hub.example/", "https://site.example/feed"
FOUND = HubLinks(HUB, SELF)


@pytest.mark.parametrize(
    "headers",
    [
        [("link", f'<{HUB}>; rel="hub", <{SELF}>; rel="self"')],
        [("link", f"<{HUB}>; rel=hub"), ("link", f"<{SELF}>; rel=self")],
        [("link", f'<{SELF}>; title="a, <b>; c"; rel="alternate self",<{HUB}> ; rel="HUB"')],
        [("link", f'</feed>; rel="self", <{HUB}>; rel="hub", <https://second.example/>; rel="hub"')],
    ],
)
def test_link_headers_name_the_hub(headers: list[tuple[str, str]]) -> None:
    assert find_hub(headers, b"", URL) == FOUND


@pytest.mark.parametrize(
    "document",
    [
        f"<feed xmlns='urn:atom'><link rel='hub' href='{HUB}'/><link rel='self' href='{SELF}'/></feed>",
        f"<rss><channel><link>https://site.example/</link><atom:link rel='self' href='{SELF}'/>"
        f"<atom10:link rel='hub' href='{HUB}'/><item/></channel></rss>",
        f"<html><head><link rel=self href={SELF}><LINK REL='hub' HREF='{HUB}'></head><body></body></html>",
        json.dumps(
            {"version": "1.1", "feed_url": SELF, "hubs": [{"type": "rssCloud"}, {"type": "WebSub", "url": HUB}]}
        ),
    ],
)
def test_documents_name_the_hub(document: str) -> None:
    assert find_hub([], document.encode(), URL) == FOUND


def test_headers_win_over_the_document() -> None:
    document = (
        b"<feed><link rel='hub' href='https://other.example/'/><link rel='self' href='https://o.example/'/></feed>"
    )
    assert find_hub([("link", f'<{HUB}>; rel="hub", <{SELF}>; rel="self"')], document, URL) == FOUND


def test_further_links_are_not_looked_at() -> None:
    document = (
        b"<feed>" + b"<link rel='x' href='/'/>" * MAX_LINKS + b"<link rel='hub' href='https://hub.example/'/></feed>"
    )
    assert find_hub([], document, URL) is None
    headers = [("link", ", ".join(["</>; rel=x"] * MAX_LINKS + ["<https://hub.example/>; rel=hub"]))]
    assert find_hub(headers, b"", URL) is None


def test_a_document_without_a_topic_has_its_own_address() -> None:
    assert find_hub([("link", f"<{HUB}>; rel=hub")], b"", URL) == HubLinks(HUB, URL)


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"<feed><link rel='self' href='https://site.example/feed'/></feed>",
        b"<feed><entry><link rel='hub' href='https://hub.example/'/></entry></feed>",
        b"<rss><channel><item><atom:link rel='hub' href='https://hub.example/'/></item></channel></rss>",
        b"<html><body><link rel='hub' href='https://hub.example/'></body></html>",
        b"<feed><!-- <link rel='hub' href='https://hub.example/'/> --></feed>",
        b"<feed><title><![CDATA[<link rel='hub' href='https://hub.example/'/>]]></title></feed>",
        b"<feed><link rel='hub' href='file:///etc/passwd'/></feed>",
        b"<feed><link rel='hub' href='http://u:p@hub.example/'/></feed>",
        b"<feed><link rel='hub' href='https://" + b"x" * 3_000 + b"/'/></feed>",
        b"<feed>" + b" " * MAX_SEARCHED_BYTES + b"<link rel='hub' href='https://hub.example/'/></feed>",
        b'{"hubs": 1}',
        b'{"hubs": [{"type": "WebSub", "url": 7}, "x"]}',
        b"{" * 100_000,
        json.dumps({"hubs": [{"type": "WebSub", "url": HUB}], "x": "x" * MAX_JSON_BYTES}).encode(),
    ],
)
def test_what_names_no_hub_is_only_polled(document: bytes) -> None:
    assert find_hub([], document, URL) is None
