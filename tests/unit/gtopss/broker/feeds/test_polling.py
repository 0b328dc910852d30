from __future__ import annotations

import socket
import threading
from dataclasses import replace

import pytest
from support.hostile_internet import http_response
from support.polled_feeds import FeedWorld, feed_world, rss

from gtopss.broker.errors import LeaseLost
from gtopss.broker.feeds.polling import Poll
from gtopss.broker.store import feed_rows
from gtopss.broker.store.retention import Cleaner, Retention
from gtopss.broker.store.tables import feed_items

FEED = "http://site.example/feed"
DAY = 24 * 3600.0


def added(world: FeedWorld, url: str = FEED, *items: tuple[str, str], head: str = "") -> None:
    world.serve(url, http_response(rss(*(items or (("1", "one"),)), head=head)))
    world.feeds.add(url)


def test_new_items_are_published_once(world: FeedWorld) -> None:
    added(world, FEED, ("1", "one"), ("2", "two"))
    world.serve(FEED, http_response(rss(("3", "three"), ("1", "one"), ("2", "two"))))
    world.wait_until_due(FEED)
    world.wait_until_due(FEED)
    assert world.titles() == ["one", "two", "three"]
    assert world.published == 1


def test_a_changed_item_is_published_again_and_once(world: FeedWorld) -> None:
    added(world, FEED, ("1", "one"), ("2", "two"))
    for title in ("one, corrected", "one", "one, corrected"):
        world.serve(FEED, http_response(rss(("1", title), ("2", "two"))))
        world.wait_until_due(FEED)
        world.wait_until_due(FEED)
    assert world.titles() == ["one", "two", "one, corrected"]


def test_a_feed_under_two_urls_is_published_once(world: FeedWorld) -> None:
    added(world, FEED, ("1", "one"))
    added(world, "http://mirror.example/copy", ("1", "one"))
    assert world.titles() == ["one"]
    for url in (FEED, "http://mirror.example/copy"):
        world.wait_until_due(url)
    assert world.titles() == ["one"]


def test_an_item_of_another_channel_is_another_publication(world: FeedWorld) -> None:
    added(world, FEED, ("1", "one"))
    world.serve("http://other.example/f", http_response(rss(("1", "one"), link="http://other.example/")))
    world.feeds.add("http://other.example/f")
    assert world.titles() == ["one", "one"]


def test_an_item_that_left_the_feed_and_returns_is_not_published_again(world: FeedWorld) -> None:
    added(world, FEED, ("1", "one"))
    for items in ([("2", "two")], [("2", "two"), ("1", "one")]):
        world.serve(FEED, http_response(rss(*items)))
        world.wait_until_due(FEED)
    assert world.titles() == ["one", "two"]


def test_items_are_forgotten_long_after_their_feed_listed_them_last(world: FeedWorld) -> None:
    added(world, FEED, ("1", "one"), ("2", "two"))
    world.serve(FEED, http_response(rss(("1", "one"))))
    for _ in range(2):
        world.clock.now += 50 * DAY
        world.poller.run_due()
        Cleaner(world.store, Retention()).clean(world.clock.now)
    known = world.store.read(lambda connection: [row.item for row in connection.execute(feed_items.select())])
    assert known == ["urn:item:1"]


@pytest.mark.parametrize("status", ["304 Not Modified", "500 Broken"])
def test_items_are_remembered_while_a_feed_does_not_change_or_fails(world: FeedWorld, status: str) -> None:
    world.serve(FEED, http_response(rss(("1", "one")), 'ETag: "a"'))
    world.feeds.add(FEED)
    world.serve(FEED, http_response(b"", status=status, length=False))
    world.clock.now += 100 * DAY
    world.poller.run_due()
    (listed_at,) = world.store.read(
        lambda connection: [row.listed_at for row in connection.execute(feed_items.select())]
    )
    assert listed_at == world.clock.now


def test_a_conditional_request_spares_the_document(world: FeedWorld) -> None:
    world.serve_conditional(FEED, rss(("1", "one")), '"a"')
    world.feeds.add(FEED)
    world.wait_until_due(FEED)
    assert "If-None-Match" in world.internet.server.requests[-1]
    world.serve_conditional(FEED, rss(("1", "one"), ("2", "two")), '"b"')
    world.wait_until_due(FEED)
    assert world.titles() == ["one", "two"]
    assert world.health(FEED).last_error is None


def test_polls_that_are_stored_together_do_not_affect_each_other(world: FeedWorld) -> None:
    urls = [f"http://host{number}.example/{number}" for number in range(4)]
    for url in urls:
        added(world, url, (url, "old"))
    world.clock.now += DAY
    now = world.clock.now
    claimed = world.store.write(
        lambda connection: feed_rows.claim_due(connection, "b", now=now, until=now + 9, limit=4)
    )
    world.store.write(lambda connection: feed_rows.set_values(connection, urls[1], {"lease_holder": "another"}))
    polls = []
    for feed in sorted(claimed, key=lambda each: each.url):
        world.serve(feed.url, http_response(rss((feed.url, "old"), (f"{feed.url}/2", f"new of {feed.url}"))))
        response = world.poller.fetch(feed.url)
        polls.append(Poll(feed, response, world.poller.read(response), now))
    polls[3] = replace(polls[3], read=None)  # it has not changed
    all_wait = threading.Event()
    world.store.submit(lambda connection: all_wait.wait())
    stored = [world.store.submit_item(world.poller._complete_polls, poll) for poll in polls]
    all_wait.set()
    with pytest.raises(LeaseLost):
        stored.pop(1).result()
    assert [future.result() for future in stored] == [1, 1, 0]
    assert sorted(world.titles()) == sorted(["old"] * 4 + [f"new of {urls[0]}", f"new of {urls[2]}"])
    assert [world.health(url).last_success_at == now for url in urls] == [True, False, True, True]


class TestWaits:
    @pytest.mark.parametrize(
        ("headers", "head", "seconds"),
        [
            ([], "", 1_800),
            (["Cache-Control: max-age=7200"], "", 7_200),
            (["Cache-Control: max-age=60"], "", 1_800),
            (["Cache-Control: max-age=31536000"], "", DAY),
            (["Date: Tue, 14 Nov 2023 00:00:00 GMT", "Expires: Tue, 14 Nov 2023 03:00:00 GMT"], "", 10_800),
            ([], "<ttl>180</ttl>", 10_800),
            (["Cache-Control: max-age=7200"], "<ttl>180</ttl>", 10_800),
            ([], "<ttl>99999999</ttl>", DAY),
        ],
    )
    def test_a_feed_is_fetched_as_rarely_as_it_asks_for(self, world, headers, head: str, seconds: float) -> None:
        world.serve(FEED, http_response(rss(("1", "one"), head=head), *headers))
        world.feeds.add(FEED)
        assert world.wait_until_due(FEED) == seconds
        assert world.requests("/feed") == 2

    def test_ttl_counts_also_after_a_304(self, world: FeedWorld) -> None:
        world.serve_conditional(FEED, rss(("1", "one"), head="<ttl>180</ttl>"), '"a"')
        world.feeds.add(FEED)
        assert [world.wait_until_due(FEED) for _ in range(3)] == [10_800] * 3

    @pytest.mark.parametrize("status", ["429 Slow down", "503 Later"])
    def test_retry_after_is_obeyed(self, world: FeedWorld, status: str) -> None:
        added(world)
        world.serve(FEED, http_response(b"", "Retry-After: 20000", status=status))
        world.wait_until_due(FEED)
        world.clock.now += 19_999
        world.poller.run_due()
        assert world.requests("/feed") == 2
        world.clock.now += 1
        world.poller.run_due()
        assert world.requests("/feed") == 3

    @pytest.mark.parametrize("status", ["404 Not Found", "500 Broken", "403 Forbidden", "401 Who"])
    def test_failures_back_off_to_a_day_and_never_stop_a_feed(self, world: FeedWorld, status: str) -> None:
        added(world)
        world.serve(FEED, http_response(b"", status=status))
        world.wait_until_due(FEED)
        waits = [world.wait_until_due(FEED) for _ in range(14)]
        assert waits[:4] == [300, 600, 1_200, 2_400]
        assert max(waits) == waits[-1] == DAY
        health = world.health(FEED)
        assert health.failures == 15
        assert status[:3] in health.last_error
        world.serve(FEED, http_response(rss(("2", "two"))))
        world.wait_until_due(FEED)
        assert world.health(FEED).failures == 0
        assert world.titles() == ["one", "two"]

    def test_a_dead_host_backs_off(self, world: FeedWorld) -> None:
        added(world)
        del world.internet.names["site.example"]
        world.wait_until_due(FEED)
        assert world.wait_until_due(FEED) == 300
        assert "cannot be looked up" in world.health(FEED).last_error

    def test_410_stops_a_feed_and_the_operator_may_start_it_again(self, world: FeedWorld) -> None:
        added(world)
        world.serve(FEED, http_response(b"", status="410 Gone"))
        world.wait_until_due(FEED)
        assert world.health(FEED).gone
        assert world.health(FEED).next_due_at is None
        world.clock.now += 100 * DAY
        assert world.poller.run_due() == 0
        world.serve(FEED, http_response(rss(("2", "two"))))
        world.feeds.fetch_soon(FEED)
        world.poller.run_due()
        assert world.titles() == ["one", "two"]
        assert not world.health(FEED).gone

    def test_a_document_that_is_no_feed_is_a_failure(self, world: FeedWorld) -> None:
        added(world)
        world.serve(FEED, http_response(b"<html><body>We have moved"))
        world.wait_until_due(FEED)
        assert "HTML" in world.health(FEED).last_error
        assert world.health(FEED).failures == 1

    def test_an_error_of_the_broker_is_a_failure_that_backs_off(self, world: FeedWorld) -> None:
        added(world)
        world.serve(FEED, http_response(rss(("2", "two"))))

        def insert(connection: object, new: object) -> None:
            raise ZeroDivisionError("unexpected")

        world.poller._publisher = replace(world.poller._publisher, insert=insert)
        world.wait_until_due(FEED)
        assert world.health(FEED).failures == 1
        assert "unexpected" in world.health(FEED).last_error
        world.poller._publisher = replace(world.poller._publisher, insert=world.insert)
        assert world.wait_until_due(FEED) == 300
        assert world.titles() == ["one", "two"]


class TestRedirects:
    def redirect(self, world: FeedWorld, status: str = "301 Moved") -> None:
        added(world, FEED, ("1", "one"))
        world.serve("http://new.example/new", http_response(rss(("1", "one"))))
        world.serve(FEED, http_response(b"", "Location: http://new.example/new", status=status))

    def test_a_permanent_redirect_is_followed_directly_only_after_a_week(self, world: FeedWorld) -> None:
        self.redirect(world)
        world.wait_until_due(FEED)
        assert world.health(FEED).moved_to == "http://new.example/new"
        before = world.requests("/feed")
        world.clock.now += 6 * DAY
        world.poller.run_due()
        assert world.requests("/feed") == before + 1
        world.clock.now += DAY
        world.poller.run_due()
        assert world.requests("/feed") == before + 1
        assert world.requests("/new") == 3

    def test_a_redirect_that_changes_begins_anew(self, world: FeedWorld) -> None:
        self.redirect(world)
        world.wait_until_due(FEED)
        world.clock.now += 6 * DAY
        world.serve("http://new.example/other", http_response(rss(("1", "one"))))
        world.serve(FEED, http_response(b"", "Location: http://new.example/other", status="301 Moved"))
        world.poller.run_due()
        world.clock.now += 2 * DAY
        before = world.requests("/feed")
        world.poller.run_due()
        assert world.requests("/feed") == before + 1

    def test_if_the_target_fails_or_is_gone_the_feed_is_asked_at_its_own_address(self, world: FeedWorld) -> None:
        self.redirect(world)
        world.wait_until_due(FEED)
        world.clock.now += 8 * DAY
        world.serve(FEED, http_response(rss(("2", "two"))))
        world.serve("http://new.example/new", http_response(b"", status="410 Gone"))
        world.poller.run_due()
        assert not world.health(FEED).gone
        assert world.wait_until_due(FEED) == 300
        assert world.titles() == ["one", "two"]
        assert world.health(FEED).moved_to is None

    def test_a_temporary_redirect_is_followed_each_time(self, world: FeedWorld) -> None:
        self.redirect(world, "302 Found")
        world.wait_until_due(FEED)
        assert world.health(FEED).moved_to is None


class TestHosts:
    def test_a_host_gets_few_requests_at_once(self, world: FeedWorld) -> None:
        may_end, started = threading.Event(), threading.Semaphore(0)

        def answer(connection: socket.socket) -> None:
            started.release()
            assert may_end.wait(4)
            connection.sendall(http_response(rss(("1", "one"))))

        for number in range(6):
            world.serve(f"http://site.example/{number}", http_response(rss(("1", "one"))))
            world.feeds.add(f"http://site.example/{number}")
            world.serve(f"http://site.example/{number}", answer)
        world.clock.now += 1_800
        before = len(world.internet.server.requests)
        assert world.poller.start_due() == 6
        assert started.acquire(timeout=60)
        assert started.acquire(timeout=60)
        assert len(world.internet.server.requests) == before + 2
        may_end.set()
        world.poller.wait()
        for _ in range(5):
            world.clock.now += 60
            world.poller.run_due()
        assert len(world.internet.server.requests) == before + 6
        assert all(each.failures == 0 for each in world.feeds.health())

    def test_a_feed_that_redirects_to_a_busy_host_waits_without_a_failure(self, world: FeedWorld) -> None:
        added(world)
        world.serve(FEED, http_response(b"", "Location: http://hub.example/h", status="302 Found"))
        world.serve("http://hub.example/h", http_response(rss(("2", "two"))))
        world.clock.now += 1_800
        slots = world.poller._connector.host_slots
        slots.max_wait_seconds = 0.0
        with slots.slot("hub.example", "", 1), slots.slot("hub.example", "", 1):
            world.poller.run_due()
        assert world.requests("/h") == 0
        assert world.health(FEED).failures == 0
        assert world.health(FEED).last_error is None
        assert world.wait_until_due(FEED) == 5
        assert world.titles() == ["one", "two"]


class TestSeveralBrokers:
    def test_brokers_share_the_feeds_by_leases(self, store) -> None:
        with feed_world(store) as world:
            other = world.new_poller()
            for number in range(6):
                added(world, f"http://host{number}.example/{number}", (str(number), str(number)))
                new = rss((f"{number}x", f"new {number}"))
                world.serve(f"http://host{number}.example/{number}", http_response(new))
            world.clock.now += 1_800
            claimed = 0
            while step := world.poller.start_due() + other.start_due():
                claimed += step
                world.poller.wait()
                other.wait()
            other.close()
            assert claimed == 6
            assert all(world.requests(f"/{number}") == 2 for number in range(6))
            assert sorted(world.titles()) == sorted([*"012345", *(f"new {number}" for number in range(6))])

    def test_what_a_broker_with_a_lost_lease_has_read_is_not_stored_twice(self, world: FeedWorld) -> None:
        added(world)
        other = world.new_poller()
        new = http_response(rss(("2", "two")))

        def answer(connection: socket.socket) -> None:
            if world.requests("/feed") == 2:  # the first broker stands still for longer than its lease
                world.clock.now += 1_000
                other.run_due()
            connection.sendall(new)

        world.serve(FEED, answer)
        world.clock.now += 1_800
        world.poller.run_due()
        other.close()
        assert world.requests("/feed") == 3
        assert world.titles() == ["one", "two"]
        assert world.health(FEED).failures == 0
        world.wait_until_due(FEED)
        assert world.titles() == ["one", "two"]
