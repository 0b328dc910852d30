from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from standardwebhooks import Webhook, WebhookVerificationError
from support.deliveries import DeliveryWorld, Receiver
from support.hostile_internet import Internet, Server

from gtopss.broker.delivery.kind import Outcome
from gtopss.broker.delivery.message import Message
from gtopss.broker.delivery.retries import DeliveryRetries
from gtopss.broker.delivery.targets import SECRET_OVERLAP_SECONDS, NewTarget
from gtopss.broker.delivery.webhook import WebhookDelivery
from gtopss.broker.errors import InvalidTarget
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.target_rows import Target
from gtopss.net import Connector, FetchLimits


class WebhookWorld(DeliveryWorld):
    def add_webhook(self, subscription: str, url: str) -> NewTarget:
        new = self.targets.prepare("webhook", url)
        self.store.write(lambda connection: self.targets.add(connection, subscription, new))
        self.schedule.run_due()
        return new


@pytest.fixture
def world(receiver: Receiver) -> Iterator[WebhookWorld]:
    limits = FetchLimits(total_seconds=5)
    with memory_store() as store:
        kind = WebhookDelivery(Connector(allow={receiver.host}, limits=limits))
        made = WebhookWorld(store, kind, retries=DeliveryRetries(jitter=0.0))
        made.clock.now = time.time()  # the library compares the time of a message with its own clock
        made.subscribe("s")
        yield made
        made.schedule.close()


def test_a_target_is_active_when_the_receiver_repeats_the_challenge(world: WebhookWorld, receiver: Receiver) -> None:
    new = world.add_webhook("s", receiver.url)
    assert world.status("s").state == "active"
    headers, body = receiver.requests[0]
    message = Webhook(new.secret).verify(body, headers)
    assert message["type"] == "verification"
    assert message["data"]["subscription"] == "s"


@pytest.mark.parametrize(
    "answer",
    [
        lambda challenge: challenge.encode() + b"\n",
        lambda challenge: json.dumps({"challenge": challenge}).encode(),
    ],
)
def test_the_challenge_may_be_text_or_json(world: WebhookWorld, receiver: Receiver, answer: Any) -> None:
    receiver.respond = lambda body: (202, {}, answer(body["data"]["challenge"]))
    world.add_webhook("s", receiver.url)
    assert world.status("s").state == "active"


@pytest.mark.parametrize(
    "answer", [b"", b"ok", b'{"challenge": 1}', b'{"challenge": "guess"}', b"[" * 100_000, b"{", b"\xff", b"{}"]
)
def test_a_receiver_that_does_not_repeat_the_challenge_stays_unverified(
    world: WebhookWorld, receiver: Receiver, answer: bytes
) -> None:
    receiver.respond = lambda body: (200, {}, answer)
    world.add_webhook("s", receiver.url)
    assert world.status("s").state == "unverified"
    assert "challenge" in world.status("s").reason
    world.notify("s")
    world.schedule.run_due()
    assert receiver.messages() == []


def test_an_unreachable_callback_does_not_fail_the_registration(world: WebhookWorld) -> None:
    world.add_webhook("s", "http://no-such-host.invalid/")
    assert world.status("s").state == "unverified"
    assert world.status("s").next_attempt_at == world.clock.now + 5


def test_messages_are_signed_and_have_the_id_of_the_notification(world: WebhookWorld, receiver: Receiver) -> None:
    new = world.add_webhook("s", receiver.url)
    world.notify("s")
    world.schedule.run_due()
    headers, body = receiver.requests[-1]
    message = Webhook(new.secret).verify(body, headers)
    assert headers["webhook-id"] == "s-1"
    assert headers["content-type"] == "application/json"
    assert message["type"] == "match"
    assert message["data"] == {"id": "s-1", "sequence": 1, "kind": "match"}
    with pytest.raises(WebhookVerificationError):
        Webhook(new.secret).verify(body.replace(b"match", b"catch"), headers)
    with pytest.raises(WebhookVerificationError):
        Webhook("whsec_b3RoZXI=").verify(body, headers)


def test_for_a_day_after_a_rotation_both_secrets_sign(world: WebhookWorld, receiver: Receiver) -> None:
    new = world.add_webhook("s", receiver.url)
    fresh = world.store.write(lambda connection: world.targets.rotate_secret(connection, "s", new.id))
    world.notify("s")
    world.schedule.run_due()
    headers, body = receiver.requests[-1]
    assert len(headers["webhook-signature"].split(" ")) == 2
    Webhook(new.secret).verify(body, headers)
    Webhook(fresh).verify(body, headers)
    world.clock.now += SECRET_OVERLAP_SECONDS
    world.notify("s")
    world.schedule.run_due()
    assert len(receiver.requests[-1][0]["webhook-signature"].split(" ")) == 1


def test_a_secret_that_is_rotated_between_two_messages_signs_the_second(
    world: WebhookWorld, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = world.add_webhook("s", receiver.url)
    fresh = list[str]()
    deliver = WebhookDelivery.deliver

    def rotated(kind: WebhookDelivery, target: Target, message: Message, now: float) -> Outcome:
        outcome = deliver(kind, target, message, now)
        if not fresh:
            fresh.append(world.store.write(lambda connection: world.targets.rotate_secret(connection, "s", new.id)))
        return outcome

    monkeypatch.setattr(WebhookDelivery, "deliver", rotated)
    world.notify("s", 2)
    world.schedule.run_due()
    headers, body = receiver.requests[-1]
    Webhook(new.secret).verify(body, headers)
    Webhook(fresh[0]).verify(body, headers)


def test_a_failed_message_is_repeated_under_the_same_id_and_with_the_same_body(
    world: WebhookWorld, receiver: Receiver
) -> None:
    world.add_webhook("s", receiver.url)
    receiver.respond = lambda body: (500, {}, b"")
    world.notify("s")
    world.schedule.run_due()
    receiver.respond = None
    world.clock.now += 5
    world.schedule.run_due()
    first, second = receiver.requests[-2:]
    assert first[0]["webhook-id"] == second[0]["webhook-id"] == "s-1"
    assert first[1] == second[1]
    assert world.status("s").delivered_sequence == 1


@pytest.mark.parametrize("status", [200, 201, 202, 204, 250])
def test_any_2xx_is_a_success(world: WebhookWorld, receiver: Receiver, status: int) -> None:
    world.add_webhook("s", receiver.url)
    receiver.respond = lambda body: (status, {}, b"")
    world.notify("s")
    world.schedule.run_due()
    assert world.status("s").delivered_sequence == 1


def test_410_disables_the_target(world: WebhookWorld, receiver: Receiver) -> None:
    world.add_webhook("s", receiver.url)
    receiver.respond = lambda body: (410, {}, b"")
    world.notify("s")
    world.schedule.run_due()
    assert world.status("s").state == "disabled"
    assert world.kinds("s") == ["match", "disabled"]


def test_429_with_retry_after_waits(world: WebhookWorld, receiver: Receiver) -> None:
    world.add_webhook("s", receiver.url)
    receiver.respond = lambda body: (429, {"Retry-After": "1000"}, b"")
    world.notify("s")
    world.schedule.run_due()
    assert world.status("s").next_attempt_at == world.clock.now + 1000


def test_redirects_are_not_followed(world: WebhookWorld, receiver: Receiver) -> None:
    world.add_webhook("s", receiver.url)
    receiver.respond = lambda body: (307, {"Location": receiver.url + "/other"}, b"")
    world.notify("s")
    world.schedule.run_due()
    assert len(receiver.messages()) == 1
    assert world.status("s").reason == "the server answered 307"


def test_a_receiver_that_does_not_answer_is_a_failure_after_the_deadline(receiver: Receiver) -> None:
    may_end = threading.Event()
    with memory_store() as store:
        connector = Connector(allow={receiver.host}, limits=FetchLimits(total_seconds=0.3))
        world = WebhookWorld(store, WebhookDelivery(connector))
        world.subscribe("s")
        receiver.respond = lambda body: (may_end.wait(60) and 200, {}, b"")
        world.add_webhook("s", receiver.url)
        may_end.set()
        world.schedule.close()
        assert world.status("s").state == "unverified"
        assert "not done after" in world.status("s").reason


@pytest.mark.parametrize(
    "url",
    ["http://10.0.0.1/", "http://127.0.0.1:9/", "http://169.254.169.254/latest", "http://[::1]/", "http://2130706433/"],
)
def test_private_addresses_are_refused(world: WebhookWorld, url: str) -> None:
    with pytest.raises(InvalidTarget, match="does not permit"):
        world.targets.prepare("webhook", url)


@pytest.mark.parametrize(
    "url", ["ftp://a.example/", "receiver.example", "http://", "http://u:p@a.example/", "file:///x"]
)
def test_what_is_no_url_is_refused(world: WebhookWorld, url: str) -> None:
    with pytest.raises(InvalidTarget):
        world.targets.prepare("webhook", url)


def test_a_name_that_resolves_to_a_private_address_gets_no_message(receiver: Receiver) -> None:
    with memory_store() as store:
        connector = Connector(resolve=lambda host, port: ["127.0.0.1"])
        world = WebhookWorld(store, WebhookDelivery(connector))
        world.subscribe("s")
        world.add_webhook("s", f"http://inward.example:{receiver.host.partition(':')[2]}/")
        world.schedule.close()
        assert receiver.requests == []
        assert world.status("s").reason.startswith("the operator does not permit this address: it needs")


def hostile_answers(server: Server) -> dict[str, Any]:
    endless = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"
    return {
        "/garbage": b"\x00\x01\x02 garbage\r\n\r\n",
        "/empty": b"",
        "/endless-headers": server.drip(b"X-Header: " + b"x" * 1000 + b"\r\n", first=b"HTTP/1.1 200 OK\r\n", every=0),
        "/endless-body": server.drip(b"x" * 65536, first=endless, every=0),
        "/interim": server.drip(b"HTTP/1.1 100 Continue\r\n\r\n", every=0),
        "/incomplete": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
    }


def test_hostile_receivers_stay_unverified_and_delay_nobody(receiver: Receiver) -> None:
    """Each is the only one on its host, and the receiver that behaves gets its message in the same step."""
    server = Server()
    server.routes = hostile_answers(server)
    internet = Internet(server)
    good = urlsplit(receiver.url)

    def dial(address: object, port: int, timeout: float) -> socket.socket:
        return socket.create_connection(("127.0.0.1", good.port if port == good.port else server.port), timeout)

    for name in (*server.routes, "/good"):
        internet.name(f"{name[1:]}.example")
    limits = FetchLimits(total_seconds=2, wire_bytes=2**20, decoded_bytes=2**20)
    connector = Connector(resolve=internet.resolve, dial=dial, limits=limits)
    with memory_store() as store:
        world = WebhookWorld(store, WebhookDelivery(connector))
        for name in server.routes:
            world.subscribe(name)
            world.add_target(name, f"http://{name[1:]}.example{name}")
        world.subscribe("good")
        world.add_target("good", f"http://good.example:{good.port}/")
        world.notify("good")
        world.schedule.run_due()
        world.schedule.close()
        assert {name: world.status(name).state for name in server.routes} == dict.fromkeys(server.routes, "unverified")
        assert len(receiver.messages()) == 1
    server.stop()
