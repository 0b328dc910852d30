"""Explain the part of a query that is evaluated after the index: what each step left, and what made a test fail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from gtopss.algebra import Dataset, query_rows
from gtopss.algebra.evaluation import Evaluation, Row
from gtopss.algebra.results import start_evaluation
from gtopss.algebra.steps import STEPS
from gtopss.explain.explanation import QueryExplanation
from gtopss.language.row_source import find_row_source
from gtopss.model import Call, Expression, Publication, Subscription, Term
from gtopss.model.algebra import FORMS, UNDEFINED, as_call, edges_of, text_of
from gtopss.model.dataset_publication import named_graphs
from gtopss.model.expressions import calls_in, expression_text, variables
from gtopss.semantics import BudgetExceeded, EvaluationContext, EvaluationLimits
from gtopss.semantics.lenient_literals import LiteralRules
from ontology import Taxonomy

MAX_EXPLAINED_ROWS = 1_000
"""Solutions that are followed from step to step; with more, counts are lower bounds."""
_HIDDEN = re.compile(r"\?_:[A-Za-z0-9]+")
_IS_BLANK = re.compile(r"\?_:(?!q\d)")  # hidden, and not the result of an aggregate
_AROUND = frozenset(("SELECT", "ORDER", "DISTINCT", "SLICE"))


def explain_query(
    subscription: Subscription,
    publication: Publication,
    taxonomy: Taxonomy,
    limits: EvaluationLimits,
    literals: LiteralRules = "sparql",
) -> QueryExplanation:
    """Explain the query of a subscription in one publication."""
    query = subscription.query
    assert query is not None
    dataset = Dataset(publication.triples, named_graphs(publication))
    indexed = tuple(indexed_parts(subscription))
    try:
        context = EvaluationContext(publication, taxonomy, limits, literals)
        matched = next(query_rows(query, context, dataset), None) is not None
    except BudgetExceeded as reached:
        return QueryExplanation(False, False, indexed, (f"the evaluation ended at {reached.limit}",))
    lines: list[str] = []
    try:
        evaluation = start_evaluation(EvaluationContext(publication, taxonomy, limits, literals), dataset)
        for line in _explained(query, evaluation):
            lines.append(line)
    except BudgetExceeded as reached:
        lines.append(f"the explanation ended at {reached.limit}")
    return QueryExplanation(matched, True, indexed, tuple(lines))


def indexed_parts(subscription: Subscription) -> Iterator[str]:
    """Yield, for each branch, what a publication must have so that the query is evaluated for it."""
    source = None if subscription.query is None else find_row_source(subscription.query)
    for branch in subscription.branches if source is None else source.branches:
        parts = [_edge_text(edge) for edge in branch.edges()]
        parts += [_requirement_text(test) for test in branch.constraints()]
        yield " ".join(parts) if parts else "nothing: it is evaluated for each publication"


def evaluated_parts(subscription: Subscription) -> Iterator[str]:
    """Yield what of a query is evaluated after the index, step by step."""
    if subscription.query is not None:
        source = find_row_source(subscription.query)
        query = subscription.query if source is None else source.query
        shown = _AggregateNames(query)
        steps = (step for step in _steps(_core(query)) if step.function != "ROWS" and not _is_numbering(step))
        yield from (shown(pattern_text(step)) for step in steps)
        yield from map(shown, _around_texts(query))


def _requirement_text(test: Call) -> str:
    """Return a constraint of the required part as text; a triple that must not be there as SPARQL writes it."""
    match test:
        case Call("!", (Call("STATED", (subject, property, *object_)),)):
            return f"NOT EXISTS {{ {subject} {property} {object_[0] if object_ else '?any'} }}"
    return f"FILTER {expression_text(test)}"


def _core(query: Call) -> Call:
    """Return the pattern inside of projection, order and limits."""
    return _layers(query)[-1]


def _layers(query: Call) -> list[Call]:
    """Return projection, order and limits, from the outermost one, and the pattern inside of them."""
    layers = [as_call(query.arguments[0]) if query.function in FORMS else query]
    while layers[-1].function in _AROUND:
        layers.append(as_call(layers[-1].arguments[0]))
    return layers


def _around_texts(query: Call) -> Iterator[str]:
    """Yield what is done with the solutions at the end: their order, their number."""
    for layer in reversed(_layers(query)[:-1]):
        match layer.function:
            case "ORDER":
                keys = (
                    f"{as_call(key).function}({_test_text(as_call(key).arguments[0])})" for key in layer.arguments[1:]
                )
                yield f"ORDER BY {' '.join(keys)}"
            case "DISTINCT":
                yield "DISTINCT"
            case "SLICE":
                offset, limit = layer.arguments[1:]
                parts = [] if limit == UNDEFINED else [f"LIMIT {text_of(limit)}"]
                yield " ".join(parts if text_of(offset) == "0" else [*parts, f"OFFSET {text_of(offset)}"])


class _AggregateNames:
    """Write `COUNT(?a)` where a text has the variable that evaluation uses for it."""

    def __init__(self, query: Call) -> None:
        self._texts = {
            str(named.arguments[1]): _aggregate_text(as_call(named.arguments[0]))
            for call in calls_in([query])
            if call.function == "AGGREGATES"
            for named in map(as_call, call.arguments[2:])
        }

    def __call__(self, text: str) -> str:
        return _HIDDEN.sub(lambda found: self._texts.get(found[0], found[0]), text)


def _aggregate_text(aggregate: Call) -> str:
    name, distinct, of, *_ = aggregate.arguments
    each = "*" if isinstance(of, Call) and of.function == "ALL" else _test_text(of)
    return f"{text_of(name)}({'DISTINCT ' if text_of(distinct) == 'distinct' else ''}{each})"


def _steps(pattern: Call) -> list[Call]:
    """Return the steps of a pattern, those of the pattern that is grouped before those of its groups."""
    if pattern.function == "AGGREGATES":
        return [*_steps(as_call(pattern.arguments[0])), Call("JOIN", (pattern,))]
    if pattern.function != "GROUP":
        return [Call("JOIN", (pattern,))]
    steps = [as_call(step) for step in pattern.arguments]
    if steps and steps[0].function == "JOIN" and as_call(steps[0].arguments[0]).function in ("AGGREGATES", "GROUP"):
        inner = as_call(steps[0].arguments[0])
        if inner.function == "GROUP":
            return [*_steps(inner), *steps[1:]]
        return [*_steps(as_call(inner.arguments[0])), *steps]
    return steps


def _explained(query: Call, evaluation: Evaluation) -> Iterator[str]:
    rows: list[Row] = [{}]
    shown = _AggregateNames(query)
    for step in _steps(_core(query)):
        is_group = step.function == "JOIN" and as_call(step.arguments[0]).function == "AGGREGATES"
        before = [{}] if is_group else rows
        found = list(islice(STEPS[step.function](iter(before), step, evaluation), MAX_EXPLAINED_ROWS))
        if not _is_numbering(step):
            yield from map(shown, _step_lines(step, before, found, evaluation, is_group=is_group))
        rows = found
        if not rows:
            return


def _is_numbering(step: Call) -> bool:
    """Return whether a step only numbers the solutions, for BNODE and UUID."""
    return step.function == "BIND" and step.arguments[0] == Call("SOLUTION", ())


def _step_lines(
    step: Call, before: list[Row], found: list[Row], evaluation: Evaluation, *, is_group: bool
) -> Iterator[str]:
    """Yield what to say of one step: how many solutions it left, and what is missing or in the way."""
    text = pattern_text(step)
    if is_group:
        yield f"{_counted(len(found), 'group')}: {text}"
    elif step.function == "OPTIONAL":
        alone = sum(1 for row in before if row in found)
        there = f"is there for {len(before) - alone} of {_counted(len(before), 'solution')}"
        yield f"{text}: {'is not there' if before and alone == len(before) else there}"
    elif step.function in ("FILTER", "MINUS"):
        if len(found) < len(before):
            yield f"{text}: keeps {len(found)} of {_counted(len(before), 'solution')}"
            lost = next(row for row in before if row not in found)
            yield from _witness(step, lost, evaluation)
        else:
            yield f"{text}: holds"
    elif not found:
        yield f"{text}: has no solution"
    else:
        yield f"{text}: {_counted(len(found), 'solution')}"


def _counted(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count < 2 else 's'}"


def _witness(step: Call, row: Row, evaluation: Evaluation) -> Iterator[str]:
    """Yield the triples that made NOT EXISTS or MINUS fail for a row, or that EXISTS did not find."""
    pattern = step.arguments[0]
    if step.function == "MINUS":
        yield from _found(as_call(pattern), row, evaluation, "MINUS finds")
        return
    for test in pattern.arguments if isinstance(pattern, Call) and pattern.function == "&&" else (pattern,):
        if not isinstance(test, Call):
            continue
        if test.function == "!" and isinstance(test.arguments[0], Call) and test.arguments[0].function == "EXISTS":
            yield from _found(as_call(test.arguments[0].arguments[0]), row, evaluation, "NOT EXISTS fails, because of")
        elif test.function == "EXISTS":
            yield f"EXISTS finds nothing for {_row_text(row)}"
        else:
            unbound = [name for name in variables(test) if name not in row]
            why = f": {', '.join(unbound)} {'has' if len(unbound) == 1 else 'have'} no value" if unbound else ""
            yield f"it is not true for {_row_text(row)}{why}"


def _found(pattern: Call, row: Row, evaluation: Evaluation, head: str) -> Iterator[str]:
    inner = Evaluation(evaluation.context, evaluation.dataset, evaluation.graph, row, evaluation.evaluate_pattern)
    solution = next(inner.pattern(pattern), None)
    if solution is None:
        return
    triples = [
        " ".join(solution.get(part, part) for part in edge)
        for step in _steps(pattern)
        if step.function == "TRIPLES"
        for edge in edges_of(step)
    ]
    yield f"{head} {' . '.join(triples) or _row_text(solution)}"


def _row_text(row: Row) -> str:
    """Return the values of a solution: those of named variables, and of the aggregates of its group."""
    shown = ", ".join(f"{name} = {value}" for name, value in row.items() if not _IS_BLANK.match(name))
    return shown or "the solution without values"


def pattern_text(node: Expression) -> str:
    """Return a part of the algebra in the words of SPARQL, as far as one line allows."""
    if not isinstance(node, Call):
        return node
    match node.function:
        case "TRIPLES":
            return " ".join(_edge_text(edge) for edge in edges_of(node))
        case "PATH":
            subject, path, object_ = node.arguments
            return f"{subject} {_path_text(path)} {object_} ."
        case "GROUP":
            return " ".join(pattern_text(each) for each in node.arguments if not _is_numbering(as_call(each)))
        case "JOIN":
            return f"{{ {pattern_text(node.arguments[0])} }}"
        case "UNION":
            return " UNION ".join(f"{{ {pattern_text(arm)} }}" for arm in node.arguments)
        case "OPTIONAL":
            pattern, condition = node.arguments
            test = "" if condition == UNDEFINED else f" FILTER {_test_text(condition)}"
            return f"OPTIONAL {{ {pattern_text(pattern)}{test} }}"
        case "MINUS":
            return f"MINUS {{ {pattern_text(node.arguments[0])} }}"
        case "GRAPH":
            return f"GRAPH {node.arguments[0]} {{ {pattern_text(node.arguments[1])} }}"
        case "FILTER":
            return f"FILTER {_test_text(node.arguments[0])}"
        case "BIND":
            return f"BIND ({_test_text(node.arguments[0])} AS {node.arguments[1]})"
        case "VALUES":
            return "VALUES"
        case "AGGREGATES":
            keys = [str(as_call(key).arguments[0]) for key in as_call(node.arguments[1]).arguments]
            return f"GROUP BY {' '.join(keys)}" if keys else "all solutions as one group"
    inner = [each for each in node.arguments if isinstance(each, Call)]
    return pattern_text(inner[0]) if inner else node.function


def _test_text(tree: Expression) -> str:
    if isinstance(tree, Call):
        if tree.function == "EXISTS":
            return f"EXISTS {{ {pattern_text(tree.arguments[0])} }}"
        if tree.function == "!" and isinstance(tree.arguments[0], Call) and tree.arguments[0].function == "EXISTS":
            return f"NOT {_test_text(tree.arguments[0])}"
        if tree.function == "&&" and len(tree.arguments) == 1:
            return _test_text(tree.arguments[0])
    return expression_text(_as_written(tree))


def _as_written(tree: Expression) -> Expression:
    """Return an expression with BNODE, UUID and STRUUID as the text of the query has them."""
    if not isinstance(tree, Call):
        return tree
    arguments = tuple(map(_as_written, tree.arguments))
    if tree.function == "NEW":
        return Call(text_of(arguments[0]), arguments[3:])
    return Call(tree.function, arguments)


def _edge_text(edge: tuple[Term, Term, Term]) -> str:
    return f"{' '.join(edge)} ."


def _path_text(path: Expression) -> str:
    if not isinstance(path, Call):
        return path
    parts = [_path_text(each) for each in path.arguments if isinstance(each, Call) or each[0] == "<"]
    match path.function:
        case "INVERSE":
            return f"^{parts[0]}"
        case "SEQUENCE":
            return f"({'/'.join(parts)})"
        case "ALTERNATIVE":
            return f"({'|'.join(parts)})"
        case "REPEAT":
            return f"({parts[0]}){text_of(path.arguments[1])}"
    return f"!({'|'.join(parts)})"
