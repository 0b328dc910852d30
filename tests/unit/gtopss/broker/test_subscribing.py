from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from support.brokers import TestClock, about, memory_broker

from gtopss.broker import authorisation
from gtopss.broker.broker import Broker
from gtopss.broker.errors import InvalidTicket
from gtopss.broker.tickets import new_id, new_ticket


def operations(broker: Broker) -> list[Callable[[str, str], object]]:
    return [
        broker.renew,
        broker.unsubscribe,
        broker.pause,
        broker.resume,
        lambda id, ticket: broker.replace(id, ticket, about("b")),
        lambda id, ticket: broker.replace(id, ticket, "not even a query"),
        broker.authorised,
    ]


def mutated(ticket: str, chance: random.Random) -> str:
    place = chance.randrange(len(ticket))
    other = chance.choice([each for each in "abcXYZ019-_" if each != ticket[place]])
    return chance.choice(
        [
            ticket[:place] + other + ticket[place + 1 :],
            ticket[:place] + ticket[place + 1 :],
            ticket[:place] + other + ticket[place:],
            ticket.swapcase(),
            ticket + "\0",
            f" {ticket}",
            "",
            "\ud800" + ticket,
        ]
    )


def test_a_thousand_wrong_tickets_are_answered_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, chance = TestClock(), random.Random(5)
    work: list[str] = []
    look_up, compare = authorisation.subscription_rows.secret_hashes, authorisation.is_secret_of
    monkeypatch.setattr(
        authorisation.subscription_rows, "secret_hashes", lambda *given: (work.append("hashes"), look_up(*given))[1]
    )
    monkeypatch.setattr(authorisation, "is_secret_of", lambda *given: (work.append("hash"), compare(*given))[1])
    with memory_broker(clock=clock) as broker:
        ended = broker.subscribe(about("a"), validity=10)
        clock.advance(10)
        swept = broker.subscribe(about("a"), validity=10)
        broker.run_pending()
        clock.advance(10)
        removed = broker.subscribe(about("a"))
        broker.unsubscribe(removed.id, removed.ticket)
        mine, theirs = broker.subscribe(about("a")), broker.subscribe(about("a"))
        kinds: list[Callable[[], tuple[str, str]]] = [
            lambda: (mine.id, new_ticket()),
            lambda: (mine.id, mutated(mine.ticket, chance)),
            lambda: (mine.id, theirs.ticket),
            lambda: (new_id(), mine.ticket),
            lambda: (mutated(mine.id, chance), mine.ticket),
            lambda: (ended.id, ended.ticket),
            lambda: (swept.id, swept.ticket),
            lambda: (removed.id, removed.ticket),
            lambda: (mine.id.upper() + "x", mine.ticket),
        ]
        answers, amounts = set(), set()
        for number in range(1_000):
            id, ticket = kinds[number % len(kinds)]()
            call = chance.choice(operations(broker))
            work.clear()
            with pytest.raises(InvalidTicket) as raised:
                call(id, ticket)
            answers.add((type(raised.value), str(raised.value), raised.value.args, tuple(raised.value.__dict__)))
            amounts.add(tuple(work))
        assert len(answers) == 1
        assert amounts == {("hashes", "hash")}
        for own in (mine, theirs):
            assert broker.renew(own.id, own.ticket) == clock.now + 86_400
            assert broker.authorised(own.id, own.ticket).query == about("a")


def test_the_ticket_itself_is_not_stored() -> None:
    with memory_broker() as broker:
        one = broker.subscribe(about("a"))
        row = broker.authorised(one.id, one.ticket)
        assert one.ticket.encode() not in row.ticket_hash
        assert len(row.ticket_hash) == 32
        assert one.ticket not in repr(row)
