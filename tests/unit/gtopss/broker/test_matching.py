from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import Connection
from support.brokers import TestClock, about, matched, memory_broker, received, says

from gtopss import Engine
from gtopss.broker import matching
from gtopss.broker.broker import Broker
from gtopss.broker.errors import StoreUnavailable
from gtopss.broker.store import publication_rows
from gtopss.errors import MalformedPublication
from gtopss.model import MatchReport, Publication
from gtopss.operators import Registry


@pytest.fixture
def clock() -> TestClock:
    return TestClock()


@pytest.fixture
def broker(clock: TestClock) -> Iterator[Broker]:
    with memory_broker(clock=clock) as made:
        yield made


def test_a_batch_is_numbered_in_the_order_of_publications(broker: Broker) -> None:
    one, two = broker.subscribe(about("a")), broker.subscribe(about("b"))
    broker.publish([says(f"p{number}", "a" if number % 2 else "b", "c") for number in range(10)])
    assert broker.matching.match_step() == 10
    assert received(broker, one) == [(place, "match", f"p{2 * place - 1}") for place in range(1, 6)]
    assert received(broker, two) == [(place, "match", f"p{2 * place - 2}") for place in range(1, 6)]


def test_ids_depend_on_publication_and_subscription_only(clock: TestClock) -> None:
    ids = []
    for _ in range(2):
        with memory_broker(clock=clock) as broker:
            one, two = broker.subscribe(about("a")), broker.subscribe(about("a"))
            broker.publish([says("p", "a"), says("q", "a")])
            broker.run_pending()
            found = [each.row.id for of in (one, two) for each in broker.notifications(of.id, of.ticket)]
            assert len(set(found)) == 4
            ids.append((one.id, found[0]))
    assert ids[0] != ids[1]


def test_an_expired_subscription_receives_what_was_received_before_its_end(broker: Broker, clock: TestClock) -> None:
    one = broker.subscribe(about("a"), validity=10)
    clock.advance(9.9)
    broker.publish([says("in time", "a")])
    clock.advance(0.1)
    broker.publish([says("too late", "a")])
    clock.advance(100)
    broker.run_pending()
    assert received(broker, one) == [(1, "match", "in time"), (2, "expired", None)]


def test_a_lost_lease_writes_nothing(broker: Broker, clock: TestClock, monkeypatch: pytest.MonkeyPatch) -> None:
    one = broker.subscribe(about("a"))
    broker.publish([says("p", "a")])
    with memory_broker(store=broker.store, clock=clock) as other:
        match_many = Engine.match_many

        def slow(engine: Engine, *given: object, **settings: object) -> object:
            monkeypatch.undo()
            clock.advance(60)  # the lease runs out, and another broker matches the publication
            assert other.matching.match_step() == 1
            return match_many(engine, *given, **settings)  # type: ignore[arg-type]

        monkeypatch.setattr(Engine, "match_many", slow)
        assert broker.matching.match_step() == 1
        assert received(broker, one) == [(1, "match", "p")]
        assert broker.run_pending() == 0


def test_a_crashed_brokers_publications_are_matched_when_its_lease_has_run_out(
    broker: Broker, clock: TestClock
) -> None:
    one = broker.subscribe(about("a"))
    broker.publish([says("p", "a")])
    broker.store.write(
        lambda connection: publication_rows.claim(connection, "crashed", now=clock.now, until=clock.now + 60, limit=50)
    )
    assert broker.run_pending() == 0
    clock.advance(60)
    broker.run_pending()
    assert matched(broker, one) == ["p"]


def test_several_brokers_follow_each_others_changes(broker: Broker, clock: TestClock) -> None:
    with memory_broker(store=broker.store, clock=clock) as other:
        other.start()
        one = broker.subscribe(about("a"))
        other.publish([says("p1", "a")])
        other.run_pending()
        other.replace(one.id, one.ticket, about("b"))
        broker.publish([says("p2", "a"), says("p3", "b")])
        broker.run_pending()
        broker.unsubscribe(one.id, one.ticket)
        two = other.subscribe(about("b"))
        broker.publish([says("p4", "b")])
        other.run_pending()
        assert matched(other, two) == ["p4"]
        assert len(other.followers()[0].engine) == 1


def test_a_waiting_publication_is_matched_with_the_replaced_text(clock: TestClock) -> None:
    with memory_broker(operator_engine({"<urn:x>": True}, []), clock=clock) as broker:
        plain, asking = broker.subscribe(about("a")), broker.subscribe(ASKING)
        broker.publish([says("p", "a")])
        broker.run_pending()  # the engines have applied all changes
        broker.publish([says("q", "a"), says("r", "b")])
        broker.replace(plain.id, plain.ticket, about("b"))
        broker.matching.match_step()
        broker.replace(asking.id, asking.ticket, ASKING.replace("?y", "<urn:b>"))
        broker.run_pending()
        assert matched(broker, plain) == ["p", "r"]
        assert matched(broker, asking) == ["p", "r"]


def test_a_publication_that_the_engine_refuses_does_not_stop_the_others(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = broker.subscribe(about("a"))
    broker.publish([says("p1", "a"), says("bad", "a"), says("p2", "a")])
    match = Engine.match

    def fail(engine: Engine, publications: object, **settings: object) -> object:
        raise RuntimeError("a defect")

    def refuse(engine: Engine, publication: Publication) -> MatchReport:
        if publication.id == "bad":
            raise MalformedPublication("refused", publication_id="bad")
        return match(engine, publication)

    monkeypatch.setattr(Engine, "match_many", fail)
    monkeypatch.setattr(Engine, "match", refuse)
    assert broker.run_pending() == 3
    assert matched(broker, one) == ["p1", "p2"]
    assert broker.store.read(lambda connection: publication_rows.errors(connection, 10)) == [
        (2, "bad", "publication 'bad': refused")
    ]


def operator_engine(answers: dict[str, bool], calls: list[str]) -> Engine:
    registry = Registry()

    @registry.operator("oracle", arity=1, timeout=None)
    def oracle(publication: Publication, subject: str) -> bool:
        calls.append(str(subject))
        if str(subject) not in answers:
            raise OSError("the service does not answer")
        return answers[str(subject)]

    return Engine(matcher="reference", operators=registry)


ASKING = "SELECT ?x { ?x <urn:p> ?y FILTER(oracle(?x)) }"


@pytest.mark.parametrize(
    "published_at",
    [
        dt.datetime.max,
        dt.datetime(9999, 12, 31, 23, tzinfo=dt.timezone(dt.timedelta(hours=-5))),
        dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=5))),
    ],
)
def test_a_publication_of_a_year_without_four_digits_stops_nobody(broker: Broker, published_at: dt.datetime) -> None:
    one = broker.subscribe(about("a"))
    broker.publish([says("far", "a").replace(published_at=published_at), says("near", "a")])
    broker.run_pending()
    assert matched(broker, one) == ["far", "near"]
    assert broker.check(about("a")).dry_run.matched == 2


def test_an_error_that_a_database_cannot_hold_is_stored_without_what_it_refuses(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(engine: Engine, given: list[Publication], **settings: object) -> list[MatchReport]:
        return [MatchReport(each.id, (), error=MalformedPublication("a\0b\ud800")) for each in given]

    monkeypatch.setattr(Engine, "match_many", refuse)
    broker.publish([says("p", "a")])
    assert broker.matching.match_step() == 1
    ((_, _, error),) = broker.store.read(lambda connection: publication_rows.errors(connection, 10))
    assert "a?b?" in error


def test_subscriptions_that_call_operators_are_matched_in_a_step_of_their_own(clock: TestClock) -> None:
    calls: list[str] = []
    with memory_broker(operator_engine({"<urn:x>": True, "<urn:z>": False}, calls), clock=clock) as broker:
        plain, asking = broker.subscribe(about("a")), broker.subscribe(ASKING)
        assert calls == []
        broker.publish([says("p", "a"), says("q", "a", subject="z")])
        assert broker.matching.match_step() == 2
        assert matched(broker, plain) == ["p", "q"]
        assert calls == []
        assert broker.matching.operator_step() == 2
        assert matched(broker, asking) == ["p"]
        assert calls == ["<urn:x>", "<urn:z>"]
        assert broker.run_pending() == 0


def test_a_step_of_operators_that_is_stopped_gives_back_what_is_left(clock: TestClock) -> None:
    calls: list[str] = []
    with memory_broker(operator_engine({"<urn:x>": True}, calls), clock=clock) as broker:
        asking = broker.subscribe(ASKING)
        broker.publish([says("p", "a"), says("q", "a"), says("r", "a")])
        broker.matching.match_step()
        assert broker.matching.operator_step(lambda: len(calls) > 0) == 1
        assert matched(broker, asking) == ["p"]
        assert broker.matching.operator_step() == 2
        assert matched(broker, asking) == ["p", "q", "r"]


def test_an_operator_without_an_answer_is_asked_again_a_few_times(clock: TestClock) -> None:
    calls: list[str] = []
    answers: dict[str, bool] = {}
    with memory_broker(operator_engine(answers, calls), clock=clock, max_operator_attempts=3) as broker:
        asking = broker.subscribe(ASKING)
        broker.publish([says("p", "a"), says("lost", "a", subject="z")])
        broker.run_pending()
        assert matched(broker, asking) == []
        answers["<urn:x>"] = True
        clock.advance(60)
        broker.run_pending()
        assert matched(broker, asking) == ["p"]
        clock.advance(60)
        broker.run_pending()
        clock.advance(60)
        assert broker.run_pending() == 0
        errors = broker.store.read(lambda connection: publication_rows.errors(connection, 10))
        assert [(id, "gave no answer" in error) for _, id, error in errors] == [("lost", True)]
        assert matched(broker, asking) == ["p"]


def test_a_replacement_may_begin_and_cease_to_call_operators(clock: TestClock) -> None:
    with memory_broker(operator_engine({"<urn:x>": True}, []), clock=clock) as broker:
        one = broker.subscribe(about("a"))
        broker.replace(one.id, one.ticket, ASKING)
        broker.publish([says("p", "b")])
        broker.run_pending()
        broker.replace(one.id, one.ticket, about("a"))
        broker.publish([says("q", "b"), says("r", "a")])
        broker.run_pending()
        assert matched(broker, one) == ["p", "r"]
        broker.start()
        assert len(broker.operators.engine) == 0


def test_a_publication_with_operators_is_matched_as_soon_as_the_store_is_back(
    clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    operators = Registry()

    @operators.operator("asks", arity=1, timeout=None)
    def asks(publication: Publication, value: str) -> bool:
        return True

    def fail(*given: object, **settings: object) -> set[int]:
        raise StoreUnavailable("memory:", "the server was stopped")

    with memory_broker(Engine(matcher="reference", operators=operators), clock=clock) as broker:
        one = broker.subscribe("SELECT ?x { ?x <urn:p> <urn:b> FILTER(asks(?x)) }")
        broker.publish([says("p1", "b"), says("p2", "b")])
        broker.matching.match_step()
        with monkeypatch.context() as away:
            away.setattr(publication_rows, "finish_operators", fail)
            for _ in range(2):
                with pytest.raises(StoreUnavailable):
                    broker.matching.operator_step()
        clock.advance(broker.config.operator_lease / 2)
        assert broker.matching.leases.extend_due() == 2
        assert broker.matching.operator_step() == 2
        assert matched(broker, one) == ["p1", "p2"]
        assert broker.matching.leases.extend_due() == 0


def test_a_publication_that_waits_for_a_slow_operator_holds_up_no_other(clock: TestClock) -> None:
    begun, released = threading.Event(), threading.Event()
    operators = Registry()

    @operators.operator("asks", arity=1, timeout=None)
    def asks(publication: Publication, value: str) -> bool:
        if str(value) == "<urn:slow>":
            begun.set()
            assert released.wait(60)
        return True

    with memory_broker(Engine(matcher="reference", operators=operators), clock=clock) as broker:
        one = broker.subscribe("SELECT ?x { ?x <urn:p> <urn:b> FILTER(asks(?x)) }")
        broker.publish([says("slow", "b", subject="slow"), *(says(f"p{number}", "b") for number in range(3))])
        broker.matching.match_step()
        first = threading.Thread(target=broker.matching.operator_step)
        first.start()
        try:
            assert begun.wait(60)
            assert broker.matching.operator_step() == 3
            assert matched(broker, one) == ["p0", "p1", "p2"]
            broker.publish([says("later", "b")])
            assert broker.run_pending() == 2
            assert matched(broker, one) == ["p0", "p1", "p2", "later"]
        finally:
            released.set()
            first.join()
        assert matched(broker, one) == ["p0", "p1", "p2", "later", "slow"]


def test_many_publications_that_wait_for_slow_operators_hold_up_no_other(clock: TestClock) -> None:
    released, slow = threading.Event(), threading.Semaphore(0)
    operators = Registry()

    @operators.operator("asks", arity=1, timeout=None)
    def asks(publication: Publication, value: str) -> bool:
        if str(value) == "<urn:slow>":
            slow.release()
            assert released.wait(60)
        return True

    settings = {"operator_threads": 1, "operator_patience": 0.001}
    with memory_broker(Engine(matcher="reference", operators=operators), clock=clock, **settings) as broker:
        one = broker.subscribe("SELECT ?x { ?x <urn:p> <urn:b> FILTER(asks(?x)) }")
        waiting = [says(f"slow{number}", "b", subject="slow") for number in range(5)]
        broker.publish([*waiting, *(says(f"p{number}", "b") for number in range(3))])
        broker.matching.match_step()
        written = threading.Semaphore(0)
        broker.when_notified.append(written.release)
        only = threading.Thread(target=broker.matching.operator_step)
        only.start()
        try:
            for _ in range(5):
                assert slow.acquire(timeout=60)
            for _ in range(3):
                assert written.acquire(timeout=60)
            assert sorted(map(str, matched(broker, one))) == ["p0", "p1", "p2"]
        finally:
            released.set()
            only.join()
        broker.matching.close()
        assert len(matched(broker, one)) == 8


def test_the_lease_of_a_long_batch_is_extended(
    broker: Broker, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = broker.subscribe(about("a"))
    broker.publish([says("p", "a")])
    with memory_broker(store=broker.store, clock=clock) as other:
        match_many = Engine.match_many

        def slow(engine: Engine, *given: object, **settings: object) -> object:
            monkeypatch.undo()
            for _ in range(5):
                clock.advance(30)
                assert broker.matching.leases.extend_due() == 1
                assert other.matching.match_step() == 0
            return match_many(engine, *given, **settings)  # type: ignore[arg-type]

        monkeypatch.setattr(Engine, "match_many", slow)
        assert broker.matching.match_step() == 1
        assert received(broker, one) == [(1, "match", "p")]
        clock.advance(30)
        assert broker.matching.leases.extend_due() == 0


def test_large_matches_are_written_in_several_transactions(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "MAX_WRITTEN_CHARACTERS", 50)
    one = broker.subscribe(about("a"))
    broker.publish([says(f"p{number}", "a", subject="x" * 20) for number in range(10)])
    write, written = broker.store.write, list[int]()

    def counted(change: Callable[[Connection], Any]) -> Any:
        before = broker.store.read(publication_rows.count_waiting)
        result = write(change)
        written.append(before - broker.store.read(publication_rows.count_waiting))
        return result

    monkeypatch.setattr(broker.store, "write", counted)
    assert broker.matching.match_step() == 10
    assert [count for count in written if count] == [2, 2, 2, 2, 2]
    assert received(broker, one) == [(place, "match", f"p{place - 1}") for place in range(1, 11)]
