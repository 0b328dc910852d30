"""A simple index in Python: each subscription under its rarest constant, then a backtracking search."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from gtopss.experiments.peers.subscription_shapes import most_bound_first
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Subscription, Term, Triple
from gtopss.model.terms import is_variable
from gtopss.semantics import BranchExpressions, EvaluationContext, compile_expressions
from ontology import Taxonomy

Key: TypeAlias = tuple[int, Term]
Prepared: TypeAlias = tuple[str, list[Triple], BranchExpressions]


class RarestConstant:
    """A dictionary from (position, constant) to subscriptions; those without a constant are always tried."""

    name = "rarest constant, Python"
    tuning = "a dict from each subscription's rarest constant, nodes before properties; then plain backtracking"

    def declines(self, workload: Workload) -> str | None:
        return None

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy) -> None:
        self._taxonomy = taxonomy
        self._always: list[Prepared] = []
        self._listed: dict[Key, list[Prepared]] = defaultdict(list)
        branches = [(each.id, each.branches[0]) for each in subscriptions]
        frequency = Counter(key for _, branch in branches for edge in branch.edges() for key in enumerate(edge))
        for id, branch in branches:
            prepared = id, most_bound_first(branch.edges()), compile_expressions(id, branch)
            keys = [key for edge in prepared[1] for key in enumerate(edge) if not is_variable(key[1])]
            rarest = min(keys, key=lambda key: (key[0] == 1, frequency[key]), default=None)
            (self._always if rarest is None else self._listed[rarest]).append(prepared)

    def match_many(self, publications: Sequence[Publication]) -> Iterator[list[str]]:
        return map(self._match, publications)

    def _match(self, publication: Publication) -> list[str]:
        context, listed = EvaluationContext(publication, self._taxonomy), self._listed
        by_property: dict[Term, list[Triple]] = defaultdict(list)
        for triple in publication.triples:
            by_property[triple[1]].append(triple)
        keys = {key for triple in publication.triples for key in enumerate(triple) if key in listed}
        found = []
        for candidates in (self._always, *(listed[key] for key in keys)):
            for id, edges, expressions in candidates:
                if _satisfied(edges, 0, {}, by_property, expressions, context):
                    found.append(id)
        return found


def _satisfied(
    edges: list[Triple],
    place: int,
    values: dict[Term, Term],
    by_property: dict[Term, list[Triple]],
    expressions: BranchExpressions,
    context: EvaluationContext,
) -> bool:
    """Return whether the edges from `place` on match triples, given the values of the variables so far."""
    if place == len(edges):
        return all(test.holds(values, context) for test in expressions.tests)
    subject, property, object_ = (values.get(part, part) for part in edges[place])
    triples = context.publication.triples if is_variable(property) else by_property.get(property, ())
    for triple in triples:
        extended = values
        for part, found in zip((subject, property, object_), triple, strict=True):
            if part == found:
                continue
            if not is_variable(part) or extended.get(part, found) != found:
                break
            extended = {**extended, part: found}
        else:
            if _satisfied(edges, place + 1, extended, by_property, expressions, context):
                return True
    return False
