from __future__ import annotations

import logging

import pytest
from support.hostile_internet import Trap
from support.websub import Callback, websub_world

from gtopss.broker.websub.hub_requests import DAY, renewal_time


def test_the_hub_of_a_feed_is_asked_once() -> None:
    with websub_world() as world:
        url = world.add()
        (form,) = world.site.requests
        assert form["hub.mode"] == "subscribe"
        assert form["hub.topic"] == url
        assert form["hub.callback"].startswith(f"{world.url}/websub/")
        assert len(form["hub.secret"]) >= 32
        assert world.site.answers == [(200, "repeated")]
        world.ask()
        assert len(world.site.requests) == 1
        push = world.health(url).push
        assert push is not None
        assert (push.state, push.error) == ("pushing", None)


def test_without_an_address_of_its_own_a_service_asks_no_hub() -> None:
    with websub_world(public_url=None) as world:
        url = world.site.feed("feed")
        world.service.feeds.list.add(url)
        assert world.service.feeds.hub_requests is None
        assert world.health(url).push is None


@pytest.mark.parametrize(("lease", "before"), [("864000", DAY), ("3600", 360.0)])
def test_a_lease_is_renewed_before_it_ends(lease: str, before: float) -> None:
    with websub_world() as world:
        world.site.lease_seconds = lease
        url = world.add()
        start = world.clock.now
        world.clock.now = start + float(lease) - before - 1
        world.ask()
        assert len(world.site.requests) == 1
        world.clock.now += 1
        world.ask()
        assert [form["hub.callback"] for form in world.site.requests] == [world.site.requests[0]["hub.callback"]] * 2
        push = world.health(url).push
        assert push is not None
        assert push.lease_end == world.clock.now + float(lease)
        assert renewal_time(start, float(lease)) == start + float(lease) - before


def test_a_hub_that_fails_is_asked_less_and_less_often_and_the_feed_is_polled() -> None:
    with websub_world() as world:
        world.site.hub_status = 503
        url = world.add()
        world.pass_time(2 * DAY)
        assert 5 <= len(world.site.requests) <= 12
        push = world.health(url).push
        assert push is not None
        assert push.state == "failing"
        assert "503" in (push.error or "")
        assert world.site.fetches("feed") >= 90


def test_a_lease_that_cannot_be_renewed_ends_and_the_feed_is_polled_again() -> None:
    with websub_world() as world:
        world.site.lease_seconds = str(2 * 86_400)
        url = world.add()
        world.poll()
        world.site.hub_status = 500
        world.pass_time(2 * DAY)
        fetches = world.site.fetches("feed")
        world.pass_time(DAY)
        assert world.site.fetches("feed") - fetches >= 40
        push = world.health(url).push
        assert push is not None
        assert push.lease_end is None
        world.site.hub_status = 202
        world.pass_time(2 * DAY)
        assert world.health(url).push.state == "pushing"  # type: ignore[union-attr]


def test_an_unreachable_callback_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "gtopss.broker.websub"), websub_world() as world:
        world.site.verifies = False
        urls = [world.add(name=f"feed{number}") for number in range(3)]
        world.pass_time(3 * DAY)
        assert len([form for form in world.site.requests if form["hub.topic"] == urls[0]]) >= 5
        (reported,) = [record for record in caplog.records if record.levelno >= logging.WARNING]
        assert f"cannot reach {world.url}/websub" in reported.getMessage()
        for url in urls:
            push = world.health(url).push
            assert push is not None
            assert "cannot reach" in (push.error or "")


def test_redirects_of_a_hub_are_followed_with_the_same_request() -> None:
    with websub_world() as world:
        world.site.hub_status, world.site.hub_location = 307, "/callback"
        world.site.callbacks["callback"] = Callback()
        world.add()
        ((headers, body),) = world.site.callbacks["callback"].documents
        assert b"hub.mode=subscribe" in body
        assert headers["content-type"] == "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    "location", ["/hub", "http://127.0.0.1:{port}/", "http://169.254.169.254/", "file:///etc/passwd"]
)
def test_redirects_of_a_hub_lead_neither_inward_nor_in_a_loop(location: str) -> None:
    trap = Trap()
    with websub_world() as world:
        world.site.hub_status, world.site.hub_location = 307, location.format(port=trap.port)
        url = world.add()
        assert len(world.site.requests) <= 4
        assert not trap.touched
        assert world.health(url).push.state == "failing"  # type: ignore[union-attr]
    trap.close()


def test_a_hub_at_a_private_address_is_not_asked() -> None:
    trap = Trap()
    with websub_world() as world:
        world.site.links = False
        url = world.site.feed("feed", ("1", "one"))
        world.site.head = f"<link rel='hub' href='http://127.0.0.1:{trap.port}/hub'/>"
        world.service.feeds.list.add(url)
        world.ask()
        push = world.health(url).push
        assert push is not None
        assert (push.hub, push.state) == (f"http://127.0.0.1:{trap.port}/hub", "failing")
        assert not trap.touched
    trap.close()


def test_the_hub_of_a_removed_feed_is_told() -> None:
    with websub_world() as world:
        url = world.add()
        world.service.feeds.list.remove(url)
        world.ask()
        assert [form["hub.mode"] for form in world.site.requests] == ["subscribe", "unsubscribe"]
        assert world.site.answers == [(200, "repeated"), (200, "repeated")]
        assert world.site.push(world.site.requests[0], ("2", "two")).status_code == 410
        assert world.add() == url
        assert world.health(url).push.state == "pushing"  # type: ignore[union-attr]


def test_a_feed_that_names_its_hub_no_longer_is_polled_again() -> None:
    with websub_world() as world:
        url = world.add()
        world.site.links = False
        world.poll()
        assert world.health(url).next_due_at == world.clock.now + 1_800
        world.ask()
        assert world.site.requests[-1]["hub.mode"] == "unsubscribe"
        assert world.health(url).push is None
