from __future__ import annotations

import random

import pytest

from gtopss.broker.shares import key_table
from gtopss.broker.shares.key_table import KeyTable
from gtopss.broker.shares.routing_keys import Keys, RoutingKey


def random_keys(chance: random.Random) -> Keys | None:
    if chance.random() < 0.02:
        return None
    return tuple(
        RoutingKey(chance.randint(1, 40), chance.choice([0, chance.randint(1, 40)]))
        for _ in range(chance.randint(1, 3))
    )


def expected(rows: list[tuple[int, Keys | None]], features: set[int]) -> int:
    bits = 0
    for of_row, keys in rows:
        if keys is None or any(first in features and (second == 0 or second in features) for first, second in keys):
            bits |= of_row
    return bits


@pytest.mark.parametrize("seed", range(20))
def test_a_table_finds_the_shares_of_all_keys_that_are_satisfied(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    monkeypatch.setattr(key_table, "MAX_ADDED", 10)
    rows = [(1 << chance.randrange(33), random_keys(chance)) for _ in range(chance.randint(0, 60))]
    table = KeyTable(rows)
    for _ in range(40):
        added = (1 << chance.randrange(33), random_keys(chance))
        table.add(*added)
        rows.append(added)
        features = {chance.randint(1, 40) for _ in range(chance.randint(0, 6))}
        assert table.bits_of(features) == expected(rows, features)
    for first in range(1, 41):
        exact = sum({of_row for of_row, keys in rows if keys is not None and (first, 0) in keys})
        assert table.bits_of_key(RoutingKey(first)) == exact


def test_an_equal_key_takes_no_more_room() -> None:
    table = KeyTable((1 << share, (RoutingKey(2**64 - 1, 3),)) for share in range(4) for _ in range(1_000))
    assert len(table) == 1
    assert table.nbytes() == 24
    assert table.bits_of({2**64 - 1, 3}) == 0b1111


def test_an_empty_table_routes_nowhere() -> None:
    assert KeyTable().bits_of({1, 2}) == 0
