"""Adapters for the two SPARQL engines that `SparqlMatcher` runs on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeAlias

import pyoxigraph as ox
import rdflib
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.operators import register_custom_function
from rdflib.plugins.sparql.sparql import SPARQLError
from rdflib.term import Identifier

from gtopss.matching.sparql import FOLD, TAXONOMY, WORDS, folded_label, holds_words
from gtopss.matching.sparql_matcher import PreparedQuery, SparqlMatcher
from gtopss.matching.sparql_patterns import NOT_TAXONOMY
from gtopss.model import Row, Term, Triple
from gtopss.model.rdflib_literals import quiet_rdflib
from gtopss.model.terms import cache_short_terms, from_rdflib, iri_text, is_blank, is_iri, literal_parts, to_rdflib

_OxigraphTerm: TypeAlias = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple
_GraphName: TypeAlias = ox.NamedNode | ox.BlankNode


class Oxigraph:
    """pyoxigraph, in memory. The taxonomy's graph is kept between publications; only what differs is changed."""

    def __init__(self) -> None:
        self.store = ox.Store()
        self._taxonomy: set[Triple] = set()
        self._graphs: list[_GraphName] = []

    def load(
        self,
        publication: Iterable[Triple],
        taxonomy: Iterable[Triple],
        graphs: Mapping[Term, Iterable[Triple]] = {},
    ) -> None:
        expected = set(taxonomy)
        graph = ox.NamedNode(iri_text(TAXONOMY))
        extra = [_quad(triple, graph) for triple in self._taxonomy - expected]
        missing = [_quad(triple, graph) for triple in expected - self._taxonomy]
        quads = [_quad(triple, ox.DefaultGraph()) for triple in publication]
        names = {name: _graph_name(name) for name in graphs}
        quads += [_quad(triple, names[name]) for name, triples in graphs.items() for triple in triples]
        # an error so far changes nothing
        for quad in extra:
            self.store.remove(quad)
        self.store.extend(missing)
        self._taxonomy = expected
        self.store.clear_graph(ox.DefaultGraph())
        for name in self._graphs:
            self.store.remove_graph(name)
        self._graphs = list(names.values())
        for name in self._graphs:
            self.store.add_graph(name)  # it may be empty
        self.store.extend(quads)

    def prepare(self, query: str, columns: int, *, has_limit: bool = False) -> PreparedQuery:
        # Oxigraph does not bind ?g in `GRAPH ?g { { SELECT ... } }`, so it cannot filter by it: the graphs are listed.
        written, variable_graphs = NOT_TAXONOMY.subn("", query)
        if variable_graphs and TAXONOMY in written:
            raise ValueError("a query has either GRAPH with a variable or is-a constraints")

        def run(limit: int) -> Iterator[Row]:
            text = written if has_limit else f"{written} LIMIT {limit}"
            graphs = self._graphs if variable_graphs else None
            solutions = self.store.query(text, custom_functions=_OXIGRAPH_FUNCTIONS, named_graphs=graphs)
            assert isinstance(solutions, ox.QuerySolutions)
            for solution in islice(solutions, limit):
                yield tuple(None if solution[i] is None else Term(str(solution[i])) for i in range(columns))

        next(run(1), None)  # a query that the engine refuses is refused at registration
        return run


class Rdflib:
    """rdflib's SPARQL engine: slow, and independent of pyoxigraph."""

    def __init__(self) -> None:
        self._dataset = rdflib.Dataset(default_union=False)
        functions: dict[Term, Any] = {WORDS: _words_in_rdflib, FOLD: _fold_in_rdflib}
        for name, function in functions.items():  # the declared type is that of raw functions
            register_custom_function(rdflib.URIRef(iri_text(name)), function, override=True)

    def load(
        self,
        publication: Iterable[Triple],
        taxonomy: Iterable[Triple],
        graphs: Mapping[Term, Iterable[Triple]] = {},
    ) -> None:
        kept = {iri_text(TAXONOMY), *(str(to_rdflib(name)) for name in graphs)}
        for graph in list(self._dataset.graphs()):
            if str(graph.identifier) not in kept and graph != self._dataset.default_graph:
                self._dataset.remove_graph(graph)
        for graph, triples in (
            (self._dataset.default_graph, publication),
            (self._dataset.graph(rdflib.URIRef(iri_text(TAXONOMY))), taxonomy),
            *((self._dataset.graph(to_rdflib(name)), of_graph) for name, of_graph in graphs.items()),
        ):
            expected = {(to_rdflib(s), to_rdflib(p), to_rdflib(o)) for s, p, o in triples}
            present = set(graph)
            for extra in present - expected:
                graph.remove(extra)
            for missing in expected - present:
                graph.add(missing)

    def prepare(self, query: str, columns: int, *, has_limit: bool = False) -> PreparedQuery:
        if "\\u" in query:
            raise ValueError("rdflib reads \\u in the middle of a literal as an escape of its own")
        with _literals_as_written(), quiet_rdflib():
            prepared = prepareQuery(query)
        names = [f"v{i}" for i in range(columns)]

        def run(limit: int) -> Iterator[Row]:
            with quiet_rdflib():
                solutions = list(islice(self._dataset.query(prepared).bindings, limit))
            for solution in solutions:
                values = (solution.get(rdflib.Variable(name)) for name in names)
                yield tuple(None if value is None else from_rdflib(value) for value in values)

        return run


def _words_in_oxigraph(text: _OxigraphTerm, needle: _OxigraphTerm) -> ox.Literal | None:
    answer = holds_words(Term(str(text)), Term(str(needle)))
    return None if answer is None else ox.Literal(answer)


def _fold_in_oxigraph(text: _OxigraphTerm) -> ox.Literal | None:
    folded = folded_label(Term(str(text)))
    return None if folded is None else ox.Literal(literal_parts(folded)[0])


_OXIGRAPH_FUNCTIONS: dict[ox.NamedNode, Callable[..., _OxigraphTerm | None]] = {
    ox.NamedNode(iri_text(WORDS)): _words_in_oxigraph,
    ox.NamedNode(iri_text(FOLD)): _fold_in_oxigraph,
}


def _words_in_rdflib(text: Identifier, needle: Identifier) -> rdflib.Literal:
    answer = holds_words(from_rdflib(text), from_rdflib(needle))
    if answer is None:
        raise SPARQLError("words takes two strings")
    return rdflib.Literal(answer)


def _fold_in_rdflib(text: Identifier) -> rdflib.Literal:
    folded = folded_label(from_rdflib(text))
    if folded is None:
        raise SPARQLError("only a string can be a label")
    return rdflib.Literal(literal_parts(folded)[0])


class OxigraphMatcher(SparqlMatcher):
    """Match with pyoxigraph's SPARQL engine."""

    name = "sparql"
    engine_class = Oxigraph


class RdflibMatcher(SparqlMatcher):
    """Match with rdflib's SPARQL engine."""

    name = "sparql-rdflib"
    engine_class = Rdflib


@contextmanager
def _literals_as_written() -> Iterator[None]:
    """Keep literals as written: rdflib rewrites "01"^^xsd:integer to "1" while it parses, and these are two terms."""
    before = rdflib.NORMALIZE_LITERALS
    rdflib.NORMALIZE_LITERALS = False
    try:
        yield
    finally:
        rdflib.NORMALIZE_LITERALS = before


def _graph_name(name: Term) -> _GraphName:
    made = _oxigraph_term(name)
    assert not isinstance(made, ox.Literal)
    return made


def _quad(triple: Triple, graph: _GraphName | ox.DefaultGraph) -> ox.Quad:
    subject, predicate, object_ = map(_oxigraph_term, triple)
    assert not isinstance(subject, ox.Literal)
    assert isinstance(predicate, ox.NamedNode)
    return ox.Quad(subject, predicate, object_, graph)


@cache_short_terms
def _oxigraph_term(term: Term) -> ox.NamedNode | ox.BlankNode | ox.Literal:
    if is_iri(term):
        return ox.NamedNode(iri_text(term))
    if is_blank(term):
        return ox.BlankNode(term[2:])
    lexical, datatype, language = literal_parts(term)
    if language:
        return ox.Literal(lexical, language=language)
    return ox.Literal(lexical, datatype=ox.NamedNode(datatype))
