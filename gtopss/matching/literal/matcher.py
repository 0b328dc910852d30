"""The printed structure of G-ToPSS in flat arrays and compiled loops: the matcher `gm-literal`.

It is to the default matcher what `reference` is to a program in C: section 4's two-level hash table, numbered stars,
counted edges and joined binding tables, with nothing added but the corrections that `reference.py` lists. The default
matcher departs from this structure. So that each departure can be measured and not only stated, `GraphDepartures`
replaces one printed part after the other (`gtopss compare gtopss-departures`).

| paper                    | here                                                                                |
|--------------------------|-------------------------------------------------------------------------------------|
| GM.T1, T2                | `MergedGraph.pairs`, `labels` (`kernels/tables.py`)                                 |
| E.subs, S.edges          | `subs`, `edges`                                                                     |
| E.bindingTable           | `BindingTables.rows` (`kernels/fire.py`)                                            |
| S.edgeCount, SubSet      | `Scratch.counts`, `candidates`                                                      |
| b ⋈ E2.bindingTable      | `kernels/join.py`                                                                   |
| CheckConstraint          | `kernels/match.py` for comparisons with integers; every constraint again in Python  |

GM is built anew by the first match after a change, because this matcher exists for matching alone: it has no optional
capabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Unpack

import numpy as np

from gtopss.matching.literal.kernels.fire import BindingTables
from gtopss.matching.literal.kernels.layout import Numbers, Reals
from gtopss.matching.literal.kernels.match import (
    CANDIDATES,
    FIRED,
    FIRST_ROW,
    JOINED,
    MEMBER,
    PATTERN,
    PROBED,
    ROW_COUNT,
    TESTED,
    continue_join,
    match_publications,
    open_join,
)
from gtopss.matching.literal.merged_graph import BuiltGraph, GraphDepartures, build_graph, integer_value
from gtopss.matching.match_collector import MatchCollector
from gtopss.matching.matcher import MatcherLimits, OneByOneMatcher
from gtopss.model import Branch, Counters, MatchReport, Publication, Solution, Subscription, Term
from gtopss.semantics import BranchExpressions, EvaluationContext, compile_expressions
from ontology import Taxonomy

Row = tuple[int, ...]


class EncodedPublications:
    """Publications as numbers of terms, for the kernels."""

    def __init__(self, publications: Sequence[Publication], graph: BuiltGraph) -> None:
        known, local = graph.numbers, dict[Term, int]()

        def number(term: Term) -> int:
            found = known.get(term)
            return local.setdefault(term, len(known) + len(local)) if found is None else found

        self.triples: Numbers = np.array(
            [list(map(number, triple)) for each in publications for triple in each.triples], np.int32
        ).reshape(-1, 3)
        self.offsets: Numbers = np.cumsum([0, *(len(each.triples) for each in publications)]).astype(np.int32)
        self.terms: dict[int, Term] = {}
        self.values: Reals = np.full(len(known) + len(local) if graph.has_bounds else 1, np.nan)
        for each in publications:
            for triple in each.triples:
                for term in triple:
                    self.terms[number(term)] = term
        if graph.has_bounds:
            for place, term in self.terms.items():
                self.values[place] = integer_value(term)


class LiteralMatcher(OneByOneMatcher):
    """Match as the paper prints it, in compiled code. For one thread at a time."""

    name = "gm-literal"

    def __init__(
        self, taxonomy: Taxonomy, *, departures: GraphDepartures | None = None, **limits: Unpack[MatcherLimits]
    ) -> None:
        super().__init__(taxonomy, **limits)
        self._departures = departures or GraphDepartures()
        self._expressions: dict[str, list[BranchExpressions]] = {}
        self._graph: BuiltGraph | None = None
        self._branches: list[tuple[Subscription, Branch, BranchExpressions]] = []
        self._edgeless: list[int] = []

    def _insert(self, subscription: Subscription) -> None:
        self._expressions[subscription.id] = [
            compile_expressions(subscription.id, branch) for branch in subscription.branches
        ]
        self._graph = None

    def _discard(self, subscription: Subscription) -> None:
        del self._expressions[subscription.id]
        self._graph = None

    def graph(self) -> BuiltGraph:
        """Return GM of all subscriptions; build it if subscriptions changed."""
        if self._graph is None:
            self._branches = [
                (each, branch, expressions)
                for each in self._subscriptions.values()
                for branch, expressions in zip(each.branches, self._expressions[each.id], strict=True)
            ]
            self._edgeless = [number for number, (_, branch, _) in enumerate(self._branches) if not branch.tuples]
            self._graph = build_graph([branch for _, branch, _ in self._branches], self._departures)
        return self._graph

    def search(self, encoded: EncodedPublications) -> tuple[Numbers, Numbers, Numbers, BindingTables]:
        """Run Algorithm match for publications, without the constraints that only Python can test."""
        graph = self.graph()
        found: tuple[Numbers, Numbers, Numbers, BindingTables] = match_publications(
            graph.arrays,
            self._departures.for_kernels(),
            graph.scratch,
            encoded.triples,
            encoded.offsets,
            encoded.values,
        )
        return found

    def encoded_search(self, publications: Sequence[Publication]) -> Callable[[], object]:
        """Encode publications, and return the search for them alone, for measurements."""
        return partial(self.search, EncodedPublications(publications, self.graph()))

    def _match_one(self, publication: Publication, row_limit: int) -> MatchReport:
        graph = self.graph()
        encoded = EncodedPublications([publication], graph)
        found, values, counted, tables = self.search(encoded)
        counters = Counters(
            edges_probed=int(counted[PROBED]),
            edges_fired=int(counted[FIRED]),
            candidates=int(counted[CANDIDATES]) + len(self._edgeless),
            joined=int(counted[JOINED]) + len(self._edgeless),
            constraints_tested=int(counted[TESTED]),
        )
        rows: dict[int, Iterator[Row]] = {number: iter([()]) for number in self._edgeless}
        for result in found.tolist():
            many = result[ROW_COUNT] < 0
            kept = self._all_rows(graph, tables, result[PATTERN]) if many else _kept_rows(graph, values, result)
            rows[result[MEMBER]] = kept
        return self._report(publication, encoded, rows, row_limit, counters)

    def _report(
        self,
        publication: Publication,
        encoded: EncodedPublications,
        rows: dict[int, Iterator[Row]],
        row_limit: int,
        counters: Counters,
    ) -> MatchReport:
        context = self._context(publication)
        collector = MatchCollector(context, row_limit)
        by_subscription: dict[str, list[int]] = {}
        for number in sorted(rows):
            by_subscription.setdefault(self._branches[number][0].id, []).append(number)
        for subscription_id, numbers in by_subscription.items():
            solutions = (
                Solution.of(self._branches[number][1], values)
                for number in numbers
                for values in self._checked(number, rows[number], encoded, context, counters)
            )
            collector.add(self._subscriptions[subscription_id], solutions)
        return collector.report(counters)

    def _all_rows(self, graph: BuiltGraph, tables: BindingTables, pattern: int) -> Iterator[Row]:
        """Yield the rows of a pattern that has many, block by block."""
        state = open_join(graph.arrays, self._departures.for_kernels(), graph.scratch, tables, pattern)
        while len(block := continue_join(graph.arrays, graph.scratch, tables, pattern, state)):
            yield from map(tuple, block.tolist())

    def _checked(
        self,
        number: int,
        rows: Iterator[Row],
        encoded: EncodedPublications,
        context: EvaluationContext,
        counters: Counters,
    ) -> Iterator[dict[Term, Term]]:
        """Yield the rows that satisfy the constraints of a branch: Algorithm CheckConstraint."""
        expressions = self._branches[number][2]
        columns = self.graph().columns[number]
        for row in rows:
            values = {name: encoded.terms[value] for name, value in zip(columns, row, strict=True)}
            if expressions.check(values, context, counters):
                yield values


def _kept_rows(graph: BuiltGraph, values: Numbers, result: list[int]) -> Iterator[Row]:
    """Yield the rows that the kernels returned for one result."""
    stars = int(graph.arrays.stars[result[PATTERN]])
    for row in range(result[ROW_COUNT]):
        first = result[FIRST_ROW] + row * stars
        yield tuple(values[first : first + stars].tolist())
