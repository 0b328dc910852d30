"""The W3C's SPARQL tests that are basic graph patterns with FILTER: subscribe the query, publish the data, compare.

Solutions are compared as multisets, up to the names of blank nodes, with lexical forms as they are.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any, TypeAlias

import pyoxigraph as ox
import pytest
from conftest import ROOT
from support.matchers import every_matcher

from gtopss import Engine, Publication
from gtopss.model.terms import Term, Triple, from_rdflib, is_blank
from gtopss.rdf.parse import read_triples

FILES = ROOT / "tests" / "data"
CASES = json.loads((FILES / "w3c_dev_index.json").read_text())
FORMATS = {".ttl": "turtle", ".rdf": "xml", ".nt": "nt", ".n3": "n3"}
RS = "<http://www.w3.org/2001/sw/DataAccess/tests/result-set#"

Solutions: TypeAlias = "Counter[frozenset[tuple[str, Term]]]"


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
