"""Classes and templates."""

from __future__ import annotations

from pathlib import Path

from support.services import served

from gtopss import Engine


def test_classes_are_found_by_their_labels(data: Path) -> None:
    engine = Engine(matcher="reference", taxonomy=data / "ontologies" / "iptc-mediatopics-en-GB.ttl")
    with served(engine) as it:
        (first, *_) = it.client.get("/terms?q=health").json()["terms"]
        assert (first["label"], first["iri"]) == ("health", "http://cv.iptc.org/newscodes/mediatopic/07000000")
        assert first["below"] > 10
        assert len(it.client.get("/terms?q=sport&limit=3").json()["terms"]) == 3
        assert it.client.get("/terms?q=").json() == {"terms": []}
        assert it.client.get("/terms").status_code == 422


def test_every_template_can_be_registered(data: Path) -> None:
    engine = Engine(matcher="reference", taxonomy=data / "ontologies" / "iptc-mediatopics-en-GB.ttl")
    with served(engine, examples=data) as it:
        found = it.client.get("/templates").json()["templates"]
        assert {each["group"] for each in found} == {"topic", "words", "author", "place", "class", "example"}
        assert len({each["id"] for each in found}) == len(found)
        for each in found:
            body = {"query": each["query"], "form": each["form"]}
            assert it.client.post("/subscriptions", json=body).status_code == 201, each
