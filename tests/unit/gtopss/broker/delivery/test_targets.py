from __future__ import annotations

import pytest
from support.deliveries import DeliveryWorld

from gtopss.broker.delivery.targets import MAX_TARGETS, MAX_VERIFICATIONS, VERIFICATION_PERIOD_SECONDS
from gtopss.broker.errors import InvalidTarget, TargetNotFound
from gtopss.broker.store import target_rows


def test_a_subscription_has_a_limited_number_of_targets(world: DeliveryWorld) -> None:
    world.subscribe("s")
    for _ in range(MAX_TARGETS):
        world.add_target("s")
    with pytest.raises(InvalidTarget, match="remove one"):
        world.add_target("s")
    world.subscribe("other")
    world.add_target("other")


def test_a_kind_that_the_broker_does_not_have_is_refused(world: DeliveryWorld) -> None:
    with pytest.raises(InvalidTarget, match="choose from webhook"):
        world.targets.prepare("pigeon", "roof")


def test_a_status_shows_no_secret(world: DeliveryWorld) -> None:
    world.subscribe("s")
    world.add_target("s")
    assert "whsec" not in repr(world.status("s"))


def test_targets_of_another_subscription_are_not_found(world: DeliveryWorld) -> None:
    world.subscribe("s")
    world.subscribe("other")
    target = world.add_target("s")
    for call in (
        lambda connection: world.targets.remove(connection, "other", target),
        lambda connection: world.targets.rotate_secret(connection, "other", target),
        lambda connection: world.targets.enable(connection, "other", target),
        lambda connection: world.targets.replay(connection, "other", target),
        lambda connection: world.targets.confirm(connection, "other", target, ""),
        lambda connection: world.targets.confirm(connection, "s", target, ""),
        lambda connection: world.targets.replay(connection, "s", target),
    ):
        with pytest.raises(TargetNotFound):
            world.store.write(call)


def test_a_removed_target_gets_nothing_more(world: DeliveryWorld) -> None:
    target = world.subscribe_with_target("s")
    world.store.write(lambda connection: world.targets.remove(connection, "s", target))
    world.notify("s")
    assert world.schedule.run_due() == 0
    assert world.kind.delivered == []


def test_two_rotations_leave_two_secrets(world: DeliveryWorld) -> None:
    target = world.subscribe_with_target("s")
    secrets = iter(["whsec_Yg==", "whsec_Yw=="])
    world.kind.new_secret = lambda: next(secrets)
    for _ in range(2):
        world.store.write(lambda connection: world.targets.rotate_secret(connection, "s", target))
    (found,) = world.store.read(lambda connection: target_rows.targets_of(connection, "s"))
    assert found.signing_secrets(world.clock.now) == ["whsec_Yw==", "whsec_Yg=="]
    assert found.signing_secrets(world.clock.now + 24 * 3600) == ["whsec_Yw=="]


def test_verifications_are_limited_by_subscription_and_day(world: DeliveryWorld) -> None:
    world.subscribe("s")
    for _ in range(MAX_VERIFICATIONS - 1):
        target = world.add_target("s")
        world.store.write(lambda connection, target=target: world.targets.remove(connection, "s", target))
    target = world.add_target("s")
    with pytest.raises(InvalidTarget, match="20 verifications within a day: try again in 24 hours"):
        world.add_target("s")
    with pytest.raises(InvalidTarget, match="verifications"):
        world.store.write(lambda connection: world.targets.enable(connection, "s", target))
    world.subscribe("other")
    world.add_target("other")
    world.clock.now += VERIFICATION_PERIOD_SECONDS
    world.store.write(lambda connection: world.targets.enable(connection, "s", target))
