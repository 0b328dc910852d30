from __future__ import annotations

import pytest

from gtopss.experiments.papers.experiment import Curves, ExperimentSettings
from gtopss.experiments.papers.gtopss_polls import BROKER, POLLS, PUSHED, READERS, simulate


def test_hubs_save_polls_and_lose_nothing() -> None:
    polled, pushed = (simulate(1, 2, 2005, push=push) for push in (False, True))
    assert set(polled.delays) == set(pushed.delays)
    assert len(polled.delays) == 16
    assert polled.requests > 85  # every half hour, with some jitter
    assert pushed.requests <= 5  # the first one, one after the hub has agreed, one a day, and one to the hub
    assert pushed.sent == 16
    assert pushed.saved == pytest.approx(47, rel=0.1)  # counted by the one poll that came a day after another
    assert max(pushed.delays.values()) == 0.0 < min(polled.delays.values())


def test_the_checks_of_the_paper_hold() -> None:
    settings = ExperimentSettings(quick=True)
    curves = Curves(point for x in POLLS.xs(settings) for point in POLLS.measure(x, settings))
    assert set(curves) == {READERS, BROKER, PUSHED}
    assert [check.holds(curves).agrees for check in POLLS.checks] == [True] * 4
