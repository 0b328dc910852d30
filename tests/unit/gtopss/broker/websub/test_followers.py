from __future__ import annotations

import pytest
from support.websub import WebSubWorld, followed, websub_world

from gtopss.broker.errors import InvalidTicket, RefusedFollower
from gtopss.broker.store import follower_rows
from gtopss.broker.websub import followers
from gtopss.broker.websub.followers import MAX_SECRET_BYTES, FollowRequest


def count(world: WebSubWorld) -> int:
    return world.service.store.read(follower_rows.count)


def test_whoever_does_not_know_the_address_cannot_follow() -> None:
    with websub_world() as world:
        feed = followed(world)
        asked = FollowRequest("subscribe", f"{world.site.url}/cb", feed.topic)
        for id, token in ((feed.id, "gr_wrong"), ("0" * 24, feed.token), (feed.id, feed.ticket)):
            with pytest.raises(InvalidTicket):
                world.service.followers.request(id, token, asked)
        assert count(world) == 0


@pytest.mark.parametrize(
    "callback",
    ["", "x", "ftp://a.example/", "http://127.0.0.1:1/", "http://169.254.169.254/", "http://[::1]/", "http://u:p@a.example/",
     "http://a.example/" + "x" * 1_600],
)  # fmt: skip
def test_a_callback_that_may_not_be_reached_is_refused(callback: str) -> None:
    with websub_world() as world:
        feed = followed(world)
        with pytest.raises(RefusedFollower):
            world.service.followers.request(feed.id, feed.token, FollowRequest("subscribe", callback, feed.topic))
        assert count(world) == 0


@pytest.mark.parametrize("asked", [{"mode": "publish"}, {"mode": ""}, {"secret": "x" * (MAX_SECRET_BYTES + 1)}])
def test_a_request_that_cannot_be_done_is_refused(asked: dict[str, str]) -> None:
    with websub_world() as world:
        feed = followed(world)
        request = FollowRequest(
            **{"mode": "subscribe", "callback": f"{world.site.url}/cb", "topic": feed.topic} | asked
        )
        with pytest.raises(RefusedFollower):
            world.service.followers.request(feed.id, feed.token, request)


def test_the_followers_of_a_feed_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followers, "MAX_FOLLOWERS", 3)
    with websub_world() as world:
        feed = followed(world)
        for number in range(3):
            feed.follow(f"callback{number}")
        with pytest.raises(RefusedFollower, match="3 followers"):
            feed.follow("callback3")
        feed.follow("callback2")  # one that follows already may renew
        monkeypatch.setattr(followers, "MAX_FOLLOWERS", 50)
        monkeypatch.setattr(followers, "MAX_ALL_FOLLOWERS", 3)
        with pytest.raises(RefusedFollower, match="3 followers"):
            feed.follow("callback3")
        assert count(world) == 3


def test_the_requests_about_a_feed_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followers, "MAX_REQUESTS", 3)
    with websub_world() as world:
        feed = followed(world)
        for _ in range(3):
            feed.follow("callback")
        with pytest.raises(RefusedFollower, match="within an hour"):
            feed.follow("callback")
        world.clock.now += followers.REQUEST_PERIOD_SECONDS
        feed.follow("callback")


def test_a_lease_is_granted_within_bounds() -> None:
    with websub_world() as world:
        feed = followed(world)
        for asked, granted in ((None, 864_000), (1.0, 300), (4_000.0, 4_000), (1e12, 2_592_000)):
            feed.follow("callback", lease_seconds=asked)
            world.service.distribution.run_due()
            assert world.site.callbacks["callback"].questions[-1]["hub.lease_seconds"] == str(granted)
