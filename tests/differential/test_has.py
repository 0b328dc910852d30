"""`has` on every matcher, the SPARQL engines included: no value, some values, all values."""

from __future__ import annotations

import pytest
from support.matchers import every_matcher

from gtopss import Engine, Publication
from gtopss.errors import InvalidSubscription
from ontology import Taxonomy

TAXONOMY = Taxonomy([("urn:Vaccine", "urn:Health")])
PUBLICATIONS = {
    "none": [],
    "one": [("<urn:x>", "<urn:p>", '"Open Source"')],
    "other": [("<urn:x>", "<urn:p>", '"closed"')],
    "both": [("<urn:x>", "<urn:p>", '"closed"'), ("<urn:x>", "<urn:p>", '"an open source"@en')],
    "elsewhere": [("<urn:y>", "<urn:p>", '"open source"')],
    "no text": [("<urn:x>", "<urn:p>", "<urn:open>"), ("<urn:x>", "<urn:p>", 5)],
    "class": [("<urn:x>", "<urn:p>", "<urn:Vaccine>"), ("<urn:x>", "<urn:p>", "<urn:Other>")],
}
WITH_WORDS, WITH_CLASS = {"one", "both"}, {"class"}
QUERIES = {
    "words": ('has(?x, <urn:p>, "open source")', WITH_WORDS),
    "no words": ('!has(?x, <urn:p>, "open source")', {*PUBLICATIONS} - WITH_WORDS),
    "class": ("has(?x, <urn:p>, <urn:Health>)", WITH_CLASS),
    "no class": ("!has(?x, <urn:p>, <urn:Health>)", {*PUBLICATIONS} - WITH_CLASS),
    "either": ('has(?x, <urn:p>, "closed") || has(?x, <urn:p>, <urn:Health>)', {"other", "both", "class"}),
    "constant": ('has(<urn:y>, <urn:p>, "source") && ?x = <urn:x>', {"elsewhere"}),
    "any value": ("has(?x, <urn:p>)", {*PUBLICATIONS} - {"none", "elsewhere"}),
    "no value": ("!has(?x, <urn:p>)", {"none", "elsewhere"}),
    "any value of a literal": ("has(?name, <urn:p>)", set()),
    "of a literal": ('has(?name, <urn:p>, "open")', set()),
}


@pytest.mark.parametrize("matcher", every_matcher("language"))
def test_every_matcher_finds_the_same(matcher: str) -> None:
    engine = Engine(matcher=matcher, taxonomy=TAXONOMY)
    for name, (test, _) in QUERIES.items():
        engine.add(f"SELECT ?x {{ ?x <urn:name> ?name FILTER({test}) }}", id=name)
    found: dict[str, set[str]] = {name: set() for name in QUERIES}
    for name, triples in PUBLICATIONS.items():
        for match in engine.match(Publication(name, [("<urn:x>", "<urn:name>", '"x"'), *triples])):
            found[match.subscription_id].add(name)
    assert found == {name: expected for name, (_, expected) in QUERIES.items()}


@pytest.mark.parametrize(
    "test",
    ['has(?x, ?p, "a")', "has(?x, <urn:p>, ?y)", 'has(?x, "p", "a")', "has(?x, <urn:p>, 5)", "has(?x, ?p)", "has(?x)"],
)
def test_what_is_no_property_text_or_class_is_refused(test: str) -> None:
    with pytest.raises(InvalidSubscription):
        Engine(matcher="naive").add(f"ASK {{ ?x ?p ?y FILTER({test}) }}")
