from __future__ import annotations

import threading

import pytest
from sqlalchemy import Connection
from support.brokers import TestClock, about, memory_broker, received, says
from support.postgresql_server import PostgresqlServer

from gtopss.broker.expiry import SHARED_DELAY_SECONDS
from gtopss.broker.store import writer_rows
from gtopss.broker.store.open_store import open_store


@pytest.fixture
def url(postgresql: PostgresqlServer) -> str:
    return postgresql.new_store_url()


def test_an_open_group_of_another_broker_is_seen_until_it_is_committed(url: str) -> None:
    with open_store(url) as one, open_store(url) as other:
        assert one.write(writer_rows.oldest_open_group) is None
        begun, released = threading.Event(), threading.Event()

        def wait(connection: Connection) -> None:
            begun.set()
            assert released.wait(60)

        written = other.submit(wait)
        assert begun.wait(60)
        since = one.write(writer_rows.oldest_open_group)
        assert since is not None
        assert one.write(writer_rows.oldest_open_group) == since
        released.set()
        written.result()
        assert one.write(writer_rows.oldest_open_group) is None


def test_a_subscription_is_not_removed_before_a_publication_that_is_committed_late(url: str) -> None:
    """The publication is received before the end of the subscription, and its group waits for longer than the delay."""
    clock = TestClock()
    with open_store(url) as first, open_store(url) as second:
        clock.now = first.write(
            lambda connection: connection.exec_driver_sql("SELECT extract(epoch FROM now())::float8").scalar_one()
        )
        with memory_broker(store=first, clock=clock) as broker, memory_broker(store=second, clock=clock) as other:
            one = broker.subscribe(about("a"), validity=10)
            begun, released = threading.Event(), threading.Event()
            insert = other.publishing.insert

            def slow(connection: Connection, new: object) -> object:
                numbers = insert(connection, new)  # type: ignore[arg-type]
                begun.set()
                assert released.wait(60)
                return numbers

            other.publishing.insert = slow  # type: ignore[method-assign, assignment]
            thread = threading.Thread(target=lambda: other.publish([says("late", "a")]))
            thread.start()
            assert begun.wait(60)
            clock.advance(10 + 2 * SHARED_DELAY_SECONDS)
            broker.run_pending()
            released.set()
            thread.join()
            broker.run_pending()
            assert [kind for _, kind, _ in received(broker, one) if kind != "expiring"] == ["match", "expired"]
