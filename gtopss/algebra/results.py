"""The results of whole queries: rows of SELECT and ASK, graphs of CONSTRUCT and DESCRIBE (SPARQL 1.1, section 16)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from gtopss.algebra.dataset import Dataset
from gtopss.algebra.evaluation import STEPS_PER_TRIPLE, Evaluation, Row
from gtopss.algebra.patterns import evaluate_pattern
from gtopss.model import Call, Term, Triple
from gtopss.model.algebra import GRAPH_FORMS, as_call, as_term, edges_of
from gtopss.model.terms import is_blank, is_hidden, is_iri, is_literal, is_variable
from gtopss.semantics import BudgetExceeded
from gtopss.semantics.context import EvaluationContext


class QueryResult(NamedTuple):
    """The graph of CONSTRUCT or DESCRIBE; `truncated` says that a limit ended it, `reached` says which budget."""

    triples: tuple[Triple, ...]
    truncated: bool
    reached: BudgetExceeded | None = None


def start_evaluation(context: EvaluationContext, dataset: Dataset, rows: Sequence[Row] | None = None) -> Evaluation:
    """Return the state in which a whole query is evaluated. `rows` are the solutions of its step ROWS."""
    return Evaluation(context, dataset, dataset.default, {}, evaluate_pattern, rows)


def query_rows(
    query: Call, context: EvaluationContext, dataset: Dataset, rows: Sequence[Row] | None = None
) -> Iterator[Row]:
    """Yield the solutions of a query; for ASK, one empty solution if there is one. Raises BudgetExceeded.

    `rows` are the solutions of its step ROWS, if they are known.
    """
    evaluation = start_evaluation(context, dataset, rows)
    if query.function in GRAPH_FORMS:
        return evaluate_pattern(as_call(query.arguments[0]), evaluation)
    if query.function == "ASK":
        found = evaluate_pattern(as_call(query.arguments[0]), evaluation)
        return ({} for _ in islice(found, 1))
    return evaluate_pattern(query, evaluation)


def evaluate_query(
    query: Call,
    context: EvaluationContext,
    dataset: Dataset,
    row_limit: int,
    value_limit: int,
    rows: Sequence[Row] | None = None,
) -> QueryResult:
    """Return the graph of a CONSTRUCT or DESCRIBE query. `rows` are the solutions of its step ROWS, if known.

    At most `row_limit` solutions are used, and the graph has at most `value_limit` terms, but at least one triple.
    """
    return graph_of(query, query_rows(query, context, dataset, rows), context, dataset, row_limit, value_limit)


def graph_of(
    query: Call,
    solutions: Iterable[Row],
    context: EvaluationContext,
    dataset: Dataset,
    row_limit: int,
    value_limit: int,
) -> QueryResult:
    """Return the graph that a CONSTRUCT or DESCRIBE query makes of the solutions of its pattern."""
    if query.function == "CONSTRUCT":
        made = _constructed(query, solutions, context, row_limit)
    else:
        made = _described(query, solutions, context, dataset, row_limit)
    found: dict[Triple, None] = {}
    try:
        for triple in made:
            if triple is None:
                return QueryResult(tuple(found), truncated=True)
            if triple not in found:
                if found and 3 * (len(found) + 1) > value_limit:
                    return QueryResult(tuple(found), truncated=True)
                context.budget.spend(STEPS_PER_TRIPLE)
                found[triple] = None
    except BudgetExceeded as reached:
        return QueryResult(tuple(found), truncated=True, reached=reached)
    return QueryResult(tuple(found), truncated=False)


def _constructed(
    query: Call, rows: Iterable[Row], context: EvaluationContext, row_limit: int
) -> Iterator[Triple | None]:
    """Yield the triples of the template for each solution, None where the row limit ends it.

    A triple with a missing value, or one that is no RDF, is left out. Blank nodes are new for each solution.
    """
    template = edges_of(query)
    prefix = _unused_prefix(context)
    for number, row in enumerate(rows):
        if number == row_limit:
            yield None
            return
        for triple in template:
            made = [_instance(part, row, f"{prefix}{number}") for part in triple]
            subject, property, object_ = made
            if subject is None or property is None or object_ is None:
                continue
            if not is_literal(subject) and is_iri(property):
                yield subject, property, object_


def _instance(part: Term, row: Row, prefix: str) -> Term | None:
    if is_hidden(part):  # a blank node of the template
        return Term(f"{prefix}{part[3:]}")
    return row.get(part) if is_variable(part) else part


def _unused_prefix(context: EvaluationContext) -> str:
    """Return the beginning of labels for new blank nodes that the publication does not have."""
    used = {end for triple in context.publication.triples for end in (triple[0], triple[2]) if is_blank(end)}
    prefix = "_:new"
    while any(label.startswith(prefix) for label in used):
        prefix += "x"
    return prefix


def _described(
    query: Call, rows: Iterable[Row], context: EvaluationContext, dataset: Dataset, row_limit: int
) -> Iterator[Triple | None]:
    """Yield the triples of each described term: those that it is the subject of, and of blank nodes in them."""
    described = [as_term(each) for each in query.arguments[1:]]
    seen: set[Term] = set()
    limited = False
    waiting: list[Term] = []
    for number, row in enumerate(rows):
        limited = number == row_limit
        if limited:
            break
        waiting += [found for name in described if (found := row.get(name) if is_variable(name) else name) is not None]
    waiting.reverse()
    while waiting:
        term = waiting.pop()
        if term in seen:
            continue
        seen.add(term)
        for triple in dataset.default.candidates(term, None, None):
            yield triple
            if is_blank(triple[2]):
                waiting.append(triple[2])
    if limited:
        yield None
