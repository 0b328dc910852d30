from __future__ import annotations

import threading

import pytest
from support.brokers import about, matched, memory_broker, says

from gtopss.broker.errors import NewerStore, StoreUnavailable
from gtopss.broker.workers import Step, Workers, broker_steps

WAIT = 60.0  # seconds until a test fails; nothing waits that long


def test_workers_match_what_is_published_and_stop() -> None:
    notified = threading.Event()
    with memory_broker() as broker:
        one = broker.subscribe(about("a"))
        broker.when_notified.append(notified.set)
        with Workers(broker):
            broker.publish([says("p", "a")])
            assert notified.wait(WAIT)
        assert matched(broker, one) == ["p"]
        assert not [each for each in threading.enumerate() if each.name in ("gtopss-match", "gtopss-expiry")]
        broker.publish([says("q", "a")])
        assert matched(broker, one) == ["p"]
        assert broker.when_published == []


def test_a_step_that_fails_is_called_again() -> None:
    calls: list[int] = []
    done = threading.Event()

    def fail_once() -> int:
        calls.append(1)
        if len(calls) == 1:
            raise OSError("away")
        done.set()
        return 0

    with memory_broker() as broker, Workers(broker, [Step("deliver", fail_once, 0.01)]):
        assert done.wait(WAIT)
    assert len(calls) > 1


def test_a_step_with_work_is_called_again_at_once_and_one_without_is_spaced() -> None:
    calls, waits = list[int](), threading.Event()

    def work() -> int:
        calls.append(1)
        if len(calls) == 3:
            waits.set()
        return int(len(calls) < 3)

    with memory_broker() as broker, Workers(broker, [Step("deliver", work, WAIT, spacing=WAIT)]):
        assert waits.wait(WAIT)
        for call in broker.when_notified:
            call()  # wakes it, but its spacing has just begun
    assert len(calls) == 3  # and the end does not wait for the spacing


def test_workers_stop_with_one_line_when_the_tables_are_newer(caplog: pytest.LogCaptureFixture) -> None:
    stopped = threading.Barrier(3, timeout=WAIT)

    def fail() -> int:
        stopped.wait()
        raise NewerStore("postgresql://host/a", "0009", "0003")

    with memory_broker() as broker:
        workers = Workers(broker, [Step("deliver", fail, WAIT), Step("feeds", fail, WAIT)])
        with workers:
            stopped.wait()
            for thread in [each for each in threading.enumerate() if each.name == "gtopss-match"]:
                thread.join(WAIT)
                assert not thread.is_alive()
    assert str(workers.stopped_by).startswith("postgresql://host/a: its tables have revision 0009")
    lines = [record.getMessage() for record in caplog.records if record.levelname == "CRITICAL"]
    assert lines == [f"the broker stops: {workers.stopped_by}"]


def test_a_store_that_is_away_is_logged_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    failed = threading.Event()

    def fail() -> int:
        if failed.is_set():
            return 0
        failed.set()
        raise StoreUnavailable("sqlite:a.db", "disk full")

    with memory_broker() as broker, Workers(broker, [Step("deliver", fail, 0.01)]):
        assert failed.wait(WAIT)
    (record,) = [each for each in caplog.records if each.levelname == "ERROR"]
    assert record.getMessage() == "the step deliver failed, and is tried again: sqlite:a.db: disk full"
    assert not record.exc_info


def test_a_step_is_called_at_once_while_there_is_work() -> None:
    left = [3, 2, 1, 0]
    done = threading.Event()

    def work() -> int:
        amount = left.pop(0) if left else 0
        if not left:
            done.set()
        return amount

    with memory_broker() as broker, Workers(broker, [Step("feeds", work, WAIT)]):
        assert done.wait(WAIT)


def test_notifications_wake_deliveries_and_not_the_cleaning() -> None:
    delivered = threading.Event()
    deliveries: list[int] = []

    def deliver() -> int:
        deliveries.append(1)
        if len(deliveries) == 2:
            delivered.set()
        return 0

    with memory_broker() as broker:
        broker.subscribe(about("a"))
        cleaned: list[int] = []
        delete_old = broker.delete_old
        broker.delete_old = lambda *given: (cleaned.append(1), delete_old(*given))[1]  # type: ignore[method-assign]
        with Workers(broker, [Step("deliver", deliver, WAIT)]):
            broker.publish([says("p", "a")])
            assert delivered.wait(WAIT)
        assert len(cleaned) <= 1


def test_every_step_can_be_called_without_threads() -> None:
    with memory_broker() as broker:
        one = broker.subscribe(about("a"))
        broker.publish([says("p", "a")])
        steps = broker_steps(broker)
        done = {(step.name, step.run()) for step in steps}
        assert done == {
            ("match", 1),
            *((name, 0) for name in ("route", "shares", "operators", "more operators", "expiry", "snapshot", "clean")),
        }
        assert len([step for step in steps if step.name.endswith("operators")]) == broker.config.operator_threads
        assert matched(broker, one) == ["p"]


def test_an_idle_broker_asks_from_one_thread_for_publications_that_wait_for_operators() -> None:
    """Each of four threads asked the store twice a second."""
    with memory_broker() as broker:
        pauses = sorted(step.pause for step in broker_steps(broker) if step.name.endswith("operators"))
        assert len(pauses) == broker.config.operator_threads
        assert all(pause >= 10 * pauses[0] for pause in pauses[1:])
        with Workers(broker):
            assert len(broker.matching.when_operators_due) == len(broker.matching.when_operators_claimed) == 1
        assert broker.matching.when_operators_due == broker.matching.when_operators_claimed == []
