from __future__ import annotations

from ontology import Axioms, Taxonomy, load
from ontology.property_classes import PropertyClasses


def test_classes_of_properties_are_added_and_removed() -> None:
    made = PropertyClasses([("p", "C"), ("p", "D"), ("q", "C"), ("p", "C")])
    assert (made["p"], made["q"], made["r"]) == (("C", "D"), ("C",), ())
    assert ("p" in made, "r" in made, made.has_class("D")) == (True, False, True)
    assert made.remove("p", "D")
    assert not made.remove("p", "D")
    assert (made["p"], made.has_class("D"), made.has_class("C")) == (("C",), False, True)
    assert made.remove("q", "C")
    assert ("q" in made, made.has_class("C"), list(made)) == (False, True, [("p", "C")])
    assert list(PropertyClasses(made.to_json())) == list(made)


def test_a_taxonomy_knows_domains_and_ranges_and_saves_them() -> None:
    document = b"""@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        <urn:owner> rdfs:domain <urn:Pet>, [ a rdfs:Class ] ; rdfs:range <urn:Person> ."""
    taxonomy = load(document)
    for each in (taxonomy, Taxonomy.from_json(taxonomy.to_json())):
        assert (each.domains("urn:owner"), each.ranges("urn:owner")) == (("urn:Pet",), ("urn:Person",))
        assert each.is_property("urn:owner")
        assert each.is_domain_or_range("urn:Pet")
        assert not each.is_class("urn:Pet")
    data = Taxonomy.from_axioms(Axioms()).to_json()
    del data["domains"], data["ranges"], data["beyond_rdfs"]  # as versions before this one saved it
    assert Taxonomy.from_json(data).domains("urn:owner") == ()


def test_edits_of_domains_and_ranges_count() -> None:
    taxonomy = Taxonomy()
    assert taxonomy.add_domain("p", "C")
    assert not taxonomy.add_domain("p", "C")
    assert taxonomy.add_range("p", "D")
    assert taxonomy.remove_range("p", "D")
    assert not taxonomy.remove_range("p", "D")
    assert taxonomy.version == 3
