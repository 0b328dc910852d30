"""Basic graph patterns: every way to make all triple patterns triples of the graph (SPARQL 1.1, section 18.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gtopss.algebra.evaluation import STEPS_PER_TRIPLE, Evaluation, Row
from gtopss.model import Term, Triple


def extend_by_triples(row: Row, edges: Sequence[Triple], evaluation: Evaluation) -> Iterator[Row]:
    """Yield the solutions of a basic graph pattern that are compatible with `row`, joined with it.

    Depth-first with a stack of iterators in place of recursion: a pattern may be longer than Python's stack.
    """
    stack: list[tuple[Iterator[Row], Sequence[Triple]]] = [(iter((row,)), edges)]
    while stack:
        rows, left = stack[-1]
        values = next(rows, None)
        if values is None:
            stack.pop()
        elif left:
            chosen = left[0] if len(left) == 1 else max(left, key=lambda edge: _known(edge, values))
            stack.append((_extensions(chosen, values, evaluation), [edge for edge in left if edge is not chosen]))
        else:
            yield values


def _known(edge: Triple, values: Row) -> int:
    """Return how much of a triple pattern is known; a property alone says least."""
    subject, property, object_ = edge
    return (
        2 * (subject[0] != "?" or subject in values)
        + (property[0] != "?" or property in values)
        + 2 * (object_[0] != "?" or object_ in values)
    )


def _extensions(edge: Triple, values: Row, evaluation: Evaluation) -> Iterator[Row]:
    """Yield the ways to make one triple pattern a triple of the graph."""
    subject, property, object_ = (_term(part, values) for part in edge)
    found = evaluation.graph.candidates(subject, property, object_)
    evaluation.context.budget.spend(STEPS_PER_TRIPLE * (1 + len(found)))
    unbound = [(place, edge[place]) for place, part in enumerate((subject, property, object_)) if part is None]
    for triple in found:
        if object_ is not None and triple[2] != object_:
            continue
        extended = dict(values)
        for place, name in unbound:
            if extended.setdefault(name, triple[place]) != triple[place]:
                break
        else:
            evaluation.spend_solution(extended)
            yield extended


def _term(part: Term, values: Row) -> Term | None:
    return values.get(part) if part[0] == "?" else part
