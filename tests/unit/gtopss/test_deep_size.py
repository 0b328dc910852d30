"""Measuring the memory of data structures."""

from __future__ import annotations

import numpy as np

from gtopss.deep_size import deep_size
from gtopss.model import FiveTuple


def test_shared_objects_are_counted_once() -> None:
    text = "a" * 1_000
    assert deep_size([text, text]) < deep_size([text]) + 100
    part = ["x" * 1_000]
    assert deep_size([part, part]) - deep_size([part]) < 100


def test_excluded_types_and_objects_are_not_counted() -> None:
    text = "a" * 1_000
    assert deep_size([text], without_types=(str,)) < 100
    part = ["x" * 1_000]
    assert deep_size([part], without=(part,)) < 1_000


def test_slots_cycles_and_arrays_are_counted() -> None:
    loop: list[object] = []
    loop.append(loop)
    assert deep_size(loop) < 200
    assert deep_size(FiveTuple("?x", "<urn:" + "a" * 1_000 + ">", "?y")) > 1_000
    array = np.zeros(1_000)
    assert 8_000 < deep_size(array) < 9_000
    assert 8_000 < deep_size([array[:10], array[10:]]) < 10_000
