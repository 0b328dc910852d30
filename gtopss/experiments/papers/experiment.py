"""An experiment: a figure of a paper, how to measure it at one x, and checks of the paper's statements about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from gtopss.experiments.line_plots import Scale

Data: TypeAlias = Literal["synthetic", "real"]
TIMED_IN_ROUNDS = "minimum of {repeats} or more rounds"


@dataclass(frozen=True, slots=True)
class ExperimentSettings:
    """How much to measure, and on which data."""

    quick: bool = False
    data: Data = "synthetic"
    seed: int = 2005
    repeats: int = 5
    full: bool = False  # the paper's own largest sizes, where these take hours or many gigabytes

    def choose(
        self, quick: Sequence[float], usual: Sequence[float], *, full: Sequence[float] = ()
    ) -> tuple[float, ...]:
        """Return the values of an x axis. `full` are those beyond the usual ones that only a full run measures."""
        if self.quick:
            return tuple(quick)
        return (*usual, *full) if self.full else tuple(usual)


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement of one curve. `measurements` are the other numbers of the run, for tables and checks."""

    curve: str
    x: float
    y: float
    measurements: Mapping[str, float] = field(default_factory=dict)


class Curves(Mapping[str, tuple[Point, ...]]):
    """The points of a result by curve, sorted by x."""

    def __init__(self, points: Iterable[Point]) -> None:
        by_curve: defaultdict[str, list[Point]] = defaultdict(list)
        for point in points:
            by_curve[point.curve].append(point)
        self._points = {name: tuple(sorted(each, key=lambda point: point.x)) for name, each in by_curve.items()}

    def __getitem__(self, curve: str) -> tuple[Point, ...]:
        return self._points[curve]

    def __iter__(self) -> Iterator[str]:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)

    def pairs(self, one: str, other: str) -> list[tuple[Point, Point]]:
        """Return the pairs of points of two curves at the same x."""
        others = {point.x: point for point in self.get(other, ())}
        return [(point, others[point.x]) for point in self.get(one, ()) if point.x in others]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check. `agrees` is None if the curves that the check needs were not measured."""

    agrees: bool | None
    numbers: str

    @property
    def verdict(self) -> str:
        return "not measured" if self.agrees is None else "agrees" if self.agrees else "differs"


@dataclass(frozen=True, slots=True)
class Check:
    """A statement of the paper (or, if it says so, our own) as a predicate over the measured points."""

    statement: str
    holds: Callable[[Curves], Finding]


@dataclass(frozen=True, slots=True)
class Experiment:
    """A figure of a paper.

    `xs` returns the values of the x axis; no values mean that the experiment does not exist with these settings.
    `measure` returns the points of all curves at one x, after it has required that all compared systems give the same
    answers (see `answer_agreement`). An interrupted run resumes after the last complete x. `curves` are the names that
    `measure` may use. They and `parameters` are saved; a saved result with other curves or parameters is not continued.
    """

    name: str
    paper: str
    figure: str
    title: str
    paper_says: str  # the paper's own sentence about the figure
    x_label: str
    y_label: str
    curves: tuple[str, ...]
    xs: Callable[[ExperimentSettings], Sequence[float]]
    measure: Callable[[float, ExperimentSettings], Sequence[Point]]
    checks: tuple[Check, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    scale: Scale = "log"  # the axes that fit the paper's sentence
    shown_measurements: tuple[str, ...] = ()  # measurements that tables show beside y
    method: str = TIMED_IN_ROUNDS  # what the numbers are, for the docs page
