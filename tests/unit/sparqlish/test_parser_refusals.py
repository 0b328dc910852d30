"""What SPARQL has and a subscription lacks is refused by its own name, at its own place."""

import pytest
from support.parsing import parse

from sparqlish import NotSupported

UPDATES = "INSERT DELETE LOAD CLEAR DROP CREATE ADD MOVE COPY WITH"
# `@` marks the place.
REFUSED = [
    ("SERVICE", "ASK { @SERVICE <http://e/> { ?x ?y ?z } }"),
    ("SERVICE", "ASK { @SERVICE SILENT <http://e/> { ?x ?y ?z } }"),
    ("FROM", "SELECT *\n@FROM <http://e/> WHERE {}"),
    ("FROM", "ASK @FROM <http://e/> {}"),
    ("FROM NAMED", "SELECT ?x @FROM NAMED <http://e/> WHERE {}"),
    *((word, f"@{word} x") for word in UPDATES.split()),
    ("INSERT", "PREFIX : <http://e/> @INSERT DATA { :a :b :c }"),
    ("RDF-star", "ASK { @<< ?x ?y ?z >> ?p ?o }"),
    ("RDF-star", "ASK { @<<<http://e/x> ?y ?z>> ?p ?o }"),
    ("RDF-star", "ASK { ?x ?y @<< ?x ?y ?z >> }"),
    ("RDF-star", "ASK { ?x ?y ?z @{| ?p ?o |} }"),
    ("RDF-star", "ASK { FILTER (@<< ?x ?y ?z >> = ?t) }"),
    ("DISTINCT in a function call", "ASK { FILTER xsd:integer(@DISTINCT ?x) }"),
    ("RAND", "ASK { FILTER (@RAND() > 0.5) }"),
]


@pytest.mark.parametrize(("feature", "marked"), REFUSED)
def test_refused_by_name_and_place(feature, marked):
    before, _, after = marked.partition("@")
    with pytest.raises(NotSupported) as caught:
        parse(before + after)
    error = caught.value
    assert error.feature == feature
    assert (error.line, error.column) == (before.count("\n") + 1, len(before) - before.rfind("\n"))
    message = str(error)
    assert message.startswith(f"{feature} is not supported in a sub")
    assert f"line {error.line}" in message


def test_names_of_refused_words_are_free_for_operators_and_local_names():
    assert parse("ASK { ?x foaf:OPTIONAL ?limit FILTER (load(?limit)) }", operators={"load": 1})
