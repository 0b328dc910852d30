"""Needles are found where they are, whatever their lengths and beginnings."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import numpy as np
import pytest

from gtopss.matching.index.kernels.needles import (
    NODES_USED,
    OUTPUTS_USED,
    NeedleTable,
    copy_needles,
    insert_needles,
    new_needle_table,
    node_capacity,
)
from gtopss.matching.index.kernels.relations import CONTAINS, ENDS, EQUALS, LOWER, STARTS, WRITTEN, text_relation
from gtopss.matching.index.kernels.terms import PADDING
from gtopss.matching.index.kernels.text_edges import HIT_TARGET
from gtopss.matching.index.kernels.text_hits import find_in_texts

SEED = np.uint64(7)
PLAIN = 1  # the kind of a term that is a string without a language


def insert(table: NeedleTable, needle: str, target: int, kind: int = CONTAINS, mapping: int = WRITTEN) -> bool:
    data, relation = needle.encode(), text_relation(mapping, kind, False)
    text = np.frombuffer(data + PADDING, np.uint8)
    return bool(insert_needles(table, text, np.array([[len(data), mapping, relation | relation << 8, target]])))


def table_of(needles: Iterable[str], kind: int = CONTAINS) -> NeedleTable:
    """A table that is enlarged whenever it is full."""
    table = new_needle_table(16, 1, SEED)
    for target, needle in enumerate(needles):
        while not insert(table, needle, target, kind):
            larger = new_needle_table(2 * len(table.records), 2 * len(table.outputs), SEED)
            copy_needles(table, larger)
            table = larger
    return table


def found(table: NeedleTable, text: str, mapping: int = WRITTEN) -> set[int]:
    """The targets of the needles in a text."""
    data, steps = text.encode(), np.full(1, 10**9, np.int64)
    starts, rows = np.array([0, len(data)]), np.array([[0, 0, mapping, PLAIN, 0]])
    hits = find_in_texts(np.frombuffer(data + PADDING, np.uint8), starts, rows, table, steps)
    targets = hits[:, HIT_TARGET].tolist()
    assert len(targets) == len(set(targets))
    return set(targets)


def expected(needles: list[str], text: str, kind: int) -> set[int]:
    holds = {CONTAINS: str.__contains__, STARTS: str.startswith, ENDS: str.endswith, EQUALS: str.__eq__}[kind]
    return {target for target, needle in enumerate(needles) if holds(text, needle)}


@pytest.mark.parametrize("kind", [CONTAINS, STARTS, ENDS, EQUALS])
@pytest.mark.parametrize("letters", ["ab", "aé日👍"])
def test_needles_of_every_length(kind: int, letters: str) -> None:
    random, longest = Random(1), 10_000
    text = "".join(random.choices(letters, k=2 * longest))
    lengths = [*range(1, 14), 63, 64, 65, 100, 101, longest, len(text)]
    places = [0, 1, 2, 3, 17, len(text) // 2]
    needles = [text[at : at + length] for length in lengths for at in (*places, len(text) - length)]
    needles += [needle[:-1] + "x" for needle in needles]
    needles = list(dict.fromkeys(needles))
    table = table_of(needles, kind)
    for searched in (text, text[1:], text[:-1], text[: longest + 1], "", "x"):
        assert found(table, searched) == expected(needles, searched, kind)


def test_needles_that_are_prefixes_of_each_other() -> None:
    needles = ["a" * length for length in range(1, 30)]
    for order in (needles, needles[::-1], Random(2).sample(needles, len(needles))):
        table = table_of(order)
        for length in range(40):
            assert found(table, "b" + "a" * length) == expected(order, "b" + "a" * length, CONTAINS)


def test_random_needles_in_random_texts() -> None:
    random = Random(3)
    for _ in range(200):
        needles = ["".join(random.choices("abé日", k=random.randint(1, 9))) for _ in range(random.randint(1, 60))]
        needles = list(dict.fromkeys(needles))
        table = table_of(needles)
        for _ in range(10):
            text = "".join(random.choices("abé日", k=random.randint(0, 40)))
            assert found(table, text) == expected(needles, text, CONTAINS)


def test_a_needle_with_zero_bytes() -> None:
    needles = ["\0", "\0\0\0\0", "a\0", "\0a", "a"]
    for text in ("\0", "\0\0\0", "\0\0\0\0", "a\0", "a", "b\0a\0", "aaaa"):
        assert found(table_of(needles), text) == expected(needles, text, CONTAINS), repr(text)


def test_mappings_are_kept_apart() -> None:
    table = new_needle_table(64, 8, SEED)
    assert insert(table, "a", 0, mapping=WRITTEN)
    assert insert(table, "a", 1, mapping=LOWER)
    assert found(table, "a", WRITTEN) == {0}
    assert found(table, "a", LOWER) == {1}


def test_the_same_output_is_inserted_once() -> None:
    table = new_needle_table(64, 1, SEED)
    before = []
    for _ in range(3):
        assert insert(table, "needle", 5)
        before.append(table.used.tolist())
    assert before[0] == before[1] == before[2]
    assert not insert(table, "needle", 6)  # no room for another one
    assert found(table, "a needle") == {5}


def test_a_full_table_refuses_and_a_larger_copy_goes_on() -> None:
    table, number = new_needle_table(16, 100, SEED), 0
    while insert(table, f"n{number}.", number):
        number += 1
    assert table.used[NODES_USED] == node_capacity(len(table.records))
    larger = new_needle_table(256, 100, SEED)
    copy_needles(table, larger)
    assert larger.used[OUTPUTS_USED] == number
    assert insert(larger, f"n{number}.", number)
    for each in range(number + 1):
        assert found(larger, f"n{each}.") == {each}
