from __future__ import annotations

import xml.etree.ElementTree as ET

import httpx
import pytest
from support.hostile_internet import Trap
from support.postgresql_server import PostgresqlServer
from support.websub import Callback, Followed, WebSubWorld, followed, websub_world

from gtopss.broker.store import follower_rows
from gtopss.broker.websub.distribution import MAX_ANSWER_BYTES, MAX_SENT_NOTIFICATIONS
from gtopss.broker.websub.signatures import is_signed

ATOM = "{http://www.w3.org/2005/Atom}"


def following(world: WebSubWorld, **options: str) -> tuple[Followed, Callback]:
    """A feed with one follower, which has agreed."""
    feed = followed(world)
    callback = feed.follow("callback", **options)
    world.service.distribution.run_due()
    return feed, callback


def count(world: WebSubWorld) -> int:
    return world.service.store.read(follower_rows.count)


def titles(document: bytes) -> list[str]:
    return [entry.findtext(f"{ATOM}title") or "" for entry in ET.fromstring(document).iter(f"{ATOM}entry")]


def test_a_follower_agrees_and_gets_what_is_new_signed() -> None:
    with websub_world() as world:
        feed, callback = following(world, secret="mine")
        (question,) = callback.questions
        assert (question["hub.mode"], question["hub.topic"]) == ("subscribe", feed.topic)
        assert len(question["hub.challenge"]) >= 32
        assert callback.documents == []
        feed.publish("A vaccine is tested")
        world.service.distribution.run_due()
        ((headers, body),) = callback.documents
        assert titles(body) == ["A vaccine is tested"]
        assert headers["content-type"] == "application/atom+xml"
        assert headers["link"] == f'<{world.url}/hub>; rel="hub", <{feed.topic}>; rel="self"'
        assert is_signed("mine", body, headers["x-hub-signature"])
        world.service.distribution.run_due()
        assert len(callback.documents) == 1


def test_what_was_there_before_is_not_sent() -> None:
    with websub_world() as world:
        feed = followed(world)
        feed.publish("An old vaccine")
        callback = feed.follow("callback")
        world.service.distribution.run_due()
        feed.publish("A new vaccine")
        world.service.distribution.run_due()
        assert [titles(body) for _, body in callback.documents] == [["A new vaccine"]]


def test_without_a_secret_nothing_is_signed() -> None:
    with websub_world() as world:
        feed, callback = following(world)
        feed.publish("A vaccine")
        world.service.distribution.run_due()
        assert "x-hub-signature" not in callback.documents[0][0]


@pytest.mark.parametrize(
    "answers",
    [{"agrees": False}, {"verification_status": 404}, {"verification_status": 302, "redirects_to": "/other"}],
    ids=str,
)
def test_a_callback_that_does_not_agree_gets_nothing(answers: dict[str, object]) -> None:
    with websub_world() as world:
        feed = followed(world)
        callback = feed.follow("callback")
        world.site.callbacks["other"] = Callback()
        for name, value in answers.items():
            setattr(callback, name, value)
        for _ in range(4):
            world.service.distribution.run_due()
            world.clock.now += 3_600
        feed.publish("A vaccine")
        world.service.distribution.run_due()
        assert callback.documents == []
        assert world.site.callbacks["other"].questions == []
        assert count(world) == 0


def test_a_callback_that_cannot_answer_is_asked_again_a_few_times() -> None:
    with websub_world() as world:
        feed = followed(world)
        callback = feed.follow("callback")
        callback.verification_status = 503
        for _ in range(10):
            world.service.distribution.run_due()
            world.clock.now += 3_600
        assert len(callback.questions) == 3
        assert count(world) == 0


def test_an_endless_answer_is_no_agreement() -> None:
    with websub_world() as world:
        feed = followed(world)
        feed.follow("callback").padding = "x" * MAX_ANSWER_BYTES
        for _ in range(4):
            world.service.distribution.run_due()
            world.clock.now += 3_600
        assert count(world) == 0


def test_a_document_that_is_not_taken_is_sent_again_with_what_is_new() -> None:
    with websub_world() as world:
        feed, callback = following(world)
        callback.status = 500
        feed.publish("A first vaccine")
        world.service.distribution.run_due()
        world.service.distribution.run_due()
        assert len(callback.documents) == 1
        feed.publish("A second vaccine")
        callback.status = 202
        world.clock.now += 10
        world.service.distribution.run_due()
        assert [titles(body) for _, body in callback.documents] == [
            ["A first vaccine"],
            ["A second vaccine", "A first vaccine"],
        ]


def test_many_notifications_are_sent_in_several_documents_in_order() -> None:
    with websub_world() as world:
        feed, callback = following(world)
        feed.publish(*(f"Vaccine {number}" for number in range(MAX_SENT_NOTIFICATIONS + 20)))
        world.service.distribution.run_due()
        sent = [title for _, body in callback.documents for title in reversed(titles(body))]
        assert sent == [f"Vaccine {number}" for number in range(MAX_SENT_NOTIFICATIONS + 20)]
        assert len(callback.documents) == 2


def test_a_callback_that_is_gone_and_one_whose_lease_ends_are_removed() -> None:
    with websub_world() as world:
        feed, callback = following(world)
        other = feed.follow("other")
        world.service.distribution.run_due()
        callback.status = 410
        feed.publish("A vaccine")
        world.service.distribution.run_due()
        assert count(world) == 1
        world.service.broker.renew(feed.id, feed.ticket, validity=100 * 86_400.0)
        world.clock.now += 11 * 86_400
        world.service.distribution.run_due()
        assert count(world) == 0
        feed.publish("Another vaccine")
        world.service.distribution.run_due()
        assert len(other.documents) == 1


def test_a_renewal_keeps_what_was_sent_and_replaces_the_secret() -> None:
    with websub_world() as world:
        feed, callback = following(world, secret="old")
        feed.publish("A first vaccine")
        world.service.distribution.run_due()
        feed.follow("callback", secret="new")
        callback.agrees = False
        world.service.distribution.run_due()  # a renewal that was not agreed to changes nothing
        feed.publish("A second vaccine")
        world.service.distribution.run_due()
        assert is_signed("old", callback.documents[1][1], callback.documents[1][0]["x-hub-signature"])
        callback.agrees = True
        feed.follow("callback", secret="new")
        world.service.distribution.run_due()
        feed.publish("A third vaccine")
        world.service.distribution.run_due()
        assert [titles(body) for _, body in callback.documents] == [
            ["A first vaccine"],
            ["A second vaccine"],
            ["A third vaccine"],
        ]
        assert is_signed("new", callback.documents[2][1], callback.documents[2][0]["x-hub-signature"])


def test_a_follower_that_agrees_to_end_is_removed() -> None:
    with websub_world() as world:
        feed, callback = following(world)
        callback.agrees = False
        feed.follow("callback", mode="unsubscribe")
        world.service.distribution.run_due()
        assert count(world) == 1  # somebody else asked for it
        callback.agrees = True
        feed.follow("callback", mode="unsubscribe")
        world.service.distribution.run_due()
        assert count(world) == 0


@pytest.mark.parametrize("end", ["revoked", "replaced", "deleted"])
def test_a_follower_is_told_when_the_address_ends(end: str) -> None:
    with websub_world() as world:
        feed, callback = following(world)
        if end == "revoked":
            world.service.broker.revoke_reader(feed.id, feed.ticket)
        elif end == "replaced":
            world.service.broker.new_reader(feed.id, feed.ticket)
        else:
            world.service.broker.unsubscribe(feed.id, feed.ticket)
        world.service.distribution.run_due()
        assert callback.questions[-1]["hub.mode"] == "denied"
        assert callback.questions[-1]["hub.topic"] == feed.topic
        assert count(world) == 0
        assert callback.documents == []


def test_a_name_that_leads_inward_is_neither_asked_nor_sent_to() -> None:
    trap = Trap()
    with websub_world() as world:
        feed = followed(world)
        feed.follow("callback", callback=f"http://localhost:{trap.port}/")
        for _ in range(5):
            world.service.distribution.run_due()
            world.clock.now += 3_600
        assert not trap.touched
        assert count(world) == 0
    trap.close()


def test_a_redirect_of_a_document_is_not_followed() -> None:
    with websub_world() as world:
        feed, callback = following(world)
        world.site.callbacks["other"] = Callback()
        callback.status, callback.redirects_to = 307, "/other"
        feed.publish("A vaccine")
        world.service.distribution.run_due()
        assert len(callback.documents) == 1
        assert world.site.callbacks["other"].documents == []


def test_one_service_follows_the_feed_of_another() -> None:
    """The hub and the subscriber of this project understand each other."""
    anywhere = ("127.0.0.1",)
    with websub_world(allow=lambda site: anywhere) as sender, websub_world(allow=lambda site: anywhere) as receiver:
        feed = followed(sender)
        feed.publish("A first vaccine")
        receiver.service.feeds.list.add(feed.topic)
        receiver.ask()
        sender.service.distribution.run_due()
        assert receiver.health(feed.topic).push.state == "pushing"  # type: ignore[union-attr]
        feed.publish("A second vaccine")
        sender.service.distribution.run_due()
        assert receiver.titles() == ["A first vaccine", "A second vaccine"]


def test_the_feed_names_hub_and_topic() -> None:
    with websub_world() as world:
        feed = followed(world)
        feed.publish("A vaccine")
        response = httpx.get(feed.topic)
        assert response.headers["link"] == f'<{world.url}/hub>; rel="hub", <{feed.topic}>; rel="self"'
        links = {link.get("rel"): link.get("href") for link in ET.fromstring(response.content).findall(f"{ATOM}link")}
        assert links == {"self": feed.topic, "hub": f"{world.url}/hub"}
        ticket = {"Authorization": f"Bearer {feed.ticket}"}
        private = httpx.get(f"{world.url}/subscriptions/{feed.id}/feed.atom", headers=ticket)
        assert "link" not in private.headers  # nobody else could fetch it


def test_hubs_and_followers_work_on_postgresql(postgresql: PostgresqlServer) -> None:
    with websub_world(store=postgresql.new_store_url()) as world:
        feed, callback = following(world, secret="mine")
        feed.publish("A vaccine is tested")
        world.service.distribution.run_due()
        assert [titles(body) for _, body in callback.documents] == [["A vaccine is tested"]]
        url = world.add()
        assert world.site.push(world.site.form(url), ("2", "two")).status_code == 202
        world.poll()
        assert world.health(url).push.state == "pushing"  # type: ignore[union-attr]
        world.service.feeds.list.remove(url)
        world.service.broker.unsubscribe(feed.id, feed.ticket)
        world.ask()
        world.service.distribution.run_due()
        assert callback.questions[-1]["hub.mode"] == "denied"
        assert count(world) == 0
