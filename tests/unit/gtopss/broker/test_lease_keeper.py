from __future__ import annotations

from support.brokers import TestClock, memory_broker

from gtopss.broker.lease_keeper import LeaseKeeper
from gtopss.broker.store import publication_rows
from gtopss.broker.store.publication_rows import NewPublication
from gtopss.broker.store.sqlite import memory_store


def test_leases_are_extended_until_they_are_forgotten() -> None:
    clock = TestClock()
    new = [NewPublication(f"p{number}", b"d", None, None, b"", 0) for number in range(3)]
    with memory_store() as store:
        store.write(lambda connection: publication_rows.insert_new(connection, new, received_at=0, after_change=0))

        def claim() -> tuple[str, list[int]]:
            found = store.write(
                lambda connection: publication_rows.claim(
                    connection, "b", now=clock.now, until=clock.now + 60, limit=50
                )
            )
            return found.holder, [row.number for row in found.rows]

        keeper = LeaseKeeper(store, clock, 60)
        holder, numbers = claim()
        with keeper.keeping(holder, numbers, 60, share=0):
            assert keeper.extend_due() == 0
            clock.advance(40)
            assert keeper.extend_due() == 3
            keeper.forget(holder, [2])
            clock.advance(40)
            assert keeper.extend_due() == 2
            clock.advance(20)
            assert claim()[1] == [2]
        clock.advance(59)
        assert keeper.extend_due() == 0
        assert claim()[1] == [1, 3]
        keeper.close()


def test_leases_are_looked_at_often_enough_for_the_shortest_whichever_is_held_first() -> None:
    with memory_broker(match_lease=60, operator_lease=900) as broker:
        broker.matching.leases.keep("operators", [1], 900, share=-1)
        assert broker.matching.leases.pause_seconds <= 60 / 3
