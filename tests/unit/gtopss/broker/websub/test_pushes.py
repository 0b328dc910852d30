from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import Connection
from support.websub import WebSubWorld, websub_world

from gtopss.broker.feeds.polling import Poll, StoredPoll
from gtopss.broker.store import feed_rows
from gtopss.broker.websub.hub_requests import DAY
from gtopss.broker.websub.signatures import METHODS, signature


def test_what_a_hub_pushes_is_published_once_and_matched() -> None:
    with websub_world() as world:
        mine = world.service.broker.subscribe('SELECT ?t { ?i rss:title ?t FILTER words(?t, "two") }')
        url = world.add()
        form = world.site.form(url)
        for _ in range(2):
            assert world.site.push(form, ("2", "two"), ("1", "one")).status_code == 202
        assert world.titles() == ["one", "two"]
        world.service.broker.run_pending()
        assert [each.row.kind for each in world.service.broker.notifications(mine.id, mine.ticket)] == ["match"]
        push = world.health(url).push
        assert push is not None
        assert (push.pushes, push.refused_pushes) == (2, 0)
        world.site.items["feed"] = [("2", "two"), ("1", "one")]
        world.poll()
        assert world.titles() == ["one", "two"]


@pytest.mark.parametrize("method", METHODS)
def test_each_method_of_signatures_is_accepted(method: str) -> None:
    with websub_world() as world:
        form = world.site.form(world.add())
        assert world.site.push(form, ("2", method), method=method).status_code == 202
        assert world.titles() == ["one", method]


@pytest.mark.parametrize("forged", [None, "", "sha256=00", "sha1", "md5=d41d8cd98f00b204e9800998ecf8427e"])
def test_a_push_without_a_valid_signature_is_refused(forged: str | None) -> None:
    with websub_world() as world:
        url = world.add()
        assert world.site.push(world.site.form(url), ("2", "two"), signature=forged).status_code == 403
        assert world.titles() == ["one"]
        push = world.health(url).push
        assert push is not None
        assert (push.pushes, push.refused_pushes) == (0, 1)


def test_the_signature_of_another_body_or_another_secret_is_refused() -> None:
    with websub_world() as world:
        form = world.site.form(world.add())
        for forged in (signature(form["hub.secret"], b"other"), signature("other", b"<rss/>")):
            assert world.site.push(form, signature=forged, body=b"<rss/>").status_code == 403
        assert world.titles() == ["one"]


def test_a_push_about_another_topic_is_refused() -> None:
    with websub_world() as world:
        form = world.site.form(world.add())
        response = world.site.push(form, ("2", "two"), topic="https://other.example/feed")
        assert response.status_code == 403
        assert "topic" in response.json()["detail"]
        assert world.titles() == ["one"]


def test_the_secret_of_one_feed_is_not_valid_for_another() -> None:
    with websub_world() as world:
        one, other = (world.site.form(world.add(name=name)) for name in ("one", "other"))
        mixed = one | {"hub.secret": other["hub.secret"]}
        assert world.site.push(mixed, ("2", "two")).status_code == 403


def test_a_push_that_is_no_feed_is_refused_and_costs_nothing() -> None:
    with websub_world() as world:
        form = world.site.form(world.add())
        for body in (b"not a feed", b"<rss", b"\0" * 1_000):
            assert world.site.push(form, body=body).status_code == 422
        assert world.site.push(form, ("2", "two")).status_code == 202


def test_an_unknown_callback_is_gone() -> None:
    with websub_world() as world:
        form = world.site.form(world.add())
        unknown = form | {"hub.callback": f"{world.url}/websub/guessed"}
        assert world.site.push(unknown, ("2", "two")).status_code == 410
        assert world.site.verify(unknown) == 404


class TestVerification:
    def test_only_what_was_requested_is_agreed_to(self) -> None:
        with websub_world() as world:
            world.site.verifies = False
            form = world.site.form(world.add())
            assert world.site.verify(form, **{"hub.topic": "https://other.example/feed"}) == 404
            assert world.site.verify(form, **{"hub.mode": "unsubscribe"}) == 404
            assert world.site.verify(form, **{"hub.mode": "publish"}) == 404
            for lease in ("1", "0"):
                assert world.site.verify(form, **{"hub.lease_seconds": lease}) == 404
            for lease in ("-5", "nan", "9" * 13, "1e9"):
                assert world.site.verify(form, **{"hub.lease_seconds": lease}) == 422
            assert world.site.push(form, ("2", "two")).status_code == 410
            assert world.site.verify(form) == 200
            assert world.site.push(form, ("2", "two")).status_code == 202

    def test_a_verification_is_not_repeated(self) -> None:
        """Otherwise whoever has seen one could make a lease longer than the hub's."""
        with websub_world() as world:
            url = world.add()
            end = world.health(url).push.lease_end  # type: ignore[union-attr]
            assert world.site.verify(world.site.form(url), **{"hub.lease_seconds": "5000000"}) == 404
            assert world.health(url).push.lease_end == end  # type: ignore[union-attr]

    def test_a_verification_that_comes_too_late_is_refused(self) -> None:
        with websub_world() as world:
            world.site.verifies = False
            form = world.site.form(world.add())
            world.clock.now += 601
            assert world.site.verify(form) == 404

    def test_a_very_long_lease_is_cut(self) -> None:
        with websub_world() as world:
            world.site.lease_seconds = "9" * 12
            url = world.add()
            assert world.health(url).push.lease_end == world.clock.now + 60 * DAY  # type: ignore[union-attr]

    def test_a_challenge_is_text(self) -> None:
        with websub_world() as world:
            world.site.verifies = False
            form = world.site.form(world.add())
            assert world.site.verify(form, **{"hub.challenge": "x" * 2_001}) == 422
            assert world.site.verify(form, **{"hub.challenge": "<script>alert(1)</script>"}) == 200

    def test_a_hub_that_denies_is_asked_again_later(self) -> None:
        with websub_world() as world:
            url = world.add()
            world.poll()
            assert world.site.verify(world.site.form(url), **{"hub.mode": "denied", "hub.reason": "too many"}) == 200
            push = world.health(url).push
            assert push is not None
            assert (push.state, push.lease_end) == ("failing", None)
            assert "too many" in (push.error or "")
            world.poll()
            assert world.health(url).next_due_at == world.clock.now + 1_800
            world.pass_time(DAY + 600)
            assert len(world.site.requests) == 2


class TestPolling:
    def test_a_push_during_a_poll_is_counted(self) -> None:
        with websub_world() as world:
            url = world.add()
            form = world.site.form(url)
            world.site.items["feed"] = [("1", "one"), ("2", "two")]
            world.site.before_feed = lambda: world.site.push(form, ("3", "three"))
            world.poll()
            assert world.titles() == ["one", "three", "two"]
            feed = world.service.broker.store.read(lambda connection: feed_rows.feed_of(connection, url))
            assert feed is not None
            assert feed.items == 2

    def test_a_feed_that_pushes_is_polled_once_a_day(self) -> None:
        with websub_world() as world:
            url = world.add()
            world.poll()  # what was published before the hub began to send
            world.pass_time(3 * DAY)
            assert world.site.fetches("feed") == 2 + 3
            assert world.health(url).push.polls_saved == pytest.approx(3 * 47)  # type: ignore[union-attr]

    def test_pushes_do_not_put_the_daily_poll_off(self) -> None:
        with websub_world() as world:
            form = world.site.form(world.add())
            world.poll()
            for number in range(48):
                world.site.push(form, (f"p{number}", "pushed"))
                world.site.items["feed"].append((f"p{number}", "pushed"))
                world.pass_time(3_600)
            assert world.site.fetches("feed") == 2 + 2

    def test_an_item_found_by_a_poll_demotes_until_the_next_push(self) -> None:
        with websub_world() as world:
            url = world.add()
            world.poll()
            world.site.items["feed"].append(("2", "two"))
            world.pass_time(DAY)
            assert world.titles() == ["one", "two"]
            assert world.health(url).push.state == "demoted"  # type: ignore[union-attr]
            fetches = world.site.fetches("feed")
            world.pass_time(6 * 3_600)
            assert world.site.fetches("feed") - fetches == 12
            assert world.site.push(world.site.form(url), ("3", "three")).status_code == 202
            assert world.health(url).push.state == "pushing"  # type: ignore[union-attr]
            world.site.items["feed"].append(("3", "three"))
            fetches = world.site.fetches("feed")
            world.pass_time(DAY - 600)
            assert world.site.fetches("feed") - fetches <= 1
            assert world.titles() == ["one", "two", "three"]

    def test_what_was_published_before_the_hub_began_to_send_does_not_demote(self) -> None:
        with websub_world() as world:
            world.site.verifies = False
            url = world.add()
            world.site.items["feed"].append(("2", "two"))
            assert world.site.verify(world.site.form(url)) == 200
            world.poll()
            assert world.titles() == ["one", "two"]
            assert world.health(url).push.state == "pushing"  # type: ignore[union-attr]

    def test_a_changed_hub_is_asked_and_the_old_callback_ends(self) -> None:
        with websub_world() as world:
            url = world.add()
            old = world.site.form(url)
            _change_links(world, url, f'<{world.site.url}/hub?new>; rel="hub", <{url}>; rel="self"')
            world.ask()
            new = world.site.form(url)
            assert new["hub.callback"] != old["hub.callback"]
            assert new["hub.secret"] != old["hub.secret"]
            assert world.site.push(old, ("2", "two")).status_code == 410
            assert world.site.push(new, ("2", "two")).status_code == 202


def _change_links(world: WebSubWorld, url: str, link: str) -> None:
    """Let a poll of a feed find these links."""
    pushes = world.service.feeds.pushes
    assert pushes is not None
    response = replace(world.service.feeds.poller.fetch(url), headers=(("link", link),))

    def change(connection: Connection) -> None:
        feed = feed_rows.feed_of(connection, url)
        assert feed is not None
        poll = Poll(feed, response, None, world.clock.now)
        pushes.after_polls(connection, [StoredPoll(poll, new=0, wait=1.0)])

    world.service.store.write(change)
