"""The W3C's SPARQL tests: subscribe the query, publish the data, compare.

Solutions are compared as multisets, up to the names of blank nodes. Those of basic graph patterns with FILTER have
lexical forms as they are; computed numbers of whole queries are compared by value. Where the expected result has an
order, ours has it too.
"""

from __future__ import annotations

import csv
import itertools
import json
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

import pyoxigraph as ox
import pytest
import rdflib
from conftest import ROOT
from rdflib.compare import isomorphic
from support.matchers import every_matcher

from gtopss import Engine, Publication
from gtopss.model.dataset_publication import DatasetPublication
from gtopss.model.terms import Term, Triple, from_rdflib, is_blank, literal_parts, to_rdflib
from gtopss.rdf.parse import read_triples
from gtopss.semantics.values import Value, lexical_form, term_of, value_of

FILES = ROOT / "tests" / "data"
CASES = json.loads((FILES / "w3c_dev_index.json").read_text())
WHOLE_QUERIES = json.loads((FILES / "w3c_features_index.json").read_text())
DISPUTED = {
    "dawg-optional-filter-005-simplified": "its twin 005-not-simplified, SPARQL 1.1, Oxigraph and rdflib say otherwise",
}
FORMATS = {".ttl": "turtle", ".rdf": "xml", ".nt": "nt", ".n3": "n3"}
RS = "<http://www.w3.org/2001/sw/DataAccess/tests/result-set#"

Solutions: TypeAlias = "Counter[frozenset[tuple[str, Term]]]"

_CASTS = ("cast-double", "cast-float", "cast-string")
DEPARTURES = {
    **{("sparql", test): "Oxigraph's store rewrites literals, so that the data are others" for test in _CASTS},
    **{
        ("sparql-rdflib", test): "rdflib casts texts that are no numbers, or keeps their lexical form"
        for test in _CASTS
    },
    ("sparql", "agg-empty-group-count-graph"): "Oxigraph does not bind ?g in GRAPH ?g { { SELECT ... } }",
    ("sparql", "agg-groupconcat-04"): "Oxigraph keeps the language of the texts that it concatenates",
    ("sparql", "csv03"): "Oxigraph's store rewrites literals",
    ("sparql", "zero_or_more_set_end"): "Oxigraph finds no path without length at a term that the graph has not",
    ("sparql", "zero_or_one_set_start"): "Oxigraph finds no path without length at a term that the graph has not",
    ("sparql-rdflib", "graph-not-exist"): "rdflib has a graph for each name that a query mentions",
    ("sparql-rdflib", "agg-empty-group-max-1"): "rdflib makes a group of no solutions, also with GROUP BY",
    ("sparql-rdflib", "agg-group-fn"): "rdflib casts a number with a fraction to no integer",
    ("sparql-rdflib", "coalesce-empty"): "rdflib's parser refuses COALESCE()",
    ("sparql-rdflib", "replace-case-insensitive"): "rdflib returns a Python text in place of a literal",
    ("sparql-rdflib", "timezone"): "rdflib writes durations in another form",
}
"""Cases that a SPARQL engine, which runs queries itself, answers otherwise. They fail, or this table is wrong."""


@pytest.mark.parametrize("matcher", every_matcher("w3c"))
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['suite']}/{case['test']}")
def test_w3c(case: dict[str, Any], matcher: str) -> None:
    engine = Engine(matcher=matcher, allow_cartesian=True)
    engine.add((FILES / case["query"]).read_text(), id="q")
    triples = [triple for name in case["data"] for triple in read(FILES / name)]
    report = engine.match(Publication.trusted("data", triples))
    expected = results(FILES / case["result"]) if case["result"] else case["expected"]
    if isinstance(expected, bool):
        assert bool(report.matches) is expected
    else:
        assert same_up_to_blank_nodes(solutions(report.matches), expected)


@pytest.mark.parametrize("matcher", every_matcher("w3c"))
@pytest.mark.parametrize("case", WHOLE_QUERIES, ids=lambda case: f"{case['suite']}/{case['test']}")
def test_w3c_whole_queries(case: dict[str, Any], matcher: str, request: pytest.FixtureRequest) -> None:
    other = DISPUTED.get(case["test"]) or DEPARTURES.get((matcher, case["test"]))
    if other is not None:
        request.applymarker(pytest.mark.xfail(reason=other, strict=True))
    text = f"BASE <file://{FILES / case['query']}>\n" + (FILES / case["query"]).read_text()
    engine = Engine(matcher=matcher, allow_cartesian=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine.add(text, id="q")
    default = [triple for name in case["data"] for triple in read(FILES / name)]
    graphs = {Term(f"<file://{FILES / name}>"): read(FILES / name) for name in case["graphs"]}
    report = engine.match(DatasetPublication.of(Publication.trusted("data", default), graphs))
    assert not report.exceeded
    assert not report.undecided
    if engine.subscription("q").query and engine.subscription("q").query.function == "CONSTRUCT":
        found = report.matches[0].graph if report.matches else ()
        assert isomorphic(as_rdflib(found), as_rdflib(read(FILES / case["result"])))
        return
    if case["result"].endswith(".csv"):  # which has texts, and no terms
        names, *rows = csv.reader((FILES / case["result"]).open())
        found = [[lexical_form(value_of(row[name])) for name in names] for match in report for row in match.rows]
        assert found == rows
        return
    expected = results(FILES / case["result"])
    if isinstance(expected, bool):
        assert bool(report.matches) is expected
        return
    assert same_up_to_blank_nodes(by_value(solutions(report.matches)), by_value(expected))
    order = expected_order(FILES / case["result"])
    if order:
        assert [frozenset(row.items()) for match in report.matches for row in match.rows] == order


def by_value(rows: Solutions) -> Solutions:
    """Rows with canonical numbers, because results write them in many ways."""
    return Counter(frozenset((name, canonical(term)) for name, term in row) for row in rows.elements())


def canonical(term: Term) -> Term:
    value = value_of(term)
    return term_of(Value(value.kind, value.data)) if value.numeric else term


def as_rdflib(triples: Iterable[Triple]) -> rdflib.Graph:
    graph = rdflib.Graph()
    for triple in triples:
        graph.add(tuple(map(to_rdflib, triple)))
    return graph


def expected_order(path: Path) -> list[frozenset[tuple[str, Term]]]:
    """The rows of a result in their order, if it has one."""
    if path.suffix not in FORMATS:
        return []
    triples = read(path)
    numbers = {s: int(literal_parts(o)[0]) for s, p, o in triples if p == f"{RS}index>"}
    return [next(iter(result_set(only(triples, row)))) for row in sorted(numbers, key=numbers.get)]


def only(triples: tuple[Triple, ...], row: Term) -> tuple[Triple, ...]:
    """A result without its other solutions."""
    return tuple(t for t in triples if t[1] != f"{RS}solution>" or t[2] == row)


def read(path: Path) -> tuple[Triple, ...]:
    return read_triples(path.read_bytes(), FORMATS[path.suffix], base=f"file://{path}")


def solutions(matches: tuple[Any, ...]) -> Solutions:
    return Counter(
        frozenset((name, from_rdflib(value)) for name, value in row.items()) for m in matches for row in m.bindings
    )


def results(path: Path) -> Solutions | bool:
    if path.suffix in FORMATS:
        return result_set(read(path))
    found = ox.parse_query_results(path=str(path), format=ox.QueryResultsFormat.from_extension(path.suffix[1:]))
    if isinstance(found, ox.QueryBoolean):
        return bool(found)
    assert isinstance(found, ox.QuerySolutions)
    names = [variable.value for variable in found.variables]
    return Counter(frozenset((name, Term(str(row[name]))) for name in names if row[name] is not None) for row in found)


def result_set(triples: tuple[Triple, ...]) -> Solutions | bool:
    """A result written in the W3C's result-set vocabulary."""

    def objects(subject: Term, name: str) -> list[Term]:
        return [o for s, p, o in triples if s == subject and p == f"{RS}{name}>"]

    (root,) = {s for s, p, o in triples if o == f"{RS}ResultSet>"}
    if told := objects(root, "boolean"):
        return told[0].startswith('"true"')
    rows = objects(root, "solution")
    return Counter(
        frozenset(
            (objects(binding, "variable")[0][1:-1], objects(binding, "value")[0]) for binding in objects(row, "binding")
        )
        for row in rows
    )


def same_up_to_blank_nodes(one: Solutions, other: Solutions) -> bool:
    """Whether some renaming of one side's blank nodes makes the two equal; the tests have few of them."""
    ours, theirs = ({value for row in side for _, value in row if is_blank(value)} for side in (one, other))
    if len(ours) != len(theirs):
        return False
    for order in itertools.permutations(sorted(theirs)):
        names = dict(zip(sorted(ours), order, strict=True))
        renamed = Counter(frozenset((n, names.get(v, v)) for n, v in row) for row in one.elements())
        if renamed == other:
            return True
    return False
