from __future__ import annotations

import random

import pytest

from gtopss.broker.shares.assignment import (
    FREE_ROOM,
    SAMPLE_PUBLICATIONS,
    SLACK,
    Assignment,
    PublicationSample,
    divide,
)
from gtopss.broker.shares.routing_keys import Keys, RoutingKey


def topics(chance: random.Random, count: int) -> tuple[list[Keys], PublicationSample]:
    """Subscriptions to words of four topics, and publications of one topic each."""
    keys: list[Keys] = [(RoutingKey(chance.randrange(4) * 100 + chance.randint(1, 20)),) for _ in range(count)]
    made = [
        {chance.randint(1, 20) + topic * 100 for _ in range(8)} for topic in (chance.randrange(4) for _ in range(200))
    ]
    return keys, PublicationSample(made)


def test_subscriptions_that_publications_fire_together_are_in_one_share() -> None:
    keys, sample = topics(random.Random(1), 2_000)
    shares = divide(keys, 4, sample)
    of_topic = [
        {share for share, ((first, _),) in zip(shares, keys, strict=True) if first // 100 == t} for t in range(4)
    ]
    assert sum(map(len, of_topic)) <= 6
    sent = 0
    for features in sample.features():
        sent += len({share for share, ((first, _),) in zip(shares, keys, strict=True) if first in features})
    assert sent / len(sample) < 2


@pytest.mark.parametrize("count", [2, 3, 7])
def test_no_share_has_much_more_than_the_average(count: int) -> None:
    chance = random.Random(count)
    keys, sample = topics(chance, 3_000)
    same: list[Keys | None] = [None] * 3_000  # all are fired by everything
    for each in (keys, same):
        shares = divide(each, count, sample)
        loads = [shares.count(share) for share in range(count)]
        assert max(loads) <= SLACK * 3_000 / count + FREE_ROOM + 1


def test_without_publications_equal_keys_stay_together() -> None:
    keys: list[Keys] = [(RoutingKey(number % 50 + 1),) for number in range(1_000)]
    shares = divide(keys, 3, PublicationSample())
    for first in range(1, 51):
        assert len({share for share, ((each, _),) in zip(shares, keys, strict=True) if each == first}) <= 2
    assert len(set(shares)) == 3


def test_a_new_subscription_follows_its_publications_while_there_is_room() -> None:
    sample = PublicationSample([{1, 2}, {3}])
    by_key = [sample.fired((RoutingKey(key),)) for key in range(4)]
    assignment = Assignment(2)
    assignment.add(1, by_key[1])
    assert assignment.choose(by_key[2], 2) == 1
    assert assignment.choose(by_key[3], 2) == 0
    assignment.loads = [0, 1_000]
    assert assignment.choose(by_key[2], 1_000) == 0


def test_the_sample_forgets_the_oldest_publications() -> None:
    sample = PublicationSample({number, 1_000_000} for number in range(SAMPLE_PUBLICATIONS + 10))
    assert len(sample) == SAMPLE_PUBLICATIONS
    assert sample.frequency(5) == 0
    assert sample.frequency(SAMPLE_PUBLICATIONS + 5) == 1 / SAMPLE_PUBLICATIONS
    assert sample.frequency(1_000_000) == 1
    assert sample.fired((RoutingKey(1_000_000, SAMPLE_PUBLICATIONS + 5),)).tolist() == [5]
    assert len(sample.fired(None)) == SAMPLE_PUBLICATIONS
