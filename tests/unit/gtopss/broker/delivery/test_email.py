from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from support.deliveries import Clock, DeliveryWorld
from support.smtp_server import Mailbox, smtp_server

from gtopss.broker.delivery.email import MAX_SUBJECT_CHARACTERS, EmailDelivery, SmtpConfig
from gtopss.broker.delivery.kind import Result
from gtopss.broker.errors import InvalidTarget, TargetNotFound
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.target_rows import SigningSecret, Target, TargetState


@pytest.fixture
def box() -> Iterator[Mailbox]:
    with smtp_server() as made:
        yield made


@pytest.fixture
def world(box: Mailbox) -> Iterator[DeliveryWorld]:
    config = SmtpConfig(host="127.0.0.1", port=box.port, sender="broker@example.org", security="none")
    with memory_store() as store:
        made = DeliveryWorld(store, EmailDelivery(config))
        made.subscribe("s")
        yield made
        made.schedule.close()


def confirmed(world: DeliveryWorld, box: Mailbox) -> str:
    target = world.add_target("s", "reader@example.net")
    world.schedule.run_due()
    code = re.search(r"[0-9a-f]{32}", box.messages()[-1].get_content())[0]
    world.store.write(lambda connection: world.targets.confirm(connection, "s", target, code))
    return target


def test_an_address_gets_a_code_first_and_nothing_else_until_it_is_confirmed(world, box) -> None:
    target = world.add_target("s", "reader@example.net")
    world.notify("s")
    world.schedule.run_due()
    assert world.status("s").state == "unverified"
    assert len(box.raw) == 1
    world.clock.now += 10 * 24 * 3600
    assert world.schedule.run_due() == 0
    for wrong in ("", "0" * 32, "ü"):
        with pytest.raises(TargetNotFound):
            world.store.write(lambda connection, wrong=wrong: world.targets.confirm(connection, "s", target, wrong))
    code = re.search(r"[0-9a-f]{32}", box.messages()[0].get_content())[0]
    world.store.write(lambda connection: world.targets.confirm(connection, "s", target, code))
    world.schedule.run_due()
    assert world.status("s").state == "active"
    assert [each["Subject"] for each in box.messages()] == ["Confirm your address", "match 1"]


def test_one_message_is_sent_per_delivery(world, box) -> None:
    confirmed(world, box)
    world.notify("s", 2)
    world.schedule.run_due()
    first, second = box.messages()[1:]
    assert (first["To"], first["From"]) == ("reader@example.net", "broker@example.org")
    assert (first["Subject"], second["Subject"]) == ("match 1", "match 2")
    assert first["Message-ID"] != second["Message-ID"]
    assert first["Auto-Submitted"] == "auto-generated"
    assert "match 1" in first.get_content()
    assert "<reader@example.net>" in box.envelopes[1][1][0]


def test_a_digest_is_one_message(box) -> None:
    config = SmtpConfig(host="127.0.0.1", port=box.port, sender="broker@example.org", security="none")
    with memory_store() as store:
        world = DeliveryWorld(store, EmailDelivery(config))
        world.subscribe("s", digest=60.0)
        confirmed(world, box)
        world.notify("s", 3)
        world.clock.now += 60
        world.schedule.run_due()
        world.schedule.close()
    (message,) = box.messages()[1:]
    assert message["Subject"] == "3 notifications: match 1"
    assert all(f"match {number}" in message.get_content() for number in (1, 2, 3))


@pytest.mark.parametrize(
    "address",
    [
        "reader@example.net\r\nBcc: all@example.net",
        "reader@example.net, other@example.net",
        "Reader <reader@example.net>",
        "reader@example.net\n",
        "reader",
        "@example.net",
        "reader@localhost",
        "a@b@example.net",
        "réader@example.net",
        "reader@exa mple.net",
        "",
        "a" * 300 + "@example.net",
        "-x@example.net\0",
    ],
)
def test_what_is_no_plain_address_is_refused(world, address: str) -> None:
    with pytest.raises(InvalidTarget):
        world.targets.prepare("email", address)


def target(address: str = "reader@example.net") -> Target:
    return Target("t", "s", "email", address, (SigningSecret("x"),), TargetState.ACTIVE)


def test_texts_of_strangers_cannot_inject_headers_or_end_the_message(world, box) -> None:
    kind = world.kind
    title = "Hello\r\nBcc: all@example.net\r\n\r\nBody\u2028x" + "y" * 500
    outcome = kind._send(target(), "id", title, "text\r\n.\r\nMAIL FROM:<x@y>\r\n\ud800", Clock().now)
    assert outcome.result is Result.DONE
    (message,) = box.messages()
    assert message["Bcc"] is None
    assert message["Subject"].startswith("Hello Bcc: all@example.net Body x")
    assert len(message["Subject"]) == MAX_SUBJECT_CHARACTERS
    assert len(box.raw) == 1
    assert "MAIL FROM" in message.get_content()


@pytest.mark.parametrize(
    ("answer", "result"), [(b"550 no such user", Result.REFUSED), (b"451 greylisted", Result.FAILED)]
)
def test_a_permanent_refusal_is_given_up_and_a_temporary_one_is_tried_again(world, box, answer, result) -> None:
    box.recipient_answer = answer
    outcome = world.kind._send(target(), "id", "Subject", "text", Clock().now)
    assert outcome.result is result
    assert answer.decode() in outcome.reason


def test_a_server_that_cannot_be_reached_or_has_no_tls_is_a_failure(box) -> None:
    for options in ({"port": 1, "security": "none"}, {"port": box.port, "security": "starttls"}):
        config = SmtpConfig(host="127.0.0.1", sender="broker@example.org", timeout_seconds=5, **options)
        outcome = EmailDelivery(config)._send(target(), "id", "Subject", "text", Clock().now)
        assert outcome.result is Result.FAILED
    assert box.raw == []


def test_the_password_is_not_shown() -> None:
    config = SmtpConfig(host="h", sender="a@example.org", username="u", password="hidden")
    assert "hidden" not in repr(config)


def test_the_sender_must_be_an_address() -> None:
    with pytest.raises(InvalidTarget):
        EmailDelivery(SmtpConfig(host="h", sender="broker\r\nBcc: x@example.org"))
