from __future__ import annotations

import pytest

from gtopss import Engine
from gtopss.checking import run_observer
from gtopss.checking.run_observer import RunObserver
from gtopss.model import Publication
from ontology import Axioms, Taxonomy

ITEM = Publication(
    "urn:1",
    [
        ("<urn:1>", "<http://purl.org/rss/1.0/title>", '"vaccines"'),
        ("<urn:1>", "<urn:p#severity>", '"minor"'),
        ("<urn:1>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<urn:c#Stated>"),
    ],
)
TAXONOMY = Taxonomy([("urn:c#Vaccine", "urn:c#Health")], subproperties=[("urn:p#near", "urn:p#related")])
TAXONOMY.add_label("urn:c#Health", "health", "en")


def findings(query: str, *items: Publication, taxonomy: Taxonomy = TAXONOMY) -> dict[str, bool]:
    engine = Engine(matcher="naive", taxonomy=taxonomy)
    engine.add(query, id="s")
    observer = RunObserver(engine)
    for item in items:
        observer.observe(item, engine.match(item))
    return {each.message: each.likely for each in observer.findings()}


def test_a_misspelled_property_is_guessed() -> None:
    assert findings("ASK { ?x rss:titel ?t }", ITEM) == {
        "no item has the property rss:titel: did you mean rss:title?": True
    }
    assert findings("ASK { ?x <urn:p#Severty> ?t }", ITEM) == {
        "no item has the property <urn:p#Severty>: did you mean <urn:p#severity>?": True
    }
    assert findings("ASK { ?x <urn:q#severity> ?t }", ITEM) == {
        "no item has the property <urn:q#severity>: did you mean <urn:p#severity>?": True
    }
    assert findings("ASK { ?x <urn:q#other> ?t }", ITEM) == {"no item has the property <urn:q#other>": False}


@pytest.mark.parametrize("test", ['!has(?x, rss:titel, "a")', "has(?x, rss:titel)"])
def test_a_misspelled_property_in_has_is_guessed(test: str) -> None:
    expected = {"no item has the property rss:titel: did you mean rss:title?": True}
    assert findings(f"ASK {{ ?x rss:title ?t FILTER({test}) }}", ITEM) == expected


@pytest.mark.parametrize("property", ["rss:link", "dcterms:modified", "<urn:p#severity>", "<urn:p#near>", "a", "?p"])
def test_a_property_of_feeds_of_an_item_or_of_the_ontology_is_no_mistake(property: str) -> None:
    assert findings(f"ASK {{ ?x {property} ?t }}", ITEM) == {}


def test_without_items_only_the_spelling_of_feed_properties_is_judged() -> None:
    assert findings("ASK { ?x rss:titel ?t }") == {"feeds have no property rss:titel: did you mean rss:title?": True}
    assert findings("ASK { ?x <urn:q#titel> ?t ; dc:publisher ?p }") == {}


def test_a_text_where_a_class_is_meant() -> None:
    (message,) = findings('ASK { ?x rss:title ?t FILTER(isA(?x, "Health")) }', ITEM)
    assert message == (
        'isA(…, "Health") has a string in place of the IRI of a class: did you mean <urn:c#Health> (health)?'
    )


def test_classes_that_the_ontology_does_not_know_and_those_with_nothing_below() -> None:
    query = "ASK {{ ?x rss:title ?t FILTER(isA(?x, <urn:c#{}>)) }}"
    assert findings(query.format("Health"), ITEM) == {}
    assert findings(query.format("Stated"), ITEM) == {}
    unknown = "isA(…, <urn:c#Helth>): the class is not in the ontology: did you mean <urn:c#Health> (health)?"
    assert findings(query.format("Helth"), ITEM) == {unknown: True}
    leaf = "isA(…, <urn:c#Vaccine>): the class has no subclasses and no members, so only the class itself matches"
    assert findings(query.format("Vaccine"), ITEM) == {leaf: False}
    (message,) = findings(query.format("Health"), ITEM, taxonomy=Taxonomy())
    assert "add an ontology with -o FILE" in message


def test_what_a_reasoner_infers_is_below_a_class_but_not_directly() -> None:
    zoo = Axioms(classes=("urn:c#Pet", "urn:c#Cat"))
    inferred = Taxonomy.from_axioms(zoo, Axioms(subclasses=(("urn:c#Cat", "urn:c#Pet"),)))
    query = "ASK {{ ?x rss:title ?t FILTER({}(?x, <urn:c#Pet>)) }}"
    assert findings(query.format("isA"), ITEM, taxonomy=inferred) == {}
    (message,) = findings(query.format("directlyA"), ITEM, taxonomy=inferred)
    assert "no subclasses and no members" in message
    assert findings(query.format("isA"), ITEM, taxonomy=Taxonomy.from_axioms(zoo)) != {}


def test_a_class_without_labels_is_found() -> None:
    query = "ASK {{ ?x dc:subject ?t ; rss:title ?title FILTER(labelled(?t, {})) }}"
    assert findings(query.format("<urn:c#Health>"), ITEM) == {}
    unlabelled = "labelled(…, <urn:c#Vaccine>) matches nothing: neither the class nor anything below it has a label"
    assert findings(query.format("<urn:c#Vaccine>"), ITEM) == {unlabelled: True}
    (message,) = findings(query.format("<urn:c#Helth>"), ITEM)
    assert "the class is not in the ontology: did you mean <urn:c#Health> (health)?" in message
    (message,) = findings(query.format('"health"'), ITEM)
    assert 'labelled(…, "health") has a string in place of the IRI of a class' in message
    (message,) = findings(query.format("<urn:c#Health>"), ITEM, taxonomy=Taxonomy())
    assert "no ontology with labels is given (-o)" in message


def test_what_matched_nothing_is_listed() -> None:
    engine = Engine(matcher="naive")
    engine.add("ASK { ?x rss:title ?t }", id="hit")
    engine.add("ASK { ?x rss:link ?t }", id="miss")
    observer = RunObserver(engine)
    observer.observe(ITEM, engine.match(ITEM))
    assert observer.unmatched() == ["miss"]


def test_more_subscriptions_than_the_limit_are_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_observer, "MAX_CHECKED_SUBSCRIPTIONS", 0)
    assert findings("ASK { ?x rss:titel ?t }", ITEM) == {}


def test_properties_beyond_the_limit_are_still_seen_if_a_subscription_names_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_observer, "MAX_OBSERVED_TERMS", 0)
    assert findings("ASK { ?x <urn:p#severity> ?t FILTER(isA(?x, <urn:c#Stated>)) }", ITEM) == {}
