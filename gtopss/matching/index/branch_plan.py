"""Plan the branches of a template: which parts the kernels test, and which are tested in Python.

| part                                     | becomes                                                    |
|------------------------------------------|------------------------------------------------------------|
| an edge                                  | an edge                                                    |
| `isA`, `instanceOf`, `directlyA` of a variable | an edge to the class (`kernels.is_a_edges`)          |
| `< <= > >= =` of a variable and a number or moment | a bound (`value_intervals`)                      |
| `CONTAINS` and the like, `IN`, and `||` of these | edges to texts (`kernels.text_edges`)                     |
| `!CONTAINS` and the like of an object    | an edge: its text was searched; a bound: no edge to the text |
| `!STATED` of a variable and constants    | a bound: no such triple                                    |
| `labelled` of a variable and a class     | an edge to the class (`label_search`)                      |
| any other test, and every computed value | a flag: its rows are checked in Python, by `semantics`     |

Other tests may still need texts (`semantics.text_tests`): then they become edges too, and their rows are checked.

A template is planned once. The constants of each subscription are then put into the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

from gtopss.matching.index.dictionary import Dictionary
from gtopss.matching.index.kernels.layout import (
    CHECK_IN_PYTHON,
    EVALUATE_KEPT_QUERY,
    EVALUATE_QUERY,
    NEEDS_EVERY_ROW,
    NO_EDGE,
    ONE_ROW,
)
from gtopss.matching.index.kernels.relations import (
    ANY_OF,
    LABELLED,
    PUBLICATION_HAS,
    REGEX,
    REGEX_OF_STR,
    RELATION_COUNT,
    searched_relation,
    text_relation,
)
from gtopss.matching.index.query_plan import QueryPlan
from gtopss.matching.index.text_index import TextOutput
from gtopss.matching.index.value_intervals import NO_INTERVAL, interval_of
from gtopss.model.codec import BranchTemplate, EncodedSubscription, Template, Tree, decode_test
from gtopss.model.expressions import TAXONOMY_FUNCTIONS, Call
from gtopss.model.terms import Term, is_iri
from gtopss.semantics.class_members import RELATIONS
from gtopss.semantics.text_tests import (
    CASE_MAPPINGS,
    MAX_NEEDLE_CHARACTERS,
    SUBSTRING_KINDS,
    TextAtom,
    TextKind,
    TextMapping,
    may_need_text,
    plain_text,
    text_needs,
)
from gtopss.semantics.words import words_needle

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


class NegatedEdge(NamedTuple):
    """A triple that a publication must not have."""

    variable: int
    property: int
    """The hole of the property."""
    object: int
    """The hole of the object; -1 for any object."""


class SimpleText(NamedTuple):
    """A test of a variable for one text, such as `CONTAINS(LCASE(?t), "x")`, or the negation of one."""

    variable: int
    relation: int
    hole: int
    property: int
    """The hole of a property whose objects the variable is among; -1 if there is none."""
    is_negated: bool
    is_words: bool


class TextTest(NamedTuple):
    """A test that may need texts; its constants tell. `simple` is its usual form, if it has that."""

    tree: Tree
    simple: SimpleText | None


@dataclass(frozen=True, slots=True)
class BranchPlan:
    """How the branches of a template are matched, with holes for the constants."""

    variables: tuple[Term, ...]
    selected: tuple[tuple[str, int], ...]
    """The selected columns of a row: names without `?`, and the positions of their values."""
    edges: tuple[tuple[Part, Part, Part], ...]
    is_a: tuple[IsAConstraint, ...]
    comparisons: tuple[Comparison, ...]
    negated_edges: tuple[NegatedEdge, ...]
    text_tests: tuple[TextTest, ...]
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
    """Return one plan per branch of a template. The template of a query gets its query plan."""
    plans = tuple(_plan(branch, template.select, template.distinct) for branch in template.branches)
    if template.query is None:
        return plans
    columns = [
        (*plan.variables, *(name for name, _ in branch.binds))
        for plan, branch in zip(plans, template.branches, strict=True)
    ]
    made = template.query_plan = QueryPlan(template.query, template.select, columns)
    uses_taxonomy = _uses_taxonomy(template.query)
    return tuple(
        replace(
            plan,
            flags=plan.flags | _query_flags(made, branch),
            python_uses_taxonomy=plan.python_uses_taxonomy or uses_taxonomy,
        )
        for plan, branch in zip(plans, template.branches, strict=True)
    )


def _query_flags(query_plan: QueryPlan, branch: BranchTemplate) -> int:
    """Return the flags that a branch has because its rows are those of a query."""
    flags = EVALUATE_KEPT_QUERY if query_plan.is_decided_by_rows else EVALUATE_QUERY
    if query_plan.uses_rows:
        return flags | NEEDS_EVERY_ROW
    has_tests = branch.where or branch.binds or any(each[3] or each[4] for each in branch.tuples)
    return flags if has_tests else flags | ONE_ROW


def _plan(branch: BranchTemplate, select: tuple[Term, ...], distinct: bool) -> BranchPlan:
    numbers: dict[str, int] = {}
    edges: dict[tuple[Part, Part, Part], None] = {}
    for s, p, o, _, _ in branch.tuples:
        edges[_part(s, numbers), _part(p, numbers), _part(o, numbers)] = None
    tests = dict.fromkeys(test for each in branch.tuples for test in (*each[3], *each[4]))
    tests.update(dict.fromkeys(branch.where))
    classes, comparisons, text_tests = list[IsAConstraint](), list[Comparison](), list[TextTest]()
    negated_edges = list[NegatedEdge]()
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
            case ("!", ("STATED", str(variable), int(property))) if variable in numbers:
                negated_edges.append(NegatedEdge(numbers[variable], property, -1))
            case ("!", ("STATED", str(variable), int(property), int(hole))) if variable in numbers:
                negated_edges.append(NegatedEdge(numbers[variable], property, hole))
            case ("LABELLED", str(variable), int()) if variable in numbers:
                text_tests.append(TextTest(test, None))
            case (str(name), *_) if may_need_text(name) and numbers:
                text_tests.append(TextTest(test, _simple_text(test, numbers, edges)))
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
        tuple(negated_edges),
        tuple(text_tests),
        flags,
        python_uses_taxonomy,
    )


def _simple_text(tree: Tree, numbers: dict[str, int], edges: Iterable[tuple[Part, Part, Part]]) -> SimpleText | None:
    """Return the simple form of a test. A negated test has it only if its variable is the object of a property."""
    is_negated = isinstance(tree, tuple) and tree[0] == "!"
    if is_negated:
        assert isinstance(tree, tuple)
        tree = tree[1]
    match tree:
        case (("CONTAINS" | "STRSTARTS" | "STRENDS" | "WORDS") as function, tested, int(hole)):
            pass
        case _:
            return None
    mapping, of_str, is_words = TextMapping.WRITTEN, False, function == "WORDS"
    match tested:
        case (("LCASE" | "UCASE") as case, inner):
            mapping, tested = CASE_MAPPINGS[case], inner
    match tested:
        case ("STR", inner):
            of_str, tested = True, inner
    if not isinstance(tested, str) or tested not in numbers or (is_words and mapping is not TextMapping.WRITTEN):
        return None
    variable = numbers[tested]
    properties = (p for _, p, o in edges if o == -1 - variable and p >= 0)
    property = next(properties, -1)
    if is_negated and property < 0:
        return None
    relation = text_relation(
        TextMapping.WORDS if is_words else mapping, SUBSTRING_KINDS.get(function, TextKind.CONTAINS), of_str
    )
    return SimpleText(variable, relation, hole, property, is_negated, is_words)


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
    for variable, property, object_ in plan.negated_edges:
        target = float(constants[object_]) if object_ >= 0 else -1.0
        made.bounds.append((variable, [NO_EDGE, 0, -1, 0], [float(constants[property]), target, 0.0, 0.0]))
    if plan.text_tests:
        _add_text_edges(plan, constants, [terms[number] for number in constants], dictionary, made)
    return made


def texts_of(encoded: EncodedSubscription, dictionary: Dictionary) -> list[TextOutput]:
    """Return the needles of a subscription."""
    plans = [plan for plan in encoded.template.plan if plan.text_tests and plan.edges]
    return [text for plan in plans for text in encode_branch(plan, encoded.numbers(), dictionary).texts]


def tests_of_edges(plan: BranchPlan, constants: Sequence[Term]) -> set[Call]:
    """Return the tests that the edges and bounds of a branch decide, so that Python need not."""
    decided = set()
    for tree, simple in plan.text_tests:
        test = decode_test(tree, constants)
        if (simple is not None and _simple_needle(simple, constants)) or _usable_clauses(test, plan.variables)[1]:
            decided.add(test)
    return decided


def _simple_needle(simple: SimpleText, constants: Sequence[Term]) -> str | None:
    """Return the text that a simple test looks for; None if its constant needs more than a look at its text."""
    text = plain_text(constants[simple.hole])
    if text is None or not 0 < len(text) <= MAX_NEEDLE_CHARACTERS:
        return None
    if not simple.is_words:
        return text
    needle = words_needle(text)
    return needle if len(needle) <= MAX_NEEDLE_CHARACTERS else None


def _usable_clauses(test: Call, variables: Sequence[Term]) -> tuple[list[tuple[TextAtom, ...]], bool]:
    """Return the clauses of a text test on variables of edges, and whether they decide the test."""
    clauses, exact = text_needs(test)
    usable = [clause for clause in clauses if all(atom.variable in variables for atom in clause)]
    on_one_variable = all(len({atom.variable for atom in clause}) == 1 for clause in usable)
    return usable, exact and on_one_variable and len(usable) == len(clauses)


def _add_text_edges(
    plan: BranchPlan, numbers: Sequence[int], constants: list[Term], dictionary: Dictionary, made: EncodedBranch
) -> None:
    """Add an edge for each clause of the text tests. Where they are not the whole test, rows are checked in Python.

    `numbers` are those of the constants.
    """
    edges = list(made.edges)
    for tree, simple in plan.text_tests:
        needle = _simple_needle(simple, constants) if simple is not None else None
        if simple is not None and needle is not None:
            _add_simple_text(simple, needle, numbers, made)
        elif not _add_clauses(decode_test(tree, constants), plan, edges, dictionary, made):
            made.flags |= CHECK_IN_PYTHON | NEEDS_EVERY_ROW
    made.edges = list(dict.fromkeys(made.edges))


def _add_simple_text(simple: SimpleText, needle: str, numbers: Sequence[int], made: EncodedBranch) -> None:
    end, relation, target = -1 - simple.variable, simple.relation, numbers[simple.hole]
    property = numbers[simple.property] if simple.property >= 0 else -1
    made.texts.append(TextOutput(relation, needle, "", relation, target, property, simple.is_negated))
    if simple.is_negated:
        made.edges.append((end, searched_relation(relation), searched_relation(relation)))
        made.bounds.append((simple.variable, [NO_EDGE, 0, -1, 0], [float(relation), float(target), 0.0, 0.0]))
    else:
        made.edges.append((end, relation, target))


def _add_clauses(
    test: Call, plan: BranchPlan, edges: list[tuple[int, int, int]], dictionary: Dictionary, made: EncodedBranch
) -> bool:
    """Add an edge for each clause of a text test. Return whether they decide the test."""
    numbers = {name: number for number, name in enumerate(plan.variables)}
    clauses, exact = _usable_clauses(test, plan.variables)
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
    return exact


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
    made.bounds += [(name, kinds, ends) for name, (kinds, ends) in bounds.items() if kinds[0] >= 0 or kinds[2] >= 0]
