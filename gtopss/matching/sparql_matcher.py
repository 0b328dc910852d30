"""Match with a SPARQL engine: one query per branch of a subscription, and a whole query as it is.

It is an oracle that shares only the parser with the other matchers. `sparql.py` writes branches and expressions as
text, `sparql_patterns.py` writes queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import ClassVar, NamedTuple, Protocol, TypeAlias, Unpack

from gtopss.algebra import Dataset
from gtopss.algebra.results import graph_of
from gtopss.errors import InvalidTerm, MalformedPublication, UnsupportedSubscription
from gtopss.matching.match_collector import EngineFailure, MatchCollector
from gtopss.matching.matcher import Capabilities, MatcherLimits, OneByOneMatcher
from gtopss.matching.query_answers import result_branch
from gtopss.matching.sparql import (
    ASSERTED,
    EQUIVALENT,
    KNOWN_TYPE,
    LABEL,
    LITERAL_TYPE,
    SUBCLASS,
    TYPE,
    node,
    portable,
    query_of,
    restored,
)
from gtopss.matching.sparql_patterns import QueryText, write_query
from gtopss.model import Branch, Counters, MatchReport, Publication, Row, Solution, Subscription
from gtopss.model.algebra import GRAPH_FORMS
from gtopss.model.dataset_publication import named_graphs
from gtopss.model.terms import RDF_TYPE, Term, Triple, is_literal, literal
from gtopss.semantics import check_expressions
from ontology import Taxonomy
from ontology.labels import label_key

PreparedQuery: TypeAlias = Callable[[int], Iterator[Row]]


class SparqlEngine(Protocol):
    """The protocol of a SPARQL engine: a default graph and named graphs that are replaced, and one that stays."""

    def load(
        self,
        publication: Iterable[Triple],
        taxonomy: Iterable[Triple],
        graphs: Mapping[Term, Iterable[Triple]] = {},
    ) -> None:
        """Make these the default graph, the graph `TAXONOMY`, and the other named graphs."""

    def prepare(self, query: str, columns: int, *, has_limit: bool = False) -> PreparedQuery:
        """Prepare a query, to be run with a limit; rows have the terms of ?v0, ?v1, ... .

        `has_limit` says that the query ends with a LIMIT or OFFSET of its own.
        """
        ...


class _PreparedBranch(NamedTuple):
    """A query of the engine; the rows of a branch, or of a whole query."""

    columns: Branch
    run: PreparedQuery


class SparqlMatcher(OneByOneMatcher):
    """Run one query per branch of every subscription. For one thread at a time.

    `sparql_engines` has a subclass per SPARQL engine.
    """

    engine_class: ClassVar[Callable[[], SparqlEngine]]
    capabilities = Capabilities(queries=True)

    def __init__(self, taxonomy: Taxonomy, **limits: Unpack[MatcherLimits]) -> None:
        super().__init__(taxonomy, **limits)
        self._engine = type(self).engine_class()
        self._taxonomy_version = -1
        self._taxonomy_triples: list[Triple] = []
        self._queries: dict[str, list[_PreparedBranch]] = {}

    def _insert(self, subscription: Subscription) -> None:
        check_expressions(subscription)
        queries = []
        for columns, query in self._texts(subscription):
            try:
                run = self._engine.prepare(query.text, len(query.columns), has_limit=query.has_limit)
                queries.append(_PreparedBranch(columns, run))
            except Exception as error:  # whatever a foreign parser raises: it cannot answer this one
                raise UnsupportedSubscription(
                    subscription.id, self.name, f"its engine refuses {query.text[:500]}: {_described(error)}"
                ) from error
        self._queries[subscription.id] = queries

    def _texts(self, subscription: Subscription) -> Iterator[tuple[Branch, QueryText]]:
        """Yield the queries of a subscription, each with the columns of its rows."""
        if subscription.query is not None:
            made = write_query(subscription.id, subscription.query, subscription.select, self._literals)
            yield result_branch(made.columns), made
            return
        for branch in subscription.branches:
            text = query_of(subscription.id, branch, self._literals)
            yield branch, QueryText(text, tuple(branch.columns()), has_limit=False)

    def _discard(self, subscription: Subscription) -> None:
        del self._queries[subscription.id]

    def _match_one(self, publication: Publication, row_limit: int) -> MatchReport:
        try:
            triples = _portable(publication.triples)
            inferred = set(_portable(publication.inferred))
            stated = [each for each in triples if each not in inferred]
            graphs = {portable(name): _portable(each) for name, each in named_graphs(publication).items()}
            self._engine.load(triples, self._is_a_graph(stated), graphs)
        except Exception as error:  # whatever a foreign library raises: it cannot hold this publication
            reason = f"the {self.name} matcher cannot load it: {_described(error)}"
            raise MalformedPublication(reason, publication_id=publication.id) from error
        counters, collector = Counters(), MatchCollector(self._context(publication), row_limit)
        for subscription in self._subscriptions.values():
            queries = self._queries[subscription.id]
            counters.candidates += len(queries)
            query = subscription.query
            if query is not None and query.function in GRAPH_FORMS:
                self._add_graph(subscription, queries, collector, counters)
                continue
            solutions = _solutions(queries, row_limit + 1, counters)
            collector.add(
                subscription, islice(solutions, 1) if query is not None and query.function == "ASK" else solutions
            )
        return collector.report(counters)

    def _add_graph(
        self, subscription: Subscription, queries: list[_PreparedBranch], collector: MatchCollector, counters: Counters
    ) -> None:
        """Add the graph that is made of the engine's solutions of a CONSTRUCT or DESCRIBE query."""
        assert subscription.query is not None
        query, context = subscription.query, collector.context
        limits = context.budget.limits
        most, values = (collector.row_limit, limits.match_values) if collector.row_limit else (limits.work, 1)
        context.budget.start_subscription()
        with collector.while_possible(subscription.id):
            rows = (solution.values() for solution in _solutions(queries, most + 1, counters))
            dataset = Dataset(context.publication.triples)
            collector.add_graph(subscription, graph_of(query, rows, context, dataset, most, values))

    def _is_a_graph(self, triples: list[Triple]) -> list[Triple]:
        if self._taxonomy.version != self._taxonomy_version:
            self._taxonomy_triples = list(_taxonomy_triples(self._taxonomy))
            self._taxonomy_version = self._taxonomy.version
        types = [(s, o) for s, p, o in triples if p == RDF_TYPE]
        stated = [(s, LITERAL_TYPE if is_literal(o) else TYPE, o) for s, o in types]
        return self._taxonomy_triples + stated + [(s, ASSERTED, o) for s, o in types]


def _portable(triples: Iterable[Triple]) -> list[Triple]:
    return [(portable(s), portable(p), portable(o)) for s, p, o in triples]


def _solutions(queries: Iterable[_PreparedBranch], limit: int, counters: Counters) -> Iterator[Solution]:
    """Run the queries of a subscription. Raises EngineFailure for whatever the SPARQL engine raises."""
    for columns, run in queries:
        try:
            for row in run(limit):
                counters.joined += 1
                yield Solution(columns, tuple(value and restored(value) for value in row))
        except Exception as error:
            raise EngineFailure(_described(error)) from error


def _described(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"


def _taxonomy_triples(taxonomy: Taxonomy) -> Iterator[Triple]:
    for child, parent, kind in taxonomy.edges():
        for link in (SUBCLASS,) if kind == "subclass" else (TYPE, KNOWN_TYPE):
            yield node(child), link, node(parent)
    for child, parent, _ in taxonomy.asserted_edges():
        yield node(child), ASSERTED, node(parent)
    for cls in taxonomy.classes:
        for other in taxonomy.equivalents(cls):
            if other != cls:
                yield node(cls), EQUIVALENT, node(other)
    for term, _, text, _ in taxonomy.labels.statements():
        with suppress(InvalidTerm):  # no publication has such a text
            yield node(term), LABEL, literal(label_key(text))
