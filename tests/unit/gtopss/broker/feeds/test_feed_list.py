from __future__ import annotations

import pytest
from support.hostile_internet import http_response
from support.polled_feeds import FeedWorld, rss

from gtopss.broker.errors import FeedNotFound, NoFeedFound
from gtopss.broker.feeds.feed_list import MAX_FEED_URL_CHARACTERS
from gtopss.errors import MalformedPublication
from gtopss.feeds.opml import read_opml
from gtopss.net import BlockedAddress, FetchError, InvalidURL

FEED = "http://site.example/feed"
DAY = 24 * 3600.0


def test_adding_a_feed_is_one_request_and_publishes_its_items(world: FeedWorld) -> None:
    world.serve(FEED, http_response(rss(("1", "one"), ("2", "two"))))
    made = world.feeds.add(FEED)
    assert (made.url, made.title, made.items, made.is_new) == (FEED, "Site", 2, True)
    assert world.titles() == ["one", "two"]
    assert world.requests("/feed") == 1
    assert world.poller.run_due() == 0


def test_adding_a_feed_again_requests_nothing(world: FeedWorld) -> None:
    world.serve(FEED, http_response(rss(("1", "one"))))
    world.feeds.add(FEED)
    assert not world.feeds.add("http://SITE.example:80/feed").is_new
    assert world.requests("/feed") == 1


def test_a_page_is_resolved_to_the_feed_that_it_names(world: FeedWorld) -> None:
    page = b"<!DOCTYPE html><head><link rel='alternate' type='application/rss+xml' href='/feed'></head>"
    world.serve("http://site.example/", http_response(page, "Content-Type: text/html"))
    world.serve(FEED, http_response(rss(("1", "one"))))
    assert world.feeds.add("http://site.example/").url == FEED
    assert [each.url for each in world.feeds.health()] == [FEED]
    assert not world.feeds.add("http://site.example/").is_new
    assert world.titles() == ["one"]


@pytest.mark.parametrize("body", [b"<html><p>Hello", b"<opml><body/></opml>", b"", b"\x00\x01", b"Hello"])
def test_what_is_no_feed_is_not_added(world: FeedWorld, body: bytes) -> None:
    world.serve(FEED, http_response(body))
    with pytest.raises(NoFeedFound):
        world.feeds.add(FEED)
    assert world.feeds.health() == []


def test_a_feed_that_cannot_be_fetched_is_not_added(world: FeedWorld) -> None:
    with pytest.raises(FetchError):
        world.feeds.add("http://unknown.example/feed")
    with pytest.raises(InvalidURL):
        world.feeds.add("file:///etc/passwd")
    with pytest.raises(BlockedAddress):
        world.feeds.add("http://127.0.0.1/feed")
    assert world.feeds.health() == []


def test_a_removed_feed_is_not_fetched_and_its_items_are_forgotten(world: FeedWorld) -> None:
    world.serve(FEED, http_response(rss(("1", "one"))))
    world.feeds.add(FEED)
    world.feeds.remove(FEED)
    world.clock.now += DAY
    assert world.poller.run_due() == 0
    assert world.feeds.health() == []
    for call in (world.feeds.remove, world.feeds.fetch_soon):
        with pytest.raises(FeedNotFound):
            call(FEED)


def test_the_health_of_a_feed(world: FeedWorld) -> None:
    world.serve(FEED, http_response(rss(("1", "one"))))
    world.feeds.add(FEED)
    start = world.clock.now
    health = world.health(FEED)
    assert (health.title, health.last_success_at, health.last_error) == ("Site", start, None)
    assert (health.next_due_at, health.items_per_day, health.failures) == (start + 1_800, 0.0, 0)
    for number in range(1, 5):
        world.serve(FEED, http_response(rss(("1", "one"), (f"x{number}", "new"))))
        world.clock.now = start + number * DAY / 2
        world.poller.run_due()
    assert world.health(FEED).items_per_day == 2.0
    assert world.health(FEED).last_item_at == world.clock.now
    world.serve(FEED, http_response(b"", status="500 Broken"))
    world.wait_until_due(FEED)
    assert world.health(FEED).last_success_at == start + 2 * DAY
    assert "500" in world.health(FEED).last_error


def test_an_opml_list_is_added_without_requests_and_spread_over_the_interval(world: FeedWorld) -> None:
    urls = [f"http://site.example/{number}" for number in range(4)]
    for url in urls:
        world.serve(url, http_response(rss((url, url))))
    outlines = "".join(f'<outline text="F" xmlUrl="{url}"/>' for url in (*urls, urls[0], "file:///etc/passwd"))
    result = world.feeds.import_opml(f"<opml><body>{outlines}</body></opml>".encode())
    assert (result.added, result.known) == (4, 0)
    assert [url for url, _ in result.refused] == ["file:///etc/passwd"]
    assert world.internet.server.requests == []
    assert [world.health(url).next_due_at - world.clock.now for url in urls] == [0, 300, 600, 900]
    world.clock.now += 1_800
    while world.poller.run_due():
        world.clock.now += 20
    assert sorted(world.titles()) == urls
    assert world.feeds.import_opml(f"<opml><body>{outlines}</body></opml>".encode()).known == 4


def test_the_list_is_written_as_opml(world: FeedWorld) -> None:
    world.serve(FEED, http_response(rss(("1", "one"))))
    world.feeds.add(FEED)
    assert [(each.title, each.feed_url) for each in read_opml(world.feeds.export_opml("My feeds"))] == [("Site", FEED)]
    with pytest.raises(MalformedPublication):
        world.feeds.import_opml(b"<rss/>")


def test_the_url_of_a_feed_that_is_too_long_for_a_key_is_refused(world: FeedWorld) -> None:
    long = f"{FEED}?{'a' * MAX_FEED_URL_CHARACTERS}"
    with pytest.raises(InvalidURL, match="at most 1,500 characters"):
        world.feeds.add(long)
    result = world.feeds.import_opml(f'<opml><body><outline text="F" xmlUrl="{long}"/></body></opml>'.encode())
    assert (result.added, len(result.refused)) == (0, 1)
    assert world.internet.server.requests == []
