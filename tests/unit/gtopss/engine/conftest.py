"""Fixtures of the engine's tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.index_publications import P, ring

from gtopss import Engine, Subscription
from ontology import Taxonomy


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    engine = Engine(taxonomy=Taxonomy([("urn:n1", "urn:n2")]), row_limit=77, allow_cartesian=True)
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER(isA(?x, <urn:n2>)) }", id="is-a")
    engine.add('SELECT ?x { ?x <urn:q> ?y FILTER(CONTAINS(STR(?y), "n")) }', id="residual\nname")
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER(?y > 5) }", id="bound")
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER(?y = <urn:n3>) }", id="pushed in")
    with pytest.warns(UserWarning, match="never matches"):
        engine.add("SELECT ?x { ?x <urn:p> ?y FILTER(?y > 5 && ?y < 3) }", id="never")
    engine.add(Subscription("gone", [("?x", P, "?y")]))
    engine.match(ring(3))
    engine.remove("gone")
    engine.save(tmp_path / "engine")
    return tmp_path / "engine"
