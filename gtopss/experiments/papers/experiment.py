"""What an experiment is: a figure of a paper, how to measure it at one x, and what the paper says one should see."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Data: TypeAlias = Literal["synthetic", "real"]


@dataclass(frozen=True, slots=True)
class Scale:
    """How much to measure, and on what."""

    quick: bool = False
    data: Data = "synthetic"
    seed: int = 2005
    repeats: int = 5

    def choose(self, quick: Sequence[float], full: Sequence[float]) -> tuple[float, ...]:
        return tuple(quick if self.quick else full)


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement of one curve. `facts` are other numbers of the same run, for tables and checks."""

    curve: str
    x: float
    y: float
    facts: Mapping[str, float] = field(default_factory=dict)


class Curves(Mapping[str, tuple[Point, ...]]):
    """The points of a result by curve, in the order of x."""

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
        """The points of two curves at the same x."""
        others = {point.x: point for point in self.get(other, ())}
        return [(point, others[point.x]) for point in self.get(one, ()) if point.x in others]


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a check; `agrees` is None where the curves that it needs were not measured."""

    agrees: bool | None
    numbers: str

    @property
    def verdict(self) -> str:
        return "not measured" if self.agrees is None else "agrees" if self.agrees else "differs"


@dataclass(frozen=True, slots=True)
class Check:
    """A statement, in the paper's sense (or our own aim, which is then said), as a predicate over the points."""

    statement: str
    holds: Callable[[Curves], Finding]


@dataclass(frozen=True, slots=True)
class Experiment:
    """A figure of a paper.

    `xs` are the values of the x axis at a scale; none, if there is nothing to be measured. `measure` returns the points
    of all curves at one x, after it has made sure that the answers of all that it compares are the same (see
    `agreement`); it is what is not begun again when an interrupted run goes on. `curves` are the names that `measure`
    may use; they and `parameters` are written down, and a saved result made with others is not continued.
    """

    name: str
    paper: str
    figure: str
    title: str
    says: str  # the paper's own sentence on what one should see
    x_label: str
    y_label: str
    curves: tuple[str, ...]
    xs: Callable[[Scale], Sequence[float]]
    measure: Callable[[float, Scale], Sequence[Point]]
    checks: tuple[Check, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    log: bool = True
    also: tuple[str, ...] = ()  # facts that tables show beside y
    how: str = "the least of {repeats} rounds or more"  # what the numbers are, for the page
