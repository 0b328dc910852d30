from __future__ import annotations

import logging
from pathlib import Path

import pytest
from support.brokers import TestClock, about, matched, memory_broker, says

from gtopss import Engine
from gtopss.broker import engine_follower
from gtopss.broker.broker import Broker
from gtopss.broker.config import BrokerConfig
from gtopss.broker.store import subscription_rows
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.tables import changes
from gtopss.model import Subscription


def ids(broker: Broker) -> set[str]:
    return {each.id for each in broker.followers()[0].engine.subscriptions()}


def test_a_broker_starts_with_the_subscriptions_of_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_follower, "ROWS_PER_READ", 2)
    with memory_broker() as broker:
        made = [broker.subscribe(about(str(number))) for number in range(5)]
        broker.unsubscribe(made[0].id, made[0].ticket)
        with memory_broker(store=broker.store) as later:
            later.start()
            assert ids(later) == {each.id for each in made[1:]}
            assert later.followers()[0].applied == 6


def test_changes_are_applied_in_parts_up_to_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_follower, "CHANGES_PER_READ", 2)
    with memory_broker() as broker:
        broker.start()
        made = [broker.subscribe(about("a")) for _ in range(5)]
        broker.replace(made[1].id, made[1].ticket, about("b"))
        broker.unsubscribe(made[0].id, made[0].ticket)
        broker.followers()[0].follow(3)
        assert broker.followers()[0].applied == 4
        broker.followers()[0].follow()
        assert broker.followers()[0].applied == 7
        assert ids(broker) == {each.id for each in made[1:]}
        broker.publish([says("p", "b")])
        broker.run_pending()
        assert [matched(broker, each) for each in made[1:]] == [["p"], [], [], []]


def test_a_log_that_lacks_changes_only_costs_time() -> None:
    with memory_broker() as broker:
        one = broker.subscribe(about("a"))
        with memory_broker(store=broker.store) as other:
            other.start()
            two = broker.subscribe(about("b"))
            broker.unsubscribe(one.id, one.ticket)
            broker.store.write(lambda connection: connection.execute(changes.delete()))
            other.followers()[0].follow()
            assert ids(other) == {two.id}
            assert other.followers()[0].applied == 3


def test_a_stored_subscription_that_cannot_be_read_is_logged_and_left_out(caplog: pytest.LogCaptureFixture) -> None:
    with memory_broker() as broker:
        one, two = broker.subscribe(about("a")), broker.subscribe(about("b"))
        broker.store.write(lambda connection: subscription_rows.update(connection, one.id, {"query": "nonsense"}))
        with caplog.at_level(logging.ERROR, "gtopss.broker"):
            broker.start()
        assert ids(broker) == {two.id}
        assert [each.__dict__["subscription"] for each in caplog.records if each.levelno == logging.ERROR] == [one.id]


def test_a_defect_in_reading_one_subscription_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    read = engine_follower.parse_text

    def fail(text: str, form: str, id: str, engine: Engine) -> Subscription:
        if "urn:a" in text:
            raise RecursionError
        return read(text, form, id, engine)

    with memory_broker() as broker:
        broker.subscribe(about("a"))
        two = broker.subscribe(about("b"))
        monkeypatch.setattr(engine_follower, "parse_text", fail)
        broker.publish([says("p", "a", "b")])
        broker.run_pending()
        assert matched(broker, two) == ["p"]


def test_without_a_folder_or_a_matcher_that_saves_nothing_is_saved(tmp_path: Path) -> None:
    with memory_broker() as broker:
        broker.start()
        assert not broker.followers()[0].save()
        with memory_broker(store=broker.store, snapshot_folder=tmp_path) as other:
            other.start()
            assert not other.followers()[0].save()


@pytest.mark.slow
def test_an_engine_that_is_reset_while_it_is_saved_is_not_saved_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with memory_store() as store, Broker(store, config=BrokerConfig(snapshot_folder=tmp_path)) as broker:
        broker.subscribe(about("a"))
        broker.start()
        (follower,) = broker.followers()
        full = follower.engine
        made = list[Engine]()

        def engine(follower: engine_follower.EngineFollower) -> Engine:
            if not made:
                made.append(full)
                follower.reset()
            return made[-1]

        both = property(engine, lambda follower, new: made.append(new))
        monkeypatch.setattr(engine_follower.EngineFollower, "engine", both, raising=False)
        assert not follower.save()
        assert not list(tmp_path.glob("plain/*.json"))


def test_a_broker_starts_from_its_snapshot_and_the_changes_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = TestClock()
    config = BrokerConfig(snapshot_folder=tmp_path, snapshot_changes=3, snapshot_interval=100)
    with memory_store() as store:
        with Broker(store, config=config, clock=clock) as broker:
            made = [broker.subscribe(about(str(number))) for number in range(3)]
            broker.start()
            assert broker.followers()[0].save_if_due(changes=3, seconds=100)
            assert not broker.followers()[0].save_if_due(changes=3, seconds=100)
            made.append(broker.subscribe(about("3")))
            broker.start()
            assert not broker.followers()[0].save_if_due(changes=3, seconds=100)
            clock.advance(100)
            assert broker.followers()[0].save_if_due(changes=3, seconds=100)
        other = memory_broker(store=store)
        with other as changing:
            changing.unsubscribe(made[0].id, made[0].ticket)
            changing.replace(made[1].id, made[1].ticket, about("1b"))
            made.append(changing.subscribe(about("4")))
        rebuilt: list[bool] = []
        monkeypatch.setattr(engine_follower.EngineFollower, "rebuild", lambda follower: rebuilt.append(True))
        with Broker(store, Engine(), config, clock=clock) as later:
            later.followers()[0].follow()
            assert later.followers()[0].applied == 7
            assert {each.id for each in later.followers()[0].engine.subscriptions()} == {each.id for each in made[1:]}
            assert not rebuilt
            later.publish([says("p", "1", "4"), says("q", "1b")])
            later.matching.match_step()
            assert [matched(later, each) for each in made[1:]] == [["q"], [], [], ["p"]]
