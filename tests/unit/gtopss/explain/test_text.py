"""The text of explanations, with the paper's Figure 5."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from support.explanations import integer

from gtopss.explain import (
    Explanation,
    explain,
)
from gtopss.model import Publication, Subscription
from gtopss.model.term_text import format_term
from gtopss.model.terms import iri
from gtopss.rdf.parse import read_triples
from ontology import load

BIB = {"bib": "http://example.org/bib#"}


def figure5(data: Path, id: str, change: tuple[str, str] = ("", "")) -> Explanation:
    lines = (data / "figure5" / "subscriptions.jsonl").read_text().splitlines()
    subscription = next(s for s in (Subscription.from_json(json.loads(line)) for line in lines) if s.id == id)
    event = (data / "figure5" / "event.ttl").read_text().replace(*change)
    publication = Publication.trusted("event", read_triples(event, "turtle"))
    return explain(subscription, publication, load(data / "ontologies" / "bibliography.ttl"))


def test_figure_5_is_explained_with_its_path_up_the_taxonomy(data: Path) -> None:
    made = figure5(data, "S2")
    assert made.matched
    (solution,) = made.solutions
    paper, sigmod = iri(BIB["bib"] + "ArnosPaper17"), iri(BIB["bib"] + "SIGMOD")
    assert dict(solution.bindings) == {"?x": integer(2001), "?y": paper}
    assert solution.edges[0].triple == (sigmod, iri(BIB["bib"] + "year"), integer(2001))
    _, check = solution.checks
    (isa,) = check.isa_checks
    assert (isa.path[0], isa.path[-1]) == (paper, iri(BIB["bib"] + "Publication"))
    assert not isa.type_is_stated
    taxonomy = load(data / "ontologies" / "bibliography.ttl")
    assert all(taxonomy.directly_a(one[1:-1], other[1:-1]) for one, other in pairwise(isa.path))
    assert made.text(BIB).splitlines() == [
        "S2 matches event: 1 solution",
        "  ?x = 2001   ?y = bib:ArnosPaper17",
        "    ✔ bib:SIGMOD  bib:year  ?x          bib:SIGMOD  bib:year  2001",
        '    ✔ ?y  bib:author  "Arno Jacobsen"   bib:ArnosPaper17  bib:author  "Arno Jacobsen"',
        "    ✔ ?y  bib:conference  bib:SIGMOD    bib:ArnosPaper17  bib:conference  bib:SIGMOD",
        "    ✔ ?x > 1999                         2001 > 1999",
        "    ✔ ?y is-a bib:Publication           " + " → ".join(format_term(step, BIB) for step in isa.path),
    ]


@pytest.mark.parametrize(
    ("id", "change", "says"),
    [
        ("S1", ("2001", "2000"), "✘ ?z > 2000                  2000 > 2000 is false"),
        ("S1", ("2001", '"2001"'), '"2001" > 2000 is a type error: a plain string never compares as a number'),
        ("S2", ("Jacobsen", "Jakobsen"), 'object is "Arno Jakobsen", not "Arno Jacobsen"'),
        ("S2", ("bib:author", "bib:autor"), "property is bib:autor, not bib:author"),
        ("S2", ("bib:ArnosPaper17", "bib:Paper18"), "bib:Paper18 is not a bib:Publication; no class is known for it"),
        ("S2", ("ArnosPaper17 bib:author", "P18 bib:author"), "✘ ?y  bib:conference  bib:SIGMOD"),
    ],
)
def test_what_is_missing_in_the_event_of_figure_5_is_named(
    data: Path, id: str, change: tuple[str, str], says: str
) -> None:
    event = (data / "figure5" / "event.ttl").read_text()
    assert change[0] in event
    if "P18" in change[1]:  # the other triples of the paper stay with it
        change = (
            'bib:ArnosPaper17 bib:author     "Arno Jacobsen" ;',
            'bib:P18 bib:author "Arno Jacobsen" . bib:ArnosPaper17 ',
        )
        assert change[0] in event
    made = figure5(data, id, change)
    assert not made.matched
    assert says in made.text(BIB)
