from __future__ import annotations

import json
from typing import Any

import pytest

from gtopss.errors import MalformedPublication
from gtopss.feeds.items import Category, Item, Link, Person
from gtopss.feeds.json_feed import read_json_feed
from ontology.limits import DocumentLimits


def only_item(**members: Any) -> Item:
    (item,) = read_json_feed(json.dumps({"items": [members]}).encode(), None)[1]
    return item


def test_the_channel_has_its_addresses_people_and_hubs() -> None:
    feed = {
        "feed_url": "http://c.example/feed", "home_page_url": "http://c.example/", "title": " C ", "icon": "http://i/",
        "author": {"name": "Ann"}, "authors": [{"url": "http://bob.example/"}], "hubs": [{"url": "http://hub/"}, {}],
    }  # fmt: skip
    channel, items = read_json_feed(json.dumps(feed).encode(), None)
    assert (channel.id, channel.link, channel.title) == ("http://c.example/feed", "http://c.example/", "C")
    assert channel.people == (Person(None, "http://bob.example/"), Person("Ann", None))
    assert channel.links == (Link("http://hub/", "hub"),)
    assert channel.image == "http://i/"
    assert items == ()


def test_an_external_address_is_the_link_or_a_related_one() -> None:
    assert only_item(external_url="http://other/").link == "http://other/"
    both = only_item(url="http://mine/", external_url="http://other/")
    assert both.link == "http://mine/"
    assert both.links == (Link("http://other/", "related"),)


def test_the_summary_wins_as_description_and_the_text_becomes_content() -> None:
    assert (only_item(content_text="long").description, only_item(content_text="long").contents) == ("long", ())
    both = only_item(content_text="long", summary="short")
    assert (both.description, both.contents) == ("short", ("long",))
    assert only_item(content_text="plain", content_html="<p>", summary="short").contents == ("<p>",)


def test_attachments_are_enclosures_and_tags_categories() -> None:
    item = only_item(attachments=[{"url": "http://a/", "mime_type": "audio/mpeg", "size_in_bytes": 7}], tags=["x", 1])
    assert item.links == (Link("http://a/", "enclosure", "audio/mpeg", "7"),)
    assert item.categories == (Category("x"),)


def test_a_number_is_an_id_and_members_of_a_wrong_type_are_ignored() -> None:
    item = only_item(id=7, title=True, url={}, tags="x", attachments=[1], authors={"name": "Ann"})
    assert item == only_item(id="7")


@pytest.mark.parametrize(
    ("data", "reason"), [(b"{", "not JSON"), (b"[" * 100_000, "max_depth"), (b"[]", "must be an object")]
)
def test_what_is_no_feed_is_refused_by_name(data: bytes, reason: str) -> None:
    with pytest.raises(MalformedPublication, match=reason) as caught:
        read_json_feed(data, "http://c.example/feed")
    assert "http://c.example/feed" in str(caught.value)


@pytest.mark.parametrize("member", ["tags", "authors", "attachments"])
def test_the_values_of_a_feed_are_limited(member: str) -> None:
    """Without the limit, eight million tags took 15 seconds."""
    feed = json.dumps({"items": [{"id": "a", "title": "a,b,[c]" * 1_000, member: [{}] * 500}]}).encode()
    assert len(read_json_feed(feed, None, limits=DocumentLimits(max_feed_elements=1_100))[1]) == 1
    with pytest.raises(MalformedPublication, match=r"more than 900 values .max_feed_elements"):
        read_json_feed(feed, None, limits=DocumentLimits(max_feed_elements=900))
