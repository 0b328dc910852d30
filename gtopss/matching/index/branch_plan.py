"""Plan the branches of a template: which parts the kernels test, and which are tested in Python.

| part                                     | becomes                                                    |
|------------------------------------------|------------------------------------------------------------|
| an edge                                  | an edge                                                    |
| `isA`, `instanceOf`, `directlyA` of a variable | an edge to the class (`kernels.is_a_edges`)          |
| `< <= > >= =` of a variable and a number or moment | a bound (`value_intervals`)                      |
| any other test, and every computed value | a flag: its rows are checked in Python, by `semantics`     |

A template is planned once. The constants of each subscription are then put into the plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from gtopss.matching.index.kernels.layout import CHECK_IN_PYTHON, NEEDS_EVERY_ROW
from gtopss.matching.index.value_intervals import NO_INTERVAL, interval_of
from gtopss.model.codec import BranchTemplate, Template, Tree
from gtopss.model.expressions import IS_A
from gtopss.model.terms import Term, is_iri
from gtopss.semantics.class_members import RELATIONS

Part: TypeAlias = int
"""The number of a hole, or -1 - v for the variable v."""
_LOW, _HIGH = 0, 2  # positions of the low and the high side in a bound's kinds and ends
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Comparison(NamedTuple):
    """A comparison of a variable with a constant."""

    variable: int
    sign: str
    hole: int


class IsAConstraint(NamedTuple):
    """A variable that must be in a class."""

    variable: int
    relation: int
    hole: int


@dataclass(frozen=True, slots=True)
class BranchPlan:
    """How the branches of a template are matched, with holes for the constants."""

    variables: tuple[Term, ...]
    selected: tuple[tuple[str, int], ...]
    """The selected columns of a row: names without `?`, and the positions of their values."""
    edges: tuple[tuple[Part, Part, Part], ...]
    is_a: tuple[IsAConstraint, ...]
    comparisons: tuple[Comparison, ...]
    flags: int
    has_python_is_a: bool
    """Whether some is-a constraint is tested in Python."""


@dataclass(slots=True)
class EncodedBranch:
    """A branch as term numbers: what an entry of a segment is built from."""

    variables: int
    edges: list[tuple[int, int, int]]
    flags: int
    bounds: list[tuple[int, list[int], list[float]]] = field(default_factory=list)


def plan_branches(template: Template) -> tuple[BranchPlan, ...]:
    """Return one plan per branch of a template."""
    return tuple(_plan(branch, template.select, template.distinct) for branch in template.branches)


def _plan(branch: BranchTemplate, select: tuple[Term, ...], distinct: bool) -> BranchPlan:
    numbers: dict[str, int] = {}
    edges: dict[tuple[Part, Part, Part], None] = {}
    for s, p, o, _, _ in branch.tuples:
        edges[_part(s, numbers), _part(p, numbers), _part(o, numbers)] = None
    tests = dict.fromkeys(test for each in branch.tuples for test in (*each[3], *each[4]))
    tests.update(dict.fromkeys(branch.where))
    classes, comparisons = list[IsAConstraint](), list[Comparison]()
    flags, has_python_is_a = NEEDS_EVERY_ROW if distinct else 0, False
    if branch.binds:
        flags |= CHECK_IN_PYTHON | NEEDS_EVERY_ROW
    for test in tests:
        match test:
            case (name, str(variable), int(hole)) if name in RELATIONS and variable in numbers:
                classes.append(IsAConstraint(numbers[variable], RELATIONS.index(name), hole))
            case (("=" | "<" | "<=" | ">" | ">=") as sign, str(variable), int(hole)) if variable in numbers:
                comparisons.append(Comparison(numbers[variable], sign, hole))
            case (("=" | "<" | "<=" | ">" | ">=") as sign, int(hole), str(variable)) if variable in numbers:
                comparisons.append(Comparison(numbers[variable], _MIRRORED[sign], hole))
            case _:
                flags |= CHECK_IN_PYTHON | NEEDS_EVERY_ROW
                has_python_is_a |= _contains_is_a(test)
    has_python_is_a |= any(_contains_is_a(value) for _, value in branch.binds)
    variables = tuple(map(Term, numbers))
    columns = {name: place for place, name in enumerate((*variables, *(name for name, _ in branch.binds)))}
    selected = tuple((name[1:], columns[name]) for name in select if name in columns)
    return BranchPlan(variables, selected, tuple(edges), tuple(classes), tuple(comparisons), flags, has_python_is_a)


def _contains_is_a(tree: Tree) -> bool:
    return isinstance(tree, tuple) and (tree[0] in IS_A or any(_contains_is_a(part) for part in tree[1:]))


def _part(tree: Tree, numbers: dict[str, int]) -> Part:
    if isinstance(tree, int):
        return tree
    assert isinstance(tree, str)
    return -1 - numbers.setdefault(tree, len(numbers))


def encode_branch(plan: BranchPlan, constants: Sequence[int], terms: Sequence[Term]) -> EncodedBranch:
    """Put the constants of a subscription into a plan. `terms` are all terms by their number."""
    edges = [
        (
            constants[s] if s >= 0 else s,
            constants[p] if p >= 0 else p,
            constants[o] if o >= 0 else o,
        )
        for s, p, o in plan.edges
    ]
    made = EncodedBranch(len(plan.variables), edges, plan.flags)
    for variable, relation, hole in plan.is_a:
        if is_iri(terms[constants[hole]]):
            edges.append((-1 - variable, relation, constants[hole]))
        else:
            made.flags |= CHECK_IN_PYTHON | NEEDS_EVERY_ROW
    if plan.comparisons:
        _set_bounds(plan, constants, terms, made)
    return made


def is_a_targets(plan: BranchPlan, constants: Sequence[int], terms: Sequence[Term]) -> Iterator[tuple[int, int]]:
    """Yield the (relation, class) pairs of a branch's is-a edges."""
    for _, relation, hole in plan.is_a:
        if is_iri(terms[constants[hole]]):
            yield relation, constants[hole]


def _set_bounds(plan: BranchPlan, constants: Sequence[int], terms: Sequence[Term], made: EncodedBranch) -> None:
    """Set one interval per variable, from its first bound on either side. A second bound is tested in Python."""
    bounds: dict[int, tuple[list[int], list[float]]] = {}
    for variable, sign, hole in plan.comparisons:
        interval = interval_of(terms[constants[hole]])
        kinds, ends = bounds.setdefault(variable, ([-1, 0, -1, 0], [0.0, 0.0, 0.0, 0.0]))
        sides = (_LOW, _HIGH) if sign == "=" else (_LOW,) if sign[0] == ">" else (_HIGH,)
        if interval == NO_INTERVAL or any(kinds[side] >= 0 for side in sides):
            made.flags |= CHECK_IN_PYTHON | NEEDS_EVERY_ROW
            continue
        for side in sides:
            kinds[side], kinds[side + 1] = interval[0], len(sign) == 1 and sign != "="
            ends[side], ends[side + 1] = interval[1:]
    made.bounds = [(name, kinds, ends) for name, (kinds, ends) in bounds.items() if kinds[0] >= 0 or kinds[2] >= 0]
