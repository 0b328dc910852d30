"""The heap as plain Python: kernels that only other kernels call cannot be called from here."""

from __future__ import annotations

import random

import numpy
import pytest

from gtopss.operators.kernels import heap


@pytest.fixture(autouse=True)
def _plain_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("push", "pop", "sift_down"):
        monkeypatch.setattr(heap, name, getattr(heap, name).py_func)


@pytest.mark.parametrize("seed", range(5))
def test_items_leave_by_greatest_key_and_equal_keys_by_smallest_item(seed: int) -> None:
    generator = random.Random(seed)
    entries = [(generator.randrange(6), item) for item in range(60)]
    generator.shuffle(entries)
    keys, items, size = numpy.zeros(60), numpy.zeros(60, numpy.int32), 0
    for key, item in entries:
        size = heap.push(keys, items, size, float(key), item)
    left = []
    while size:
        left.append((keys[0], items[0]))
        size = heap.pop(keys, items, size)
    assert left == sorted(entries, key=lambda entry: (-entry[0], entry[1]))


def test_a_top_whose_key_became_smaller_sinks() -> None:
    keys, items, size = numpy.zeros(8), numpy.zeros(8, numpy.int32), 0
    for item, key in enumerate((5.0, 4.0, 3.0, 2.0)):
        size = heap.push(keys, items, size, key, item)
    keys[0] = 2.5
    heap.sift_down(keys, items, size)
    order = []
    while size:
        order.append(int(items[0]))
        size = heap.pop(keys, items, size)
    assert order == [1, 2, 0, 3]
