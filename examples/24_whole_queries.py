"""Whole SPARQL queries as subscriptions: OPTIONAL, NOT EXISTS, groups, paths, CONSTRUCT and GRAPH."""

from gtopss import Engine

engine = Engine()
engine.add(
    """SELECT ?paper ?title WHERE {
        ?paper <urn:author> <urn:ann> OPTIONAL { ?paper <urn:title> ?title }
        FILTER NOT EXISTS { ?paper <urn:retracted> ?day }
    }""",
    id="by-ann",
)
engine.add(
    "SELECT ?paper (COUNT(?a) AS ?n) { ?paper <urn:author> ?a } GROUP BY ?paper HAVING (COUNT(?a) >= 3)", id="many"
)
engine.add("CONSTRUCT { ?a <urn:worked-with> ?b } { ?a ^<urn:author>/<urn:author> ?b FILTER (?a != ?b) }", id="people")

paper = """
<urn:p1> <urn:author> <urn:ann>, <urn:bob>, <urn:eve> .
<urn:p2> <urn:author> <urn:ann> ; <urn:retracted> "2026-01-01" .
"""
for match in engine.match(paper, "turtle"):
    print(match.subscription_id, *match.rows, match.turtle)

# What the index finds a query by, and what made it fail: here the triple that NOT EXISTS forbids.
print(engine.explain('<urn:p2> <urn:author> <urn:ann> ; <urn:retracted> "2026-01-01" .', "by-ann", "turtle"))

# GRAPH looks into the named graphs of a publication that is a whole dataset.
engine.add("SELECT ?g ?who { GRAPH ?g { ?who <urn:says> ?what } }", id="sayings")
for match in engine.match("<urn:g1> { <urn:ann> <urn:says> 'hello' }", "trig", dataset=True):
    print(match.subscription_id, *match.rows)
