from __future__ import annotations

from typing import Any

import pytest

from gtopss.errors import GtopssError
from gtopss.experiments.benchmark.spark_commits import summarise


def run(seconds: float, matches: float = 0.6) -> dict[str, Any]:
    whole = {"plan": "engine", "of": "whole", "seconds": 1.0}
    return {
        "plans": [whole, {"plan": "graphframes", "of": "sample", "seconds": seconds}],
        "matches_per_publication": matches,
    }


def test_pairs_of_runs_are_compared() -> None:
    runs = {"earlier": [run(30.0), run(40.0), run(90.0)], "current": [run(10.0), run(10.0), run(10.0)]}
    assert summarise(runs) == {
        "seconds": {"earlier": [30.0, 40.0, 90.0], "current": [10.0, 10.0, 10.0]},
        "times_as_fast": 4.0,
    }


def test_runs_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(GtopssError, match="different matches"):
        summarise({"earlier": [run(1.0)], "current": [run(1.0, 0.7)]})
    missing = {"plans": [{"plan": "graphframes", "of": "sample", "left_out": "no jar"}], "matches_per_publication": 1}
    with pytest.raises(GtopssError, match="the earlier commit cannot run the plan: no jar"):
        summarise({"earlier": [missing], "current": [run(1.0)]})
