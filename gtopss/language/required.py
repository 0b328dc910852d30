"""The part of a query that a publication must satisfy, as branches that an index can hold.

A query with OPTIONAL, NOT EXISTS or groups is not a union of conjunctions, but most of it must hold all the same: the
triples around an OPTIONAL, those inside EXISTS, those that are grouped if HAVING needs members, the first and last
steps of a path. The functions here find that part. They may leave something out, and never add anything: a publication
for which the query has a solution satisfies one of the branches.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator

from gtopss.language.conjunction import Conjunction, join
from gtopss.language.convert import to_constraints
from gtopss.model import Branch, Call, Expression, Publication, Term
from gtopss.model.algebra import FORMS, UNDEFINED, as_call, as_term, edges_of, text_of
from gtopss.model.expressions import TAXONOMY_FUNCTIONS, calls_in, impossible_constraint, substitute, variables
from gtopss.model.terms import XSD, is_variable, literal
from gtopss.semantics import BudgetExceeded, EvaluationContext
from gtopss.semantics.evaluate import EVALUATION_ERRORS, compile_expression
from gtopss.semantics.values import effective_boolean
from ontology import Taxonomy

MAX_REQUIRED_BRANCHES = 64
"""Branches of the required part. An element that would make more of them is left out."""
MAX_REQUIRED_ROWS = 32
"""Rows of VALUES that become branches; those of a longer table are left out."""

_ZERO = literal("0", XSD + "integer")
_OF_NO_MEMBERS = {"COUNT": _ZERO, "SUM": _ZERO, "AVG": _ZERO, "GROUP_CONCAT": literal("")}
_DEPENDS_ON_CONTEXT = TAXONOMY_FUNCTIONS | {"NOW", "EXISTS", "NEW"}


def required_branches(query: Call) -> list[Branch]:
    """Return branches of which a publication satisfies one if the query has a solution in it.

    A single branch without 5-tuples means that no part of the query must hold.
    """
    parts = required_parts(query)
    if not parts:
        return [Branch([], [impossible_constraint("it has no solution in any publication")])]
    if any(not part.edges for part in parts):
        return [Branch([])]
    return [part.to_branch() for part in parts]


def required_parts(query: Call) -> list[Conjunction]:
    """Return the required part of a query, or of a pattern in it, as conjunctions of which one must hold."""
    finder = _Finder()
    return finder.of_form(query) if query.function in FORMS else finder.of_pattern(query)


class _Finder:
    """Finds the required part of one query, as conjunctions of which one must hold. None at all: it has no solution."""

    def __init__(self) -> None:
        self._numbers = itertools.count()

    def _new_variable(self) -> Term:
        return Term(f"?_:r{next(self._numbers)}")

    def of_form(self, query: Call) -> list[Conjunction]:
        parts = self.of_pattern(as_call(query.arguments[0]))
        terms = [as_term(each) for each in query.arguments[1:]] if query.function == "DESCRIBE" else []
        if not terms or any(map(is_variable, terms)):
            return parts
        described = [Conjunction([(term, self._new_variable(), self._new_variable())]) for term in terms]
        return self._join_all(parts, described)  # what has no triples is not described

    def of_pattern(self, pattern: Call) -> list[Conjunction]:
        inner = pattern.arguments[0] if pattern.arguments else pattern
        match pattern.function:
            case "GROUP":
                return self._of_group(pattern)
            case "SELECT":
                names = {as_term(name) for name in as_call(pattern.arguments[1]).arguments}
                return [self._hidden(part, names) for part in self.of_pattern(as_call(inner))]
            case "AGGREGATES":
                keys = [as_call(key).arguments for key in as_call(pattern.arguments[1]).arguments]
                if not keys:
                    return [Conjunction()]  # no solutions are one group
                names = {as_term(name) for tree, name in keys if tree == name}
                return [self._hidden(part, names) for part in self.of_pattern(as_call(inner))]
            case "SLICE":
                most = pattern.arguments[2]
                return [] if most != UNDEFINED and int(text_of(most)) == 0 else self.of_pattern(as_call(inner))
        return self.of_pattern(as_call(inner))

    def _of_group(self, pattern: Call) -> list[Conjunction]:
        steps = [as_call(step) for step in pattern.arguments]
        parts = [Conjunction()]
        for step in steps:
            if step.function == "FILTER":
                parts = [made for part in parts for made in self._with_filter(part, step.arguments[0])]
            elif (others := self._of_step(step)) is not None:
                parts = self._join_all(parts, others)
        if needed := members_needed(steps):
            parts = self._join_all(parts, [self._hidden(part, ()) for part in self.of_pattern(needed)])
        return parts

    def _of_step(self, step: Call) -> list[Conjunction] | None:
        """Return what a step requires; None for nothing."""
        match step.function:
            case "TRIPLES":
                return [Conjunction(edges_of(step))]
            case "PATH":
                subject, path, object_ = step.arguments
                return self._of_path(as_term(subject), path, as_term(object_))
            case "JOIN":
                return self.of_pattern(as_call(step.arguments[0]))
            case "UNION":
                return [part for arm in step.arguments for part in self.of_pattern(as_call(arm))]
            case "VALUES" if len(step.arguments) <= MAX_REQUIRED_ROWS + 1:
                return list(_rows(step))
        return None

    def _with_filter(self, part: Conjunction, expression: Expression) -> list[Conjunction]:
        """Return a conjunction with the constraints of a filter whose variables it binds for certain."""
        parts = [part]
        for test in to_constraints(expression):
            if test.function == "EXISTS":
                known = part.bound_variables()
                inner = [self._hidden(each, known) for each in self.of_pattern(as_call(test.arguments[0]))]
                parts = self._join_all(parts, inner)
            elif any(call.function == "EXISTS" for call in calls_in([test])):
                continue
            elif variables(test) <= part.bound_variables():
                for each in parts:
                    each.tests.append(test)
        return parts

    def _of_path(self, subject: Term, path: Expression, object: Term) -> list[Conjunction]:
        """Return what a path between two terms requires."""
        if not isinstance(path, Call):
            return [Conjunction([(subject, path, object)])]
        match path.function:
            case "INVERSE":
                return self._of_path(object, path.arguments[0], subject)
            case "SEQUENCE":
                ends = [subject, *(self._new_variable() for _ in path.arguments[1:]), object]
                parts = [Conjunction()]
                for number, step in enumerate(path.arguments):
                    parts = self._join_all(parts, self._of_path(ends[number], step, ends[number + 1]))
                return parts
            case "ALTERNATIVE":
                return [part for choice in path.arguments for part in self._of_path(subject, choice, object)]
            case "REPEAT" if text_of(path.arguments[1]) == "+":
                first = self._of_path(subject, path.arguments[0], self._new_variable())
                return self._join_all(first, self._of_path(self._new_variable(), path.arguments[0], object))
        return [Conjunction()]

    def _join_all(self, parts: list[Conjunction], others: list[Conjunction]) -> list[Conjunction]:
        """Join each with each; leave the others out if that makes too many."""
        if len(parts) * len(others) > MAX_REQUIRED_BRANCHES:
            return parts
        joined = (join(one, other, self._new_variable) for one in parts for other in others)
        return [part for part in joined if part is not None]

    def _hidden(self, part: Conjunction, visible: Collection[Term]) -> Conjunction:
        """Return a conjunction with new names for the variables that are not visible outside of its pattern."""
        renamed: dict[Term, Term] = {}
        for name in (*(end for edge in part.edges for end in edge), *part.binds):
            if name[0] == "?" and name not in visible and name not in renamed:
                renamed[name] = self._new_variable()
        edges = [(renamed.get(s, s), renamed.get(p, p), renamed.get(o, o)) for s, p, o in part.edges]
        binds = {renamed.get(name, name): substitute(tree, renamed) for name, tree in part.binds.items()}
        return Conjunction(edges, binds, [as_call(substitute(test, renamed)) for test in part.tests])


def _rows(values: Call) -> Iterator[Conjunction]:
    names = [as_term(name) for name in as_call(values.arguments[0]).arguments]
    for row in values.arguments[1:]:
        cells = zip(names, as_call(row).arguments, strict=True)
        yield Conjunction(binds={name: cell for name, cell in cells if cell != UNDEFINED})


def members_needed(steps: Iterable[Call]) -> Call | None:
    """Return the pattern that is one group, if a filter (of HAVING) fails for a group without members."""
    first, *others = [*steps, UNDEFINED]
    if first.function != "JOIN" or as_call(first.arguments[0]).function != "AGGREGATES":
        return None
    pattern, keys, *aggregates = as_call(first.arguments[0]).arguments
    if as_call(keys).arguments:
        return None  # without members there is no group
    row: dict[Term, Term] = {}
    for each in aggregates:
        call, name = as_call(each).arguments
        value = _OF_NO_MEMBERS.get(text_of(as_call(call).arguments[0]))
        if value is not None:
            row[as_term(name)] = value
    tests = [step.arguments[0] for step in others if step.function == "FILTER"]
    return as_call(pattern) if any(_fails(test, row) for test in tests) else None


def _fails(test: Expression, row: dict[Term, Term]) -> bool:
    """Return whether an expression is not true for a row, whatever the publication and the taxonomy are."""
    if any(call.function in _DEPENDS_ON_CONTEXT for call in calls_in([test])):
        return False
    context = EvaluationContext(Publication.trusted("none", ()), Taxonomy())
    try:
        return not effective_boolean(compile_expression(test)(row, context))
    except EVALUATION_ERRORS:
        return True
    except BudgetExceeded:
        return False
