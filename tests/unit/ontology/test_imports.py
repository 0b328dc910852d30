"""Imports are listed and warned about, never followed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from rdflib import Graph
from support.ontology_documents import OWL_XML, ZOO

from ontology import ImportNotFollowed, Taxonomy, load, load_owl, load_rdfs


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("reasoner", [None, "hermit"])
def test_imports_are_not_followed_but_warned_about_once(reasoner: str | None) -> None:
    content = (
        ZOO + "<http://zoo> a owl:Ontology ; owl:imports <http://farm.invalid/> . :tom a :Cat . :Cat a owl:Class ."
    )
    with pytest.warns(ImportNotFollowed, match=r"http://farm\.invalid/") as caught:
        taxonomy = load_owl(content.encode(), reasoner=reasoner)  # type: ignore[arg-type]
    assert len(caught) == 1
    assert taxonomy.missing_imports == ("http://farm.invalid/",)
    assert taxonomy.is_a("http://zoo/tom", "http://zoo/Cat")


IMPORTING = (
    ZOO + "<http://zoo> a owl:Ontology ; owl:imports <http://farm.invalid/>, <http://a.invalid/> . :tom a :Cat ."
)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("loader", [load, load_rdfs, load_owl])
@pytest.mark.parametrize("kind", ["bytes", "path", "graph"])
def test_every_loader_lists_what_it_did_not_import(loader: Callable[..., Taxonomy], kind: str, tmp_path: Path) -> None:
    path = tmp_path / "zoo.ttl"
    path.write_text(IMPORTING)
    source = {"bytes": IMPORTING.encode(), "path": path, "graph": Graph().parse(path)}[kind]
    with pytest.warns(ImportNotFollowed, match=r"http://a\.invalid/, http://farm\.invalid/") as caught:
        taxonomy = loader(source)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert taxonomy.missing_imports == ("http://a.invalid/", "http://farm.invalid/")


def test_imports_of_owl_xml_are_listed_too() -> None:
    content = OWL_XML.replace("<Declaration>", "<Import>http://farm.invalid/</Import><Declaration>", 1)
    with pytest.warns(ImportNotFollowed, match=r"http://farm\.invalid/"):
        assert load(content.encode()).missing_imports == ("http://farm.invalid/",)
