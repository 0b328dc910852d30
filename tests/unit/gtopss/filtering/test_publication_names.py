from __future__ import annotations

from gtopss.filtering.publication_names import PublicationNames
from gtopss.model import Publication


def test_the_first_source_has_the_id_and_another_a_name_of_its_own() -> None:
    one, other = Publication("urn:a", [], source="one"), Publication("urn:a", [], source="other")
    with PublicationNames() as names:
        assert names.name(one) == names.name(one) == "urn:a"
        assert names.name(other) == names.name(other) != "urn:a"
        assert names.name(Publication("urn:b", [])) == "urn:b"
        assert names.name(Publication("a b.ttl", [])) == "urn:gtopss:publication:a%20b.ttl"
