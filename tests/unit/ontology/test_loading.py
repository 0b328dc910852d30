"""`load` takes any document."""

from __future__ import annotations

from support.ontology_documents import OWL_XML

from ontology import load


def test_owl_xml_is_loaded_with_and_without_a_reasoner() -> None:
    for taxonomy in (load(OWL_XML.encode()), load(OWL_XML.encode(), reasoner="hermit")):
        assert set(taxonomy.asserted_edges()) == {
            ("http://zoo/Cat", "http://zoo/Animal", "subclass"),
            ("http://zoo/tom", "http://zoo/Cat", "instance"),
        }
