"""An experiment that measures nothing, for tests of how experiments are run and shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gtopss.experiments.papers.experiment import Check, Experiment, ExperimentSettings, Point
from gtopss.experiments.papers.statement_checks import linear


@dataclass
class Instrument:
    """Return made-up points, and record the xs for which `measure` was called."""

    measured_xs: list[float] = field(default_factory=list)
    fails_at: float | None = None

    def measure(self, x: float, settings: ExperimentSettings) -> Sequence[Point]:
        self.measured_xs.append(x)
        if x == self.fails_at:
            raise KeyboardInterrupt
        return [Point("one", x, 2 * x, {"matches": 1}), Point("other", x, 5 * x)]


def doubling_experiment(instrument: Instrument) -> Experiment:
    """Two curves of two or three points, one linear statement that holds and one that is not measured."""
    return Experiment(
        name="doubling",
        paper="Nobody, 2005",
        figure="Figure 1",
        title="doubling",
        paper_says="it doubles.",
        x_label="apples",
        y_label="ms",
        curves=("one", "other"),
        xs=lambda settings: settings.choose((1, 2), (1, 2, 3)),
        measure=instrument.measure,
        checks=(Check("it grows linearly", linear("one", "ms", "apple")), Check("gm too", linear("gm", "ms", "apple"))),
    )


def silent(_: str) -> None:
    """Report no progress."""
