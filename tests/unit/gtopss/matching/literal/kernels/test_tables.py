"""The two levels of hash tables, against a dict."""

from __future__ import annotations

import random

import numpy as np

from gtopss.matching.literal.kernels.tables import (
    find_edge,
    find_pair,
    find_sorted_edge,
    hash_labels,
    hash_pairs,
    mix,
    table_size,
)


def test_pairs_and_labels_are_found_and_others_are_not() -> None:
    source = random.Random(5)
    pairs = list({(source.randrange(-3, 40), source.randrange(-3, 40)): None for _ in range(300)})
    first_level = hash_pairs(np.array(pairs, np.int32))
    lists = [sorted({source.randrange(-2, 60): None for _ in range(source.randrange(1, 30))}) for _ in pairs]
    start = np.cumsum([0, *map(len, lists)]).astype(np.int32)
    flat = np.array([(label, number) for number, label in enumerate(sum(lists, []))], np.int32)  # noqa: RUF017
    starts, second_level = hash_labels(start, flat)
    number = {pair: place for place, pair in enumerate(pairs)}
    for tail in range(-4, 41):
        for head in range(-4, 41):
            pair = find_pair.py_func(first_level, tail, head)
            assert pair == number.get((tail, head), -1)
            if pair < 0:
                continue
            expected = {label: int(start[pair]) + place for place, label in enumerate(lists[pair])}
            for label in range(-3, 61, 7):
                edge = expected.get(label, -1)
                assert find_edge.py_func(second_level, starts[pair], starts[pair + 1], label) == edge
                assert find_sorted_edge.py_func(flat, start[pair], start[pair + 1], label) == edge


def test_tables_are_at_most_half_full() -> None:
    assert [table_size.py_func(count) for count in (0, 1, 2, 3, 9)] == [2, 2, 4, 8, 32]


def test_the_hash_is_never_negative() -> None:
    assert all(mix(a, b) >= 0 for a in (-(2**31), -1, 0, 2**31 - 1) for b in (-1, 0, 7))
