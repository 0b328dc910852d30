"""The counts of mentions against a plain list of them."""

from __future__ import annotations

import random

import numpy as np

from gtopss.matching.index.term_uses import TermUses


def test_counts_agree_with_a_plain_list() -> None:
    rng, uses = random.Random(7), TermUses()
    mentioned: list[list[int]] = []
    seen: set[int] = set()
    for _ in range(2_000):
        if mentioned and rng.random() < 0.5:
            uses.remove(mentioned.pop(rng.randrange(len(mentioned))))
        else:
            numbers = [rng.randrange(40) for _ in range(rng.randint(0, 4))]
            mentioned.append(numbers)
            seen.update(numbers)
            uses.add(numbers)
        used = {number for numbers in mentioned for number in numbers}
        assert uses.unused == len(seen - used)
        assert set(np.flatnonzero(uses.is_used(50)).tolist()) == used


def test_noted_terms_are_unused_until_they_are_mentioned() -> None:
    uses = TermUses.of(np.array([0, 0, 2], np.int32), 5)
    uses.note_unused([1, 2, 7])
    assert uses.unused == 2
    uses.add([7])
    assert uses.unused == 1
    assert np.flatnonzero(uses.is_used(9)).tolist() == [0, 2, 7]
