"""Checks of the papers' statements."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gtopss.experiments.papers.experiment import Curves, Finding, Point
from gtopss.experiments.papers.statement_checks import (
    ahead,
    ahead_of_all,
    alike,
    alike_at,
    alike_at_end,
    at_most_share,
    below_by_share,
    count_falls,
    count_rises,
    crosses,
    exponent_below,
    factor_at,
    factor_at_end,
    factor_within,
    falls,
    gap_grows,
    grows_by,
    grows_much_slower,
    linear,
    linear_count,
    logarithmic,
    measurement_rises,
    measurement_stays,
    much_ahead,
    no_worse,
    rises,
    saves_share_at,
    saves_share_at_best,
    share_shrinks,
    smaller_measurement,
    stays_between,
    times_ahead,
)


def curves(**series: list[float]) -> Curves:
    return Curves(Point(name, x, y) for name, ys in series.items() for x, y in enumerate(ys, start=1))


@pytest.mark.parametrize(
    ("statement", "yes", "no"),
    [
        (linear("a", "ms", "x"), {"a": [1, 2, 3, 4.1]}, {"a": [1, 2, 4, 16, 64]}),
        (linear_count("a", "calls", "x"), {"a": [1, 2, 3, 3.9]}, {"a": [1, 2, 3, 3.7]}),
        (linear_count("a", "calls", "x"), {"a": [0, 1, 2]}, {"a": [3, 2, 1]}),
        (count_rises("a"), {"a": [1, 2, 3]}, {"a": [1, 2, 1.9, 3]}),
        (count_falls("a"), {"a": [3, 2, 1]}, {"a": [3, 2, 2.1, 1]}),
        (stays_between("a", 1, 0.9, 1.1), {"a": [10, 9, 11]}, {"a": [10, 12, 10]}),
        (
            ahead_of_all("a", ["b", "c"]),
            {"a": [1, 2], "b": [2, 3], "c": [3, 3]},
            {"a": [1, 2], "b": [2, 3], "c": [3, 2]},
        ),
        (rises("a"), {"a": [1, 2, 1.9, 3]}, {"a": [1, 3, 2, 4]}),
        (falls("a"), {"a": [3, 2, 2.1, 1]}, {"a": [1, 2, 3]}),
        (grows_by("a", 1, 3, 1.5, 2.5), {"a": [1, 5, 2]}, {"a": [1, 2, 3]}),
        (ahead("a", "b"), {"a": [1, 2], "b": [2, 3]}, {"a": [1, 4], "b": [2, 3]}),
        (gap_grows("a", "b"), {"a": [1, 2], "b": [2, 9]}, {"a": [1, 8], "b": [5, 9]}),
        (gap_grows("a", "b", 0.1), {"a": [1, 20], "b": [2, 22]}, {"a": [1, 20], "b": [2, 23]}),
        (times_ahead("a", "b", 10, 2), {"a": [1, 1], "b": [1, 10]}, {"a": [1, 1], "b": [10, 9]}),
        (alike("a", "b", 0.2), {"a": [1, 1], "b": [1.1, 0.9]}, {"a": [1, 1, 1], "b": [1, 2, 1]}),
        (alike_at_end("a", "b", 0.2), {"a": [1, 1], "b": [9, 0.9]}, {"a": [1, 1], "b": [1, 2]}),
        (at_most_share("a", "b", 0.5), {"a": [1, 2], "b": [2, 9]}, {"a": [1, 5, 1], "b": [2, 9, 2]}),
        (saves_share_at_best("a", "b", 0.75), {"a": [9, 2], "b": [9, 8]}, {"a": [9, 3], "b": [9, 8]}),
        (alike_at("a", "b", 0.2, 2), {"a": [1, 1], "b": [9, 0.9]}, {"a": [1, 1], "b": [1, 2]}),
        (much_ahead("a", "b"), {"a": [1, 2], "b": [2, 9]}, {"a": [1, 2], "b": [1.9, 9]}),
        (grows_much_slower("a", "b"), {"a": [1, 2], "b": [5, 7]}, {"a": [1, 2], "b": [5, 6.9]}),
        (grows_much_slower("a", "b"), {"a": [2, 1], "b": [5, 7]}, {"a": [2, 1], "b": [5, 5]}),
        (saves_share_at("a", "b", 0.75, 2), {"a": [9, 2], "b": [9, 8]}, {"a": [1, 3], "b": [9, 8]}),
        (logarithmic("a"), {"a": [1, 2, 2.58, 3]}, {"a": [1, 2, 8, 64]}),
        (exponent_below("a", 1), {"a": [1, 1.4, 1.7]}, {"a": [1, 2, 3]}),
        (no_worse("a", "b", 2), {"a": [9, 1, 1], "b": [1, 1, 2]}, {"a": [1, 3, 1], "b": [1, 2, 2]}),
        (crosses("a", "b"), {"a": [2, 1], "b": [1, 2]}, {"a": [1, 1], "b": [2, 2]}),
        (factor_at_end("a", "b", 2, 4), {"a": [1, 1], "b": [1, 3]}, {"a": [1, 1], "b": [3, 5]}),
        (factor_at("a", "b", 2, 4, 1), {"a": [1, 1], "b": [2, 9]}, {"a": [1, 1], "b": [5, 3]}),
        (factor_within("a", "b", 2, 4), {"a": [1, 1], "b": [2, 4]}, {"a": [1, 1], "b": [3, 5]}),
        (below_by_share("a", "b", 0.1), {"a": [1, 1], "b": [2, 1]}, {"a": [1, 1], "b": [1.1, 1]}),
        (share_shrinks("a", "b"), {"a": [1, 1], "b": [2, 1.5]}, {"a": [1, 1], "b": [2, 2]}),
        (share_shrinks("a", "b"), {"a": [1, 1, 1], "b": [4, 3, 2]}, {"a": [1, 1, 1], "b": [4, 5, 2]}),
        (share_shrinks("a", "b"), {"a": [1, 1], "b": [4, 0.9]}, {"a": [1, 1], "b": [0.9, 0.8]}),
    ],
)
def test_a_statement_agrees_differs_or_is_not_measured(
    statement: Callable[[Curves], Finding], yes: dict[str, list[float]], no: dict[str, list[float]]
) -> None:
    assert statement(curves(**yes)).verdict == "agrees"
    assert statement(curves(**no)).verdict == "differs"
    assert statement(curves(**no)).numbers
    assert statement(curves(other=[1, 2, 3])).verdict == "not measured"


def test_a_measurement_is_compared_where_both_curves_have_it() -> None:
    small, large = Point("a", 1, 1, {"bytes": 10}), Point("b", 1, 1, {"bytes": 20})
    assert smaller_measurement("a", "b", "bytes")(Curves([small, large])) == Finding(True, "2 to 2 times as much")
    assert smaller_measurement("b", "a", "bytes")(Curves([small, large])).agrees is False
    assert smaller_measurement("a", "b", "load")(Curves([small, large])).agrees is None


def test_a_measurement_stays_if_it_hardly_grows() -> None:
    points = [Point("a", x, 1, {"us": us}) for x, us in enumerate((10, 9, 12), start=1)]
    assert measurement_stays("a", "us", 1.4)(Curves(points)) == Finding(True, "9 to 12")
    assert measurement_stays("a", "us", 1.25)(Curves(points)).agrees is False
    assert measurement_stays("a", "ms", 2)(Curves(points)).agrees is None


def test_a_measurement_rises_with_every_step() -> None:
    rising, dipping = (
        Curves(Point("a", x, 1, {"rows": rows}) for x, rows in enumerate(each, start=1))
        for each in ((5, 11, 16), (5, 4, 16))
    )
    assert measurement_rises("a", "rows")(rising) == Finding(True, "from 5 to 16")
    assert measurement_rises("a", "rows")(dipping).agrees is False
    assert measurement_rises("a", "matches")(rising).agrees is None
