"""What the papers' sentences are checked with, and how structures are weighed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gtopss.engine import MATCHERS
from gtopss.experiments.papers.experiment import Curves, Finding, Point
from gtopss.experiments.papers.memory import deep_size, footprint
from gtopss.experiments.papers.statements import ahead, alike, falls, gap_grows, grows_by, linear, rises, times_ahead
from gtopss.model import Subscription
from ontology import Taxonomy


def curves(**series: list[float]) -> Curves:
    return Curves(Point(name, x, y) for name, ys in series.items() for x, y in enumerate(ys, start=1))


@pytest.mark.parametrize(
    ("statement", "yes", "no"),
    [
        (linear("a", "ms", "x"), {"a": [1, 2, 3, 4.1]}, {"a": [1, 2, 4, 16, 64]}),
        (rises("a"), {"a": [1, 2, 1.9, 3]}, {"a": [1, 3, 2, 4]}),
        (falls("a"), {"a": [3, 2, 2.1, 1]}, {"a": [1, 2, 3]}),
        (grows_by("a", 1, 3, 1.5, 2.5), {"a": [1, 5, 2]}, {"a": [1, 2, 3]}),
        (ahead("a", "b"), {"a": [1, 2], "b": [2, 3]}, {"a": [1, 4], "b": [2, 3]}),
        (gap_grows("a", "b"), {"a": [1, 2], "b": [2, 9]}, {"a": [1, 8], "b": [5, 9]}),
        (times_ahead("a", "b", 10, 2), {"a": [1, 1], "b": [1, 10]}, {"a": [1, 1], "b": [10, 9]}),
        (alike("a", "b", 0.2), {"a": [1, 1], "b": [1.1, 0.9]}, {"a": [1, 1], "b": [2, 2]}),
    ],
)
def test_statements(
    statement: Callable[[Curves], Finding], yes: dict[str, list[float]], no: dict[str, list[float]]
) -> None:
    assert statement(curves(**yes)).verdict == "agrees"
    assert statement(curves(**no)).verdict == "differs"
    assert statement(curves(**no)).numbers
    assert statement(curves(other=[1, 2, 3])).verdict == "not measured"


def test_what_is_shared_is_weighed_once() -> None:
    text = "a" * 1_000
    assert deep_size([text, text]) < deep_size([text]) + 100
    assert deep_size([text], without=(str,)) < 100


def test_slots_cycles_and_arrays_are_weighed() -> None:
    loop: list[object] = []
    loop.append(loop)
    assert deep_size(loop) < 200
    assert deep_size(Point("a" * 1_000, 1.0, 2.0)) > 1_000
    array = np.zeros(1_000)
    assert 8_000 < deep_size(array) < 9_000
    assert 8_000 < deep_size([array[:10], array[10:]]) < 10_000


def test_a_footprint_is_what_the_matcher_holds() -> None:
    matcher = MATCHERS["reference"](Taxonomy([(f"c{i}", "top") for i in range(1_000)]))
    empty = footprint(matcher)
    for number in range(100):
        matcher.add(Subscription(f"s{number}", [("?x", "<urn:p>", f"<urn:{number}>")]))
    full = footprint(matcher)
    assert empty.whole < 3_000  # the taxonomy is everybody's
    assert empty.index < full.index < full.whole
    for number in range(100):
        matcher.remove(f"s{number}")
    assert footprint(matcher).index < full.index / 4
