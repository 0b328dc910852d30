"""A template becomes a plan: which of its parts the kernels can decide, and which are left to Python.

| part                                     | becomes                                                    |
|------------------------------------------|------------------------------------------------------------|
| an edge                                  | an edge                                                    |
| `isA`, `instanceOf`, `directlyA` of a variable | an edge to the class (`kernels.is_a`)                |
| `< <= > >= =` of a variable and a number or moment | a bound (`thresholds`)                           |
| any other test, and every computed value | a mark: its rows are checked in Python, by `semantics`     |

A plan is made once for a template; the constants of each subscription only fill it in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from gtopss.matching.index.kernels.is_a_edges import RELATIONS
from gtopss.matching.index.kernels.layout import CHECK_IN_PYTHON, NEEDS_EVERY_ROW
from gtopss.matching.index.value_intervals import NOWHERE, spread_of
from gtopss.model.codec import BranchTemplate, Template, Tree
from gtopss.model.expressions import IS_A
from gtopss.model.terms import Term, is_iri

Part: TypeAlias = int
"""A hole's number, or -1 - v for the variable v."""
_LOW, _HIGH = 0, 2  # where a bound's kinds and ends have its low and its high side
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Comparison(NamedTuple):
    """A variable against a constant."""

    variable: int
    sign: str
    hole: int


class Classed(NamedTuple):
    """A variable in a class."""

    variable: int
    relation: int
    hole: int


@dataclass(frozen=True, slots=True)
class BranchPlan:
    variables: tuple[Term, ...]
    selected: tuple[tuple[str, int], ...]
    """What is selected of a row: names without `?`, and where their values stand."""
    edges: tuple[tuple[Part, Part, Part], ...]
    classes: tuple[Classed, ...]
    comparisons: tuple[Comparison, ...]
    flags: int
    otherwise: bool
    """Whether Python answers some is-a question of it."""


@dataclass(slots=True)
class Filled:
    """A branch in numbers, ready to become an entry of a segment."""

    variables: int
    edges: list[tuple[int, int, int]]
    flags: int
    bounds: list[tuple[int, list[int], list[float]]] = field(default_factory=list)


def plan_of(template: Template) -> tuple[BranchPlan, ...]:
    return tuple(_plan(branch, template.select, template.distinct) for branch in template.branches)


def _plan(branch: BranchTemplate, select: tuple[Term, ...], distinct: bool) -> BranchPlan:
    numbers: dict[str, int] = {}
    edges: dict[tuple[Part, Part, Part], None] = {}
    for s, p, o, _, _ in branch.tuples:
        edges[_part(s, numbers), _part(p, numbers), _part(o, numbers)] = None
    tests = dict.fromkeys(test for each in branch.tuples for test in (*each[3], *each[4]))
    tests.update(dict.fromkeys(branch.where))
    classes, comparisons = list[Classed](), list[Comparison]()
    flags, otherwise = NEEDS_EVERY_ROW if distinct else 0, False
    if branch.binds:
        flags |= CHECK_IN_PYTHON | NEEDS_EVERY_ROW
    for test in tests:
        match test:
            case (("isA" | "instanceOf" | "directlyA") as name, str(variable), int(hole)) if variable in numbers:
                classes.append(Classed(numbers[variable], RELATIONS.index(name), hole))
            case (("=" | "<" | "<=" | ">" | ">=") as sign, str(variable), int(hole)) if variable in numbers:
                comparisons.append(Comparison(numbers[variable], sign, hole))
            case (("=" | "<" | "<=" | ">" | ">=") as sign, int(hole), str(variable)) if variable in numbers:
                comparisons.append(Comparison(numbers[variable], _MIRRORED[sign], hole))
            case _:
                flags |= CHECK_IN_PYTHON | NEEDS_EVERY_ROW
                otherwise |= _asks_is_a(test)
    otherwise |= any(_asks_is_a(value) for _, value in branch.binds)
    variables = tuple(map(Term, numbers))
    columns = {name: place for place, name in enumerate((*variables, *(name for name, _ in branch.binds)))}
    selected = tuple((name[1:], columns[name]) for name in select if name in columns)
    return BranchPlan(variables, selected, tuple(edges), tuple(classes), tuple(comparisons), flags, otherwise)


def _asks_is_a(tree: Tree) -> bool:
    return isinstance(tree, tuple) and (tree[0] in IS_A or any(_asks_is_a(part) for part in tree[1:]))


def _part(tree: Tree, numbers: dict[str, int]) -> Part:
    if isinstance(tree, int):
        return tree
    assert isinstance(tree, str)
    return -1 - numbers.setdefault(tree, len(numbers))


def fill(plan: BranchPlan, constants: Sequence[int], terms: Sequence[Term]) -> Filled:
    """The branch of a plan with these constants; `terms` are all terms by their number."""
    edges = [
        (
            constants[s] if s >= 0 else s,
            constants[p] if p >= 0 else p,
            constants[o] if o >= 0 else o,
        )
        for s, p, o in plan.edges
    ]
    made = Filled(len(plan.variables), edges, plan.flags)
    for variable, relation, hole in plan.classes:
        if is_iri(terms[constants[hole]]):
            edges.append((-1 - variable, relation, constants[hole]))
        else:
            made.flags |= CHECK_IN_PYTHON | NEEDS_EVERY_ROW
    if plan.comparisons:
        _fill_bounds(plan, constants, terms, made)
    return made


def targets(plan: BranchPlan, constants: Sequence[int], terms: Sequence[Term]) -> Iterator[tuple[int, int]]:
    """The (relation, class) pairs that a branch asks for."""
    for _, relation, hole in plan.classes:
        if is_iri(terms[constants[hole]]):
            yield relation, constants[hole]


def _fill_bounds(plan: BranchPlan, constants: Sequence[int], terms: Sequence[Term], made: Filled) -> None:
    """One interval for a variable: its first threshold on either side. A second one is left to Python."""
    bounds: dict[int, tuple[list[int], list[float]]] = {}
    for variable, sign, hole in plan.comparisons:
        spread = spread_of(terms[constants[hole]])
        kinds, ends = bounds.setdefault(variable, ([-1, 0, -1, 0], [0.0, 0.0, 0.0, 0.0]))
        sides = (_LOW, _HIGH) if sign == "=" else (_LOW,) if sign[0] == ">" else (_HIGH,)
        if spread == NOWHERE or any(kinds[side] >= 0 for side in sides):
            made.flags |= CHECK_IN_PYTHON | NEEDS_EVERY_ROW
            continue
        for side in sides:
            kinds[side], kinds[side + 1] = spread[0], len(sign) == 1 and sign != "="
            ends[side], ends[side + 1] = spread[1:]
    made.bounds = [(name, kinds, ends) for name, (kinds, ends) in bounds.items() if kinds[0] >= 0 or kinds[2] >= 0]
