"""Property paths of any length (SPARQL 1.1, section 18.4: ZeroOrOnePath, ZeroOrMorePath, OneOrMorePath)."""

from __future__ import annotations

from collections.abc import Iterator

from gtopss.algebra.evaluation import STEPS_PER_TRIPLE, Evaluation, Row
from gtopss.model import Call, Expression, Term
from gtopss.model.algebra import as_call, as_term, text_of


def extend_by_path(row: Row, pattern: Call, evaluation: Evaluation) -> Iterator[Row]:
    """Yield the solutions of `PATH(subject, path, object)` that are compatible with `row`, joined with it."""
    subject, path, object_ = pattern.arguments
    start, end = as_term(subject), as_term(object_)
    for one, other in _pairs(start, path, end, row, evaluation):
        extended = dict(row)
        if all(_bind(extended, name, value) for name, value in ((start, one), (end, other))):
            evaluation.spend_solution(extended)
            yield extended


def _bind(row: Row, part: Term, value: Term) -> bool:
    return row.setdefault(part, value) == value if part[0] == "?" else part == value


def _pairs(start: Term, path: Expression, end: Term, row: Row, evaluation: Evaluation) -> Iterator[tuple[Term, Term]]:
    """Yield the pairs of terms that the path connects, among which are all that agree with the row."""
    between_variables = start[0] == "?" and end[0] == "?"
    first, last = (row.get(part) if part[0] == "?" else part for part in (start, end))
    nodes = evaluation.graph.nodes
    # Between two variables a path connects only terms of the graph, even if it has no length.
    if between_variables and any(known is not None and known not in nodes for known in (first, last)):
        return
    if first is None and last is not None:
        for found in steps(path, last, evaluation, forward=False):
            yield found, last
        return
    for one in nodes if first is None else (first,):
        for found in steps(path, one, evaluation, forward=True):
            yield one, found


def steps(path: Expression, term: Term, evaluation: Evaluation, *, forward: bool) -> Iterator[Term]:
    """Yield where the path leads from a term, or with `forward=False` from where it leads to the term."""
    if not isinstance(path, Call):
        found = evaluation.graph.candidates(*((term, path, None) if forward else (None, path, term)))
        evaluation.context.budget.spend(STEPS_PER_TRIPLE * (1 + len(found)))
        return (triple[2] if forward else triple[0] for triple in found if forward or triple[2] == term)
    match path.function:
        case "INVERSE":
            return steps(path.arguments[0], term, evaluation, forward=not forward)
        case "SEQUENCE":
            parts = path.arguments if forward else path.arguments[::-1]
            return _sequence(parts, term, evaluation, forward)
        case "ALTERNATIVE":
            return (found for part in path.arguments for found in steps(part, term, evaluation, forward=forward))
        case "NOT":
            return _negated(path, term, evaluation, forward)
        case "REPEAT":
            return _repeated(path, term, evaluation, forward)
    raise ValueError(f"{path.function} is not a property path")


def _sequence(parts: tuple[Expression, ...], term: Term, evaluation: Evaluation, forward: bool) -> Iterator[Term]:
    found = [term]
    for part in parts:
        found = [after for before in found for after in steps(part, before, evaluation, forward=forward)]
    return iter(found)


def _negated(path: Call, term: Term, evaluation: Evaluation, forward: bool) -> Iterator[Term]:
    """Yield what a triple connects with the term by none of the properties of a negated set."""
    ahead, back = (as_call(each).arguments for each in path.arguments)
    for excluded, along in ((ahead, forward), (back, not forward)):
        if excluded or (along is forward and not back):
            found = evaluation.graph.candidates(*((term, None, None) if along else (None, None, term)))
            evaluation.context.budget.spend(STEPS_PER_TRIPLE * (1 + len(found)))
            for triple in found:
                if triple[1] not in excluded:
                    yield triple[2] if along else triple[0]


def _repeated(path: Call, term: Term, evaluation: Evaluation, forward: bool) -> Iterator[Term]:
    """Yield each term once that repetitions of the inner path lead to."""
    inner, sign = path.arguments[0], text_of(path.arguments[1])
    if sign == "?":
        yield from dict.fromkeys((term, *steps(inner, term, evaluation, forward=forward)))
        return
    seen: dict[Term, None] = {}
    if sign == "*":
        seen[term] = None
        yield term
    waiting = [term]
    while waiting:
        for found in steps(inner, waiting.pop(), evaluation, forward=forward):
            if found not in seen:
                seen[found] = None
                waiting.append(found)
                yield found
