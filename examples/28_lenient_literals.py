"""literals="lenient": a plain literal that reads as a number or a date compares as one."""

from gtopss import Engine

QUERY = """
SELECT ?item ?price ?date {
    ?item <urn:price> ?price ; <urn:date> ?date
    FILTER (?price < 100 && ?date >= "2026-01-01")
}"""
ITEMS = [
    ("<urn:lamp>", "<urn:price>", '"49.90"'),
    ("<urn:lamp>", "<urn:date>", '"2026-03-01"'),
    ("<urn:desk>", "<urn:price>", '"on request"'),
    ("<urn:desk>", "<urn:date>", '"2026-03-02"'),
]
for literals in ("sparql", "lenient"):
    engine = Engine(literals=literals)
    engine.add(QUERY, id="bargain")
    print(f"{literals}:", [str(row["item"]) for match in engine.match(ITEMS) for row in match.bindings])
