"""The steps of a group graph pattern: each takes the solutions so far and yields those with one more element."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TypeAlias

from gtopss.algebra.evaluation import Evaluation, Row
from gtopss.algebra.joins import difference, join, left_join, or_alone
from gtopss.algebra.paths import extend_by_path
from gtopss.algebra.triple_patterns import extend_by_triples
from gtopss.model import Call, Expression
from gtopss.model.algebra import UNDEFINED, as_call, as_term, edges_of
from gtopss.model.terms import is_variable

Step: TypeAlias = Callable[[Iterable[Row], Call, Evaluation], Iterator[Row]]
_SIMPLE = frozenset(("TRIPLES", "PATH"))


def evaluate_group(group: Call, evaluation: Evaluation) -> Iterator[Row]:
    """Yield the solutions of `GROUP(step, ...)`."""
    rows: Iterator[Row] = iter((dict(evaluation.given),))
    for step in group.arguments:
        each = as_call(step)
        rows = STEPS[each.function](rows, each, evaluation)
    return rows


def start_with_rows(rows: Iterable[Row], step: Call, evaluation: Evaluation) -> Iterator[Row]:
    """ROWS: the solutions that an index has found, or those of the steps in it. It is the first step of a query."""
    if evaluation.rows is not None:
        return iter(evaluation.rows)
    found = iter(rows)
    for each in map(as_call, step.arguments):
        found = STEPS[each.function](found, each, evaluation)
    return found


def match_triples(rows: Iterable[Row], step: Call, evaluation: Evaluation) -> Iterator[Row]:
    """TRIPLES: join with a basic graph pattern, by looking up what each solution leaves open."""
    edges = edges_of(step)
    return (extended for row in rows for extended in extend_by_triples(row, edges, evaluation))


def match_path(rows: Iterable[Row], step: Call, evaluation: Evaluation) -> Iterator[Row]:
    """PATH: join with a path of any length."""
    return (extended for row in rows for extended in extend_by_path(row, step, evaluation))


def join_pattern(rows: Iterable[Row], step: Call, evaluation: Evaluation) -> Iterator[Row]:
    """JOIN: join with a pattern, which is evaluated by itself."""
    return join(rows, evaluation.pattern(as_call(step.arguments[0])), evaluation)


def join_union(rows: Iterable[Row], step: Call, evaluation: Evaluation) -> Iterator[Row]:
    """UNION: join with the union of patterns."""
    arms = (evaluation.pattern(as_call(arm)) for arm in step.arguments)
    return join(rows, chain.from_iterable(arms), evaluation)


def join_optional(rows: Iterable[Row], step: Call, evaluation: Evaluation) -> Iterator[Row]:
    """OPTIONAL: the left join. One of triples and paths is looked up for each solution."""
    pattern = as_call(step.arguments[0])
    condition = None if step.arguments[1] == UNDEFINED else evaluation.condition(step.arguments[1])
    parts = [as_call(each) for each in pattern.arguments] if pattern.function == "GROUP" else []
    if pattern.function != "GROUP" or any(part.function not in _SIMPLE for part in parts):
        yield from left_join(rows, evaluation.pattern(pattern), condition, evaluation)
        return
    for row in rows:
        pairs: Iterator[Row] = iter((row,))
        for part in parts:
            pairs = STEPS[part.function](pairs, part, evaluation)
        yield from or_alone(row, pairs, condition, evaluation)


def subtract(rows: Iterable[Row], step: Call, evaluation: Evaluation) -> Iterator[Row]:
    """MINUS: the solutions that nothing in the pattern agrees with."""
    return difference(rows, evaluation.pattern(as_call(step.arguments[0])), evaluation)


def join_graph(rows: Iterable[Row], step: Call, evaluation: Evaluation) -> Iterator[Row]:
    """GRAPH: join with a pattern in one named graph, or in each of them."""
    name, pattern = as_term(step.arguments[0]), as_call(step.arguments[1])
    return join(rows, _in_graphs(name, pattern, evaluation), evaluation)


def _in_graphs(name: Expression, pattern: Call, evaluation: Evaluation) -> Iterator[Row]:
    named = evaluation.dataset.named
    term = as_term(name)
    wanted = evaluation.given.get(term) if is_variable(term) else term
    for graph_name, graph in named.items():
        if wanted is not None and graph_name != wanted:
            continue
        for row in evaluation.within(graph).pattern(pattern):
            if not is_variable(term):
                yield row
            elif row.get(term, graph_name) == graph_name:
                yield {**row, term: graph_name}


def bind(rows: Iterable[Row], step: Call, evaluation: Evaluation) -> Iterator[Row]:
    """BIND: give a variable the value of an expression; it stays unbound after a type error."""
    compute, name = evaluation.computation(step.arguments[0]), as_term(step.arguments[1])
    for row in rows:
        made = compute(row)
        evaluation.spend_solution(row)
        if made is None:
            yield row
        elif row.get(name, made) == made:
            yield {**row, name: made}


def join_values(rows: Iterable[Row], step: Call, evaluation: Evaluation) -> Iterator[Row]:
    """VALUES: join with inline solutions."""
    names = [as_term(name) for name in as_call(step.arguments[0]).arguments]
    table = [
        {name: as_term(cell) for name, cell in zip(names, as_call(row).arguments, strict=True) if cell != UNDEFINED}
        for row in step.arguments[1:]
    ]
    return join(rows, table, evaluation)


def keep_true(rows: Iterable[Row], step: Call, evaluation: Evaluation) -> Iterator[Row]:
    """FILTER: the solutions for which the expression is true."""
    return filter(evaluation.condition(step.arguments[0]), rows)


STEPS: dict[str, Step] = {
    "ROWS": start_with_rows,
    "TRIPLES": match_triples,
    "PATH": match_path,
    "JOIN": join_pattern,
    "UNION": join_union,
    "OPTIONAL": join_optional,
    "MINUS": subtract,
    "GRAPH": join_graph,
    "BIND": bind,
    "VALUES": join_values,
    "FILTER": keep_true,
}
"""The steps of a group by name."""
