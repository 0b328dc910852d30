"""Plan the branches of a template: which parts the kernels test, and which are tested in Python.

| part                                     | becomes                                                    |
|------------------------------------------|------------------------------------------------------------|
| an edge                                  | an edge                                                    |
| `isA`, `instanceOf`, `directlyA` of a variable | an edge to the class (`kernels.is_a_edges`)          |
| `< <= > >= =` of a variable and a number or moment | a bound (`value_intervals`)                      |
| `CONTAINS` and the like, `IN`, and `||` of these | edges to texts (`kernels.text_edges`)                     |
| `labelled` of a variable and a class     | an edge to the class (`label_search`)                      |
| any other test, and every computed value | a flag: its rows are checked in Python, by `semantics`     |

Other tests may still need texts (`semantics.text_tests`): then they become edges too, and their rows are checked.

A template is planned once. The constants of each subscription are then put into the plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

from gtopss.matching.index.dictionary import Dictionary
from gtopss.matching.index.kernels.layout import CHECK_IN_PYTHON, NEEDS_EVERY_ROW
from gtopss.matching.index.kernels.relations import (
    ANY_OF,
    LABELLED,
    PUBLICATION_HAS,
    REGEX,
    REGEX_OF_STR,
    RELATION_COUNT,
    text_relation,
)
from gtopss.matching.index.text_index import TextOutput
from gtopss.matching.index.value_intervals import NO_INTERVAL, interval_of
from gtopss.model.codec import BranchTemplate, EncodedSubscription, Template, Tree, decode_test
from gtopss.model.expressions import TAXONOMY_FUNCTIONS, Call
from gtopss.model.terms import Term, is_iri
from gtopss.semantics.class_members import RELATIONS
from gtopss.semantics.text_tests import TextAtom, TextKind, may_need_text, text_needs

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
    text_tests: tuple[Tree, ...]
    """Tests that may need texts; their constants tell."""
    flags: int
    python_uses_taxonomy: bool
    """Whether some constraint that depends on the taxonomy may be tested in Python."""


@dataclass(slots=True)
class EncodedBranch:
    """A branch as term numbers: what an entry of a segment is built from."""

    variables: int
    edges: list[tuple[int, int, int]]
    flags: int
    bounds: list[tuple[int, list[int], list[float]]] = field(default_factory=list)
    texts: list[TextOutput] = field(default_factory=list)
    """The needles of its edges to texts."""


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
    classes, comparisons, text_tests = list[IsAConstraint](), list[Comparison](), list[Tree]()
    flags, python_uses_taxonomy = NEEDS_EVERY_ROW if distinct else 0, False
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
            case ("LABELLED", str(variable), int()) if variable in numbers:
                text_tests.append(test)
            case (str(name), *_) if may_need_text(name) and numbers:
                text_tests.append(test)
                python_uses_taxonomy |= _uses_taxonomy(test)
            case _:
                flags |= CHECK_IN_PYTHON | NEEDS_EVERY_ROW
                python_uses_taxonomy |= _uses_taxonomy(test)
    python_uses_taxonomy |= any(_uses_taxonomy(value) for _, value in branch.binds)
    variables = tuple(map(Term, numbers))
    columns = {name: place for place, name in enumerate((*variables, *(name for name, _ in branch.binds)))}
    selected = tuple((name[1:], columns[name]) for name in select if name in columns)
    return BranchPlan(
        variables,
        selected,
        tuple(edges),
        tuple(classes),
        tuple(comparisons),
        tuple(text_tests),
        flags,
        python_uses_taxonomy,
    )


def _uses_taxonomy(tree: Tree) -> bool:
    return isinstance(tree, tuple) and (tree[0] in TAXONOMY_FUNCTIONS or any(_uses_taxonomy(part) for part in tree[1:]))


def _part(tree: Tree, numbers: dict[str, int]) -> Part:
    if isinstance(tree, int):
        return tree
    assert isinstance(tree, str)
    return -1 - numbers.setdefault(tree, len(numbers))


def encode_branch(plan: BranchPlan, constants: Sequence[int], dictionary: Dictionary) -> EncodedBranch:
    """Put the constants of a subscription into a plan. Sets of needles become terms of the dictionary."""
    terms = dictionary.terms()
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
    if plan.text_tests:
        _add_text_edges(plan, [terms[number] for number in constants], dictionary, made)
    return made


def texts_of(encoded: EncodedSubscription, dictionary: Dictionary) -> list[TextOutput]:
    """Return the needles of a subscription."""
    plans = [plan for plan in encoded.template.plan if plan.text_tests and plan.edges]
    return [text for plan in plans for text in encode_branch(plan, encoded.numbers(), dictionary).texts]


def tests_of_edges(plan: BranchPlan, constants: Sequence[Term]) -> set[Call]:
    """Return the tests that the edges of a branch decide, so that Python need not."""
    tests = [decode_test(tree, constants) for tree in plan.text_tests]
    return {test for test in tests if _usable_clauses(test, plan.variables)[1]}


def _usable_clauses(test: Call, variables: Sequence[Term]) -> tuple[list[tuple[TextAtom, ...]], bool]:
    """Return the clauses of a text test on variables of edges, and whether they decide the test."""
    clauses, exact = text_needs(test)
    usable = [clause for clause in clauses if all(atom.variable in variables for atom in clause)]
    on_one_variable = all(len({atom.variable for atom in clause}) == 1 for clause in usable)
    return usable, exact and on_one_variable and len(usable) == len(clauses)


def _add_text_edges(plan: BranchPlan, constants: list[Term], dictionary: Dictionary, made: EncodedBranch) -> None:
    """Add an edge for each clause of the text tests. Where they are not the whole test, rows are checked in Python."""
    numbers = {name: number for number, name in enumerate(plan.variables)}
    edges = list(made.edges)
    for tree in plan.text_tests:
        clauses, exact = _usable_clauses(decode_test(tree, constants), plan.variables)
        for clause in clauses:
            edge = _clause_edge(clause, numbers, dictionary)
            made.edges.append(edge)
            made.texts += [
                TextOutput(
                    _relation_of(atom),
                    atom.needle,
                    atom.flags,
                    edge[1],
                    edge[2],
                    _property_of(-1 - numbers[atom.variable], edges),
                )
                for atom in clause
            ]
        if not exact:
            made.flags |= CHECK_IN_PYTHON | NEEDS_EVERY_ROW
    made.edges = list(dict.fromkeys(made.edges))


def _clause_edge(
    clause: tuple[TextAtom, ...], numbers: dict[Term, int], dictionary: Dictionary
) -> tuple[int, int, int]:
    """Return the edge of a clause: to the constant of its only atom, or to a set of needles."""
    first = clause[0]
    end = -1 - numbers[first.variable]
    if len(clause) == 1 and first.constant is not None:
        return end, _relation_of(first), dictionary.number(first.constant)
    digest = blake2b(digest_size=16)
    for _, mapping, kind, of_str, needle, _, flags in sorted(clause, key=lambda atom: (*atom[1:5], atom.flags)):
        digest.update(f"{mapping} {kind} {of_str} {flags} {len(needle)} {needle}".encode(errors="surrogatepass"))
    target = dictionary.number(Term(f"any of {digest.hexdigest()}"))
    if any(atom.variable != first.variable for atom in clause):
        return PUBLICATION_HAS, PUBLICATION_HAS, target
    return end, ANY_OF, target


def _relation_of(atom: TextAtom) -> int:
    if atom.kind is TextKind.MATCHES:
        return REGEX_OF_STR if atom.of_str else REGEX
    if atom.kind is TextKind.LABELLED:
        return LABELLED
    return text_relation(atom.mapping, atom.kind, atom.of_str)


def _property_of(end: int, edges: list[tuple[int, int, int]]) -> int:
    """Return a property whose objects a variable must be among; -1 if there is none."""
    return next((p for _, p, o in edges if o == end and p >= RELATION_COUNT), -1)


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
