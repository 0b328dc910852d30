from __future__ import annotations

import threading

import pytest
from sqlalchemy import Connection, text
from support.deliveries import DeliveryWorld, RecordingKind

from gtopss.broker.delivery.attempts import MAX_JOINED_BYTES, MAX_JOINED_NOTIFICATIONS, Work
from gtopss.broker.delivery.kind import DONE, Outcome, Result
from gtopss.broker.delivery.message import Message
from gtopss.broker.delivery.schedule import DeliverySchedule
from gtopss.broker.errors import StoreUnavailable
from gtopss.broker.store import publication_rows, target_rows
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.publication_rows import NewPublication
from gtopss.broker.store.target_rows import Target

FAILED = Outcome(Result.FAILED, "no answer")
DAY = 24 * 3600.0


def always(outcome: Outcome):
    return lambda target, message: outcome if message is not None else DONE


def test_notifications_are_delivered_one_by_one_in_order(world: DeliveryWorld) -> None:
    world.subscribe_with_target("s")
    world.notify("s", 3)
    world.schedule.run_due()
    world.notify("s")
    world.schedule.run_due()
    assert world.kind.numbers("s") == [(1,), (2,), (3,), (4,)]
    assert world.kind.ids == ["s-1", "s-2", "s-3", "s-4"]
    assert world.schedule.run_due() == 0
    assert world.status("s").delivered_sequence == 4
    assert world.status("s").next_attempt_at is None


def test_notifications_of_before_a_target_was_added_are_not_delivered_to_it(world: DeliveryWorld) -> None:
    world.subscribe("s")
    world.notify("s", 2)
    world.add_target("s")
    world.notify("s")
    world.schedule.run_due()
    assert world.kind.numbers("s") == [(3,)]


def test_what_arrives_before_a_target_is_verified_is_delivered_afterwards(world: DeliveryWorld) -> None:
    world.subscribe("s")
    world.add_target("s")
    world.kind.answer = lambda target, message: FAILED
    world.schedule.run_due()
    world.notify("s", 2)
    assert world.status("s").state == "unverified"
    assert world.schedule.run_due() == 0
    world.kind.answer = lambda target, message: DONE
    world.clock.now += 10
    world.schedule.run_due()
    assert world.kind.numbers("s") == [(1,), (2,)]


def test_verification_is_tried_for_a_bounded_time(world: DeliveryWorld) -> None:
    world.subscribe("s")
    world.add_target("s")
    world.kind.answer = lambda target, message: FAILED
    for _ in range(10):
        world.schedule.run_due()
        world.clock.now += DAY
    assert len(world.kind.verified) == 6
    assert world.status("s").state == "disabled"
    assert "no answer" in world.status("s").reason
    assert world.kinds("s") == ["disabled"]


def test_a_failing_delivery_holds_back_its_own_target_and_no_other(world: DeliveryWorld) -> None:
    for id in ("bad", "good"):
        world.subscribe_with_target(id, f"http://{id}.example/")
    world.kind.answer = lambda target, message: FAILED if target.subscription == "bad" else DONE
    for id in ("bad", "good"):
        world.notify(id, 3)
    world.schedule.run_due()
    world.clock.now += 10
    world.schedule.run_due()
    assert world.kind.numbers("good") == [(1,), (2,), (3,)]
    assert world.kind.numbers("bad") == [(1,), (1,)]
    world.kind.answer = always(DONE)
    world.clock.now += DAY
    world.schedule.run_due()
    assert world.kind.numbers("bad") == [(1,), (1,), (1,), (2,), (3,)]


def test_a_slow_receiver_delays_no_other(world: DeliveryWorld) -> None:
    for id in ("slow", "quick"):
        world.subscribe_with_target(id, f"http://{id}.example/")
    quick_done, slow_may_end = threading.Event(), threading.Event()

    def answer(target: Target, message: Message | None) -> Outcome:
        if target.subscription == "slow":
            assert slow_may_end.wait(60)
        else:
            quick_done.set()
        return DONE

    world.kind.answer = answer
    world.notify("slow")
    world.schedule.start_due()
    world.notify("quick")
    world.schedule.start_due()
    assert quick_done.wait(60)
    assert world.status("slow").delivered_sequence == 0
    slow_may_end.set()
    world.schedule.wait()
    assert world.status("slow").delivered_sequence == 1


def test_attempts_are_spread_over_more_than_a_day_and_then_given_up(world: DeliveryWorld) -> None:
    world.subscribe_with_target("s")
    world.kind.answer = always(FAILED)
    world.notify("s")
    start, times = world.clock.now, []
    while (due := world.status("s").next_attempt_at) is not None:
        world.clock.now = due
        times.append(due - start)
        world.schedule.run_due()
    assert len(times) == 10
    assert times[-1] > 2 * DAY
    assert world.dead_letters("s") == [(1, 1)]
    assert world.status("s").state == "active"


def test_the_delivery_after_a_dead_letter_is_attempted_and_two_in_a_row_disable_the_target(
    world: DeliveryWorld,
) -> None:
    target = world.subscribe_with_target("s")
    world.kind.answer = always(Outcome(Result.REFUSED, "no such mailbox"))
    world.notify("s")
    world.schedule.run_due()
    world.kind.answer = always(DONE)
    world.notify("s")
    world.schedule.run_due()
    world.kind.answer = always(Outcome(Result.REFUSED, "no such mailbox"))
    world.notify("s", 3)
    world.schedule.run_due()
    assert world.dead_letters("s") == [(1, 1), (3, 3), (4, 4)]
    assert world.status("s").state == "disabled"
    assert world.kinds("s")[-1] == "disabled"
    # What waits is kept: it is delivered when the owner enables the target again.
    world.kind.answer = always(DONE)
    world.store.write(lambda connection: world.targets.enable(connection, "s", target))
    world.schedule.run_due()
    assert world.kind.numbers("s")[-2:] == [(5,), (6,)]


def test_a_receiver_that_is_gone_is_disabled_and_the_owner_told(world: DeliveryWorld) -> None:
    world.subscribe_with_target("s", "http://gone.example/")
    world.add_target("s", "http://other.example/")
    world.schedule.run_due()
    world.kind.answer = lambda target, message: (
        Outcome(Result.GONE, "the server answered 410") if "gone" in target.address else DONE
    )
    world.notify("s")
    world.schedule.run_due()
    statuses = world.store.read(lambda connection: world.targets.statuses(connection, "s"))
    assert {each.address: each.state for each in statuses} == {
        "http://gone.example/": "disabled",
        "http://other.example/": "active",
    }
    assert world.kinds("s") == ["match", "disabled"]
    assert sorted(world.kind.numbers("s")) == [(1,), (1,), (2,)]  # the other target got the notice


def test_retry_after_is_obeyed(world: DeliveryWorld) -> None:
    world.subscribe_with_target("s")
    world.kind.answer = always(Outcome(Result.FAILED, "the server answered 429", 3_000.0))
    world.notify("s")
    world.schedule.run_due()
    assert world.status("s").next_attempt_at == world.clock.now + 3_000


def test_dead_letters_are_replayed_under_the_same_ids(world: DeliveryWorld) -> None:
    target = world.subscribe_with_target("s")
    world.kind.answer = always(Outcome(Result.REFUSED, "broken"))
    world.notify("s")
    world.schedule.run_due()
    world.kind.answer = always(DONE)
    world.notify("s")
    world.schedule.run_due()
    assert world.store.write(lambda connection: world.targets.replay(connection, "s", target)) == 1
    world.schedule.run_due()
    assert world.kind.ids == ["s-1", "s-2", "s-1"]
    assert world.dead_letters("s") == []
    assert world.status("s").delivered_sequence == 2


def test_all_dead_letters_of_a_target_are_replayed_in_order_before_what_waits(world: DeliveryWorld) -> None:
    target = world.subscribe_with_target("s")
    for outcome in (Outcome(Result.REFUSED, "broken"), DONE, Outcome(Result.REFUSED, "broken"), DONE):
        world.kind.answer = always(outcome)
        world.notify("s")
        world.schedule.run_due()
    world.kind.answer = always(DONE)
    assert world.dead_letters("s") == [(1, 1), (3, 3)]
    assert world.store.write(lambda connection: world.targets.replay(connection, "s", target)) == 2
    world.notify("s")
    world.schedule.run_due()
    assert world.kind.numbers("s") == [(1,), (2,), (3,), (4,), (1,), (3,), (5,)]
    assert world.dead_letters("s") == []


def test_a_replay_that_fails_again_stays_a_dead_letter(world: DeliveryWorld) -> None:
    target = world.subscribe_with_target("s")
    world.kind.answer = always(Outcome(Result.REFUSED, "broken"))
    world.notify("s")
    world.schedule.run_due()
    world.store.write(lambda connection: world.targets.replay(connection, "s", target, 1))
    world.schedule.run_due()
    assert world.dead_letters("s") == [(1, 1)]
    assert world.kind.numbers("s") == [(1,), (1,)]
    world.kind.answer = always(DONE)
    world.notify("s")
    world.schedule.run_due()
    assert world.kind.numbers("s")[-1] == (2,)
    assert world.status("s").state == "active"


def test_a_digest_joins_what_arrives_within_its_period(world: DeliveryWorld) -> None:
    world.subscribe_with_target("s", digest=3600.0)
    world.notify("s")
    world.schedule.run_due()
    world.clock.now += 1800
    world.notify("s", 2)
    world.schedule.run_due()
    assert world.kind.numbers("s") == []
    world.clock.now += 1800
    world.schedule.run_due()
    assert world.kind.numbers("s") == [(1, 2, 3)]
    world.notify("s")
    world.clock.now += 3600
    world.schedule.run_due()
    assert world.kind.numbers("s") == [(1, 2, 3), (4,)]


def test_a_notice_ends_a_digest(world: DeliveryWorld) -> None:
    world.subscribe_with_target("s", digest=3600.0)
    world.notify("s", 2)
    world.schedule.run_due()
    world.notify("s", kind="expiring")
    world.schedule.run_due()
    assert world.kind.numbers("s") == [(1, 2, 3)]


def test_a_notice_that_arrives_while_a_digest_is_planned_ends_it(
    world: DeliveryWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.subscribe_with_target("s", digest=3600.0)
    world.notify("s")
    execute = DeliverySchedule._execute

    def noticed(schedule: DeliverySchedule, target: Target, work: Work, now: float) -> Outcome:
        if work.wait_until is not None and world.kinds("s") == ["match"]:
            world.notify("s", kind="expiring")
        return execute(schedule, target, work, now)

    monkeypatch.setattr(DeliverySchedule, "_execute", noticed)
    world.schedule.run_due()
    assert world.kind.numbers("s") == [(1, 2)]


def test_at_most_joins_what_exceeds_it(world: DeliveryWorld) -> None:
    world.subscribe_with_target("s", at_most=2, at_most_period=3600.0)
    world.notify("s")
    world.schedule.run_due()
    world.notify("s", 5)
    world.schedule.run_due()
    world.notify("s", 2)
    world.schedule.run_due()
    assert world.kind.numbers("s") == [(1,), (2, 3, 4, 5, 6)]
    world.clock.now += 3600
    world.schedule.run_due()
    assert world.kind.numbers("s")[2:] == [(7,), (8,)]
    world.notify("s")
    world.schedule.run_due()
    assert world.status("s").next_attempt_at == world.clock.now + 3600


def test_a_joined_delivery_that_fails_is_repeated_as_it_was(world: DeliveryWorld) -> None:
    world.subscribe_with_target("s", digest=60.0)
    world.kind.answer = always(FAILED)
    world.notify("s", 2)
    world.clock.now += 60
    world.schedule.run_due()
    world.notify("s", 2)
    world.kind.answer = always(DONE)
    world.clock.now += 10
    world.schedule.run_due()
    world.clock.now += 60
    world.schedule.run_due()
    assert world.kind.numbers("s") == [(1, 2), (1, 2), (3, 4)]
    assert world.kind.ids[0] == world.kind.ids[1]
    assert world.kind.ids[1] != world.kind.ids[2]


def test_a_long_digest_is_delivered_in_several_messages(world: DeliveryWorld) -> None:
    world.subscribe_with_target("s", digest=60.0)
    world.notify("s", MAX_JOINED_NOTIFICATIONS + 5)
    world.clock.now += 60
    world.schedule.run_due()
    assert [len(numbers) for numbers in world.kind.numbers("s")] == [MAX_JOINED_NOTIFICATIONS, 5]


def test_a_joined_message_has_a_limited_size(world: DeliveryWorld) -> None:
    world.subscribe_with_target("s", digest=60.0)
    size = MAX_JOINED_BYTES // 2
    for sequence, lines in enumerate((size, size, 1, 3 * size, 1), start=1):
        new = NewPublication(str(sequence), b"", None, None, b"x" * lines, 1)
        numbers = world.store.write(
            lambda connection, new=new: publication_rows.insert_new(connection, [new], received_at=0.0, after_change=0)
        )
        world.notify("s", publication=numbers[0])
    world.clock.now += 60
    world.schedule.run_due()
    assert world.kind.numbers("s") == [(1, 2), (3,), (4,), (5,)]


def test_the_last_deliveries_of_an_expired_subscription_are_made(world: DeliveryWorld) -> None:
    world.subscribe_with_target("s", expired=True)
    world.notify("s")
    world.notify("s", kind="expired")
    world.schedule.run_due()
    assert world.kind.numbers("s") == [(1,), (2,)]


def test_the_target_of_a_removed_subscription_is_removed(world: DeliveryWorld) -> None:
    world.subscribe_with_target("s")
    world.notify("s")
    world.unsubscribe("s")
    world.schedule.run_due()
    assert world.kind.numbers("s") == []
    assert world.store.read(lambda connection: world.targets.statuses(connection, "s")) == []


def test_notifications_that_are_no_longer_retained_are_skipped(world: DeliveryWorld) -> None:
    world.subscribe_with_target("s")
    world.notify("s", 2)
    world.forget("s", up_to=2)
    world.schedule.run_due()
    assert world.status("s").delivered_sequence == 2
    world.notify("s")
    world.schedule.run_due()
    assert world.kind.numbers("s") == [(3,)]


def test_a_notification_that_arrives_during_an_attempt_is_delivered(world: DeliveryWorld) -> None:
    world.subscribe_with_target("s")

    def answer(target: Target, message: Message | None) -> Outcome:
        if message is not None and message.last_sequence == 1:
            world.notify("s")
        return DONE

    world.kind.answer = answer
    world.notify("s")
    world.schedule.run_due()
    assert world.kind.numbers("s") == [(1,), (2,)]


def test_a_lease_that_ran_out_is_claimed_by_another_broker_and_the_late_result_is_dropped(
    world: DeliveryWorld,
) -> None:
    world.subscribe_with_target("s")
    other = world.new_schedule()

    def answer(target: Target, message: Message | None) -> Outcome:
        if len(world.kind.delivered) == 1:  # the first broker stands still for longer than its lease
            world.clock.now += 1_000
            other.run_due()
            return FAILED
        return DONE

    world.kind.answer = answer
    world.notify("s")
    world.schedule.run_due()
    other.close()
    assert world.kind.ids == ["s-1", "s-1"]
    assert world.status("s").delivered_sequence == 1
    assert world.status("s").failures == 0


def test_two_brokers_share_the_targets(world: DeliveryWorld) -> None:
    other = world.new_schedule()
    for number in range(20):
        world.subscribe_with_target(f"s{number}", f"http://{number}.example/")
    for number in range(20):
        world.notify(f"s{number}", 2)
    claimed = 0
    while step := world.schedule.start_due() + other.start_due():
        claimed += step
        world.schedule.wait()
        other.wait()
    other.close()
    assert claimed == 20
    assert sorted(world.kind.delivered) == sorted((f"s{n}", (k,)) for n in range(20) for k in (1, 2))


def test_few_attempts_run_on_one_host_and_the_others_wait(world: DeliveryWorld) -> None:
    schedule = world.new_schedule(per_host=2)
    for number in range(5):
        world.subscribe_with_target(f"s{number}")
    for number in range(5):
        world.notify(f"s{number}")
    may_end, started = threading.Event(), threading.Semaphore(0)

    def answer(target: Target, message: Message | None) -> Outcome:
        started.release()
        assert may_end.wait(60)
        return DONE

    world.kind.answer = answer
    assert schedule.start_due() == 5
    assert started.acquire(timeout=60)
    assert started.acquire(timeout=60)
    assert len(world.kind.delivered) == 2
    may_end.set()
    schedule.wait()
    for _ in range(5):
        world.clock.now += 5
        schedule.run_due()
    schedule.close()
    assert sorted(world.kind.delivered) == [(f"s{number}", (1,)) for number in range(5)]


def test_an_error_of_the_broker_is_a_failure_that_is_tried_again(world: DeliveryWorld) -> None:
    world.subscribe_with_target("s")

    def answer(target: Target, message: Message | None) -> Outcome:
        raise ZeroDivisionError

    world.kind.answer = answer
    world.notify("s")
    world.schedule.run_due()
    assert "ZeroDivisionError" in world.status("s").reason
    world.kind.answer = always(DONE)
    world.clock.now += 10
    world.schedule.run_due()
    assert world.status("s").delivered_sequence == 1


def test_a_store_that_is_away_is_logged_in_one_line(
    world: DeliveryWorld, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def read(query: object) -> None:
        raise StoreUnavailable("sqlite:a.db", "disk full")

    world.subscribe_with_target("s")
    world.notify("s")
    monkeypatch.setattr(world.store, "read", read)
    world.schedule.run_due()
    (record,) = [each for each in caplog.records if each.levelname == "ERROR"]
    assert record.getMessage() == "the work was interrupted: sqlite:a.db: disk full"
    assert not record.exc_info


def test_a_reason_that_no_database_holds_does_not_repeat_the_delivery(store) -> None:
    world = DeliveryWorld(store, RecordingKind())
    world.subscribe_with_target("s")
    world.kind.answer = always(Outcome(Result.FAILED, "no\0answer \ud800"))
    world.notify("s")
    world.schedule.run_due()
    world.schedule.close()
    assert world.status("s").reason == "no?answer ?"
    assert world.status("s").failures == 1


@pytest.mark.parametrize("settings", [{}, {"digest": 60.0}, {"at_most": 3, "at_most_period": 100.0}])
def test_deliveries_are_complete_and_in_order_on_every_store(store, settings) -> None:
    """Receivers fail at random; what they accept is each notification in order, and repeated ones have equal ids."""
    import random

    chance = random.Random(7)
    kind = RecordingKind()
    world = DeliveryWorld(store, kind)
    accepted: dict[str, list[int]] = {}
    for number in range(4):
        world.subscribe_with_target(f"s{number}", f"http://{number}.example/", **settings)

    def answer(target: Target, message: Message | None) -> Outcome:
        assert message is not None
        if chance.random() < 0.3:
            return FAILED
        numbers = [each.row.sequence for each in message.notifications]
        accepted.setdefault(target.subscription, []).extend(numbers)
        return DONE

    kind.answer = answer
    for _ in range(15):
        world.notify(f"s{chance.randrange(4)}", chance.randrange(1, 4))
        world.schedule.run_due()
        world.clock.now += chance.choice([1, 20, 400])
    for _ in range(30):
        world.clock.now += DAY
        world.schedule.run_due()
    world.schedule.close()
    for number in range(4):
        id = f"s{number}"
        total = world.status(id).delivered_sequence
        assert accepted.get(id, []) == list(range(1, total + 1))
        assert world.kinds(id) == ["match"] * total


def deliver_while_written(world: DeliveryWorld, others: list[DeliveryWorld], rounds: int) -> None:
    """Add notifications in two threads while the schedules of all worlds deliver them; then deliver the rest."""
    for number in range(3):
        world.subscribe_with_target(f"s{number}", f"http://{number}.example/")

    def write(through: DeliveryWorld) -> None:
        for k in range(rounds):
            through.notify(f"s{k % 3}")

    writers = [threading.Thread(target=write, args=[each], daemon=True) for each in (world, *others)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        for each in (world, *others):
            each.schedule.start_due()
    for each in (world, *others):
        each.schedule.wait()
    for each in (world, *others):
        each.schedule.run_due()
        each.schedule.close()


def test_no_notification_is_forgotten_that_arrives_while_its_target_becomes_idle(store) -> None:
    kind = RecordingKind()
    world, other = DeliveryWorld(store, kind), DeliveryWorld(store, kind)
    deliver_while_written(world, [other], 30)
    for number in range(3):
        assert world.kind.numbers(f"s{number}") == [(k,) for k in range(1, 21)]


def test_brokers_on_one_postgresql_forget_nothing_and_deliver_in_order(postgresql) -> None:
    """Each broker has a store of its own: what one commits, the other sees when it looks."""
    url = postgresql.new_store_url()
    kind = RecordingKind()
    with open_store(url) as first, open_store(url) as second:
        world, other = DeliveryWorld(first, kind), DeliveryWorld(second, kind)
        deliver_while_written(world, [other], 30)
    for number in range(3):
        assert kind.numbers(f"s{number}") == [(k,) for k in range(1, 21)]


def test_a_target_does_not_become_idle_beside_a_transaction_that_adds_a_notification(postgresql) -> None:
    """The other broker's transaction is open when the delivery before it is recorded, and commits afterwards."""
    url = postgresql.new_store_url()
    kind = RecordingKind()
    with open_store(url) as first, open_store(url) as second:
        world, other = DeliveryWorld(first, kind), DeliveryWorld(second, kind)
        world.subscribe_with_target("s")
        is_open, may_commit = threading.Event(), threading.Event()

        def add(connection: Connection) -> None:
            other.add(connection, "s", "match", world.clock.now)
            target_rows.wake(connection, ["s"], world.clock.now)
            is_open.set()
            assert may_commit.wait(60)

        writer = threading.Thread(target=lambda: second.write(add), daemon=True)

        def answer(target: Target, message: Message | None) -> Outcome:
            if message is not None and message.last_sequence == 1:
                writer.start()
                assert is_open.wait(60)
            return DONE

        def waits_for_a_lock(connection: Connection) -> bool:
            return bool(connection.scalar(text("SELECT count(*) FROM pg_locks WHERE NOT granted")))

        kind.answer = answer
        world.notify("s")
        delivering = threading.Thread(target=world.schedule.run_due, daemon=True)
        delivering.start()
        assert is_open.wait(60)
        while delivering.is_alive() and not second.read(waits_for_a_lock):
            pass
        may_commit.set()
        writer.join(60)
        delivering.join(60)
        world.schedule.run_due()
        assert kind.numbers("s") == [(1,), (2,)]
        for each in (world, other):
            each.schedule.close()
