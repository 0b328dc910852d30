"""Subscriptions as SPARQL text with is-a, errors with their position, and contradictions found at registration."""

import warnings
from pathlib import Path

from gtopss import Engine, GtopssError

DATA = Path(__file__).parent.parent / "data"

engine = Engine(taxonomy=DATA / "ontologies" / "bibliography.ttl")
engine.add(
    """
    PREFIX bib: <http://example.org/bib#>
    SELECT ?paper ?year WHERE {
        ?paper bib:author "Arno Jacobsen" ; bib:conference ?conference .
        ?conference bib:year ?year .
        FILTER (?year > 1999) FILTER (isA(?paper, bib:Publication))
    }""",
    id="recent papers",
)
for match in engine.match((DATA / "figure5" / "event.ttl").read_bytes(), format="turtle"):
    for row in match.bindings:
        print(match.subscription_id, "->", row["paper"], row["year"])

try:
    engine.add("SELECT ?x {\n  ?x dc:title ?title\n  OPTIONAL { ?x dc:date ?date }\n}", id="optional")
except GtopssError as error:
    print(error)

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    engine.add("ASK { ?x dc:date ?year FILTER (?year > 2000 && ?year < 1990) }", id="impossible")
print(caught[0].message)
