"""OWL documents, and HermiT really run over them."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import owlready2
import pytest
from rdflib import Graph

from ontology import (
    ImportNotFollowed,
    InconsistentOntology,
    MalformedOntology,
    ReasonerFailed,
    Taxonomy,
    load,
    load_owl,
    load_rdfs,
)

PIZZA = "https://raw.githubusercontent.com/owlcs/pizza-ontology/refs/heads/master/pizza.owl#"
UNIV = "http://www.lehigh.edu/~zhp2/2004/0401/univ-bench.owl#"
PREFIXES = """
@prefix : <http://zoo/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
INCONSISTENT = PREFIXES + (
    ":Cat a owl:Class ; owl:disjointWith :Dog . :Dog a owl:Class . :tom a owl:NamedIndividual, :Cat, :Dog ."
)


@pytest.fixture(scope="module")
def pizza(ontologies: Path) -> Taxonomy:
    return load(ontologies / "pizza.owl", reasoner="hermit")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that temporary files go to."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.slow
def test_hermit_finds_the_vegetarian_pizzas(pizza: Taxonomy, ontologies: Path) -> None:
    margherita, american = PIZZA + "Margherita", PIZZA + "American"
    asserted = load_owl(ontologies / "pizza.owl")
    for cls in ("VegetarianPizza", "CheeseyPizza"):
        assert not asserted.is_a(margherita, PIZZA + cls)
        assert pizza.is_a(margherita, PIZZA + cls)
        assert not pizza.directly_a(margherita, PIZZA + cls)
        assert PIZZA + cls not in pizza.parents(margherita)
    assert pizza.is_a(american, PIZZA + "MeatyPizza")
    assert not pizza.is_a(american, PIZZA + "VegetarianPizza")
    assert pizza.directly_a(margherita, PIZZA + "NamedPizza")
    assert set(asserted.asserted_edges()) == set(pizza.asserted_edges())
    assert set(pizza.asserted_edges()) < set(pizza.edges())


@pytest.mark.slow
def test_inferred_equivalents(pizza: Taxonomy) -> None:
    assert pizza.equivalents(PIZZA + "SpicyPizza") == {PIZZA + "SpicyPizzaEquivalent"}


@pytest.mark.slow
def test_unsatisfiable_classes_are_listed_and_not_below_everything(pizza: Taxonomy) -> None:
    assert pizza.unsatisfiable == (PIZZA + "CheeseyVegetableTopping", PIZZA + "IceCream")
    assert not pizza.is_a(PIZZA + "IceCream", PIZZA + "Pizza")
    assert not any(
        "owl#" in name.replace(PIZZA, "")
        for edge in pizza.edges()
        for name in edge[:2]
        if edge[1] != str(owlready2.Thing.iri)
    )


@pytest.mark.slow
def test_univ_bench(ontologies: Path) -> None:
    asserted = load_owl(ontologies / "univ-bench.owl")
    inferred = load_owl(ontologies / "univ-bench.owl", reasoner="hermit")
    assert not asserted.is_a(UNIV + "GraduateStudent", UNIV + "Student")
    assert inferred.is_a(UNIV + "GraduateStudent", UNIV + "Student")
    assert inferred.is_a(UNIV + "Chair", UNIV + "Professor")
    assert inferred.is_subproperty(UNIV + "headOf", UNIV + "memberOf")


@pytest.mark.usefixtures("no_network")
def test_inferred_types_of_instances(temporary: Path, capfd: pytest.CaptureFixture[str]) -> None:
    content = PREFIXES + (
        ":owns a owl:ObjectProperty ; rdfs:domain :Keeper ; rdfs:subPropertyOf :knows . :knows a owl:ObjectProperty ."
        ":Keeper a owl:Class ; rdfs:subClassOf :Person . :Person a owl:Class . :Born a owl:Class ."
        ":age a owl:DatatypeProperty ; rdfs:range xsd:date . :ann :owns :tom ; :age '2005-05-10'^^xsd:date ."
        ":ann a owl:NamedIndividual . :tom a owl:NamedIndividual ."
        ":A a owl:Class ; owl:equivalentClass :B . :B a owl:Class ; owl:equivalentClass :C . :C a owl:Class ;"
        " owl:equivalentClass :D . :D a owl:Class ."
    )
    taxonomy = load_owl(content.encode(), "turtle", reasoner="hermit")
    assert taxonomy.instance_of("http://zoo/ann", "http://zoo/Person")
    assert not taxonomy.directly_a("http://zoo/ann", "http://zoo/Keeper")
    assert taxonomy.types("http://zoo/ann") == {"http://zoo/Keeper"}
    assert taxonomy.types("http://zoo/tom") == frozenset()
    assert taxonomy.equivalents("http://zoo/A") == {f"http://zoo/{name}" for name in "BCD"}
    assert list(temporary.iterdir()) == []
    assert capfd.readouterr() == ("", "")


def test_a_class_that_is_also_an_individual_is_not_made_an_instance_of_its_superclass() -> None:
    content = PREFIXES + (
        ":Cat a owl:Class, :Species ; rdfs:subClassOf :Feline . :Feline a owl:Class ; rdfs:subClassOf :Animal ."
        ":Animal a owl:Class . :Species a owl:Class ; owl:equivalentClass [ owl:oneOf (:Cat :Emu) ] ."
        ":Cat rdfs:subClassOf [ a owl:Class ; owl:intersectionOf (:Animal :Tame) ] . :Tame a owl:Class ."
    )
    taxonomy = load_owl(content.encode(), reasoner="hermit")
    assert taxonomy.is_a("http://zoo/Cat", "http://zoo/Animal")
    assert taxonomy.instances("http://zoo/Animal") == frozenset()
    assert taxonomy.instance_of("http://zoo/Emu", "http://zoo/Species")


def test_an_inconsistent_ontology_is_refused_and_leaves_no_file(temporary: Path) -> None:
    assert load_owl(INCONSISTENT.encode()).is_a("http://zoo/tom", "http://zoo/Dog")
    with pytest.raises(InconsistentOntology, match="hermit finds the ontology inconsistent") as caught:
        load_owl(INCONSISTENT.encode(), reasoner="hermit")
    assert caught.value.reasoner == "hermit"
    assert list(temporary.iterdir()) == []


def test_pellet_answers_or_says_in_one_line_why_not(temporary: Path) -> None:
    content = PREFIXES + ":owns a owl:ObjectProperty ; rdfs:domain :Keeper . :Keeper a owl:Class . :ann :owns :tom ."
    outcome: Taxonomy | ReasonerFailed
    try:
        outcome = load_owl(content.encode(), reasoner="pellet")
    except ReasonerFailed as failure:  # owlready2 0.51 ships a Pellet that needs Java 25
        outcome = failure
    if isinstance(outcome, Taxonomy):
        assert outcome.is_a("http://zoo/ann", "http://zoo/Keeper")
    else:
        assert outcome.reasoner == "pellet"
        assert "\n" not in str(outcome)
        assert "install Java" in str(outcome)
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("reasoner", ["hermit", "pellet"])
def test_missing_java_is_one_clear_line(reasoner: str, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owlready2, "JAVA_EXE", "no-such-java")
    with pytest.raises(ReasonerFailed, match="install a Java runtime") as caught:
        load_owl(INCONSISTENT.encode(), reasoner=reasoner)  # type: ignore[arg-type]
    assert caught.value.reasoner == reasoner
    assert "\n" not in str(caught.value)
    assert list(temporary.iterdir()) == []


def test_a_java_that_fails_is_reported_in_one_line(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\necho 'Error: Could not reserve enough space' >&2\necho more >&2\nexit 1\n")
    java.chmod(0o755)
    monkeypatch.setattr(owlready2, "JAVA_EXE", str(java))
    with pytest.raises(ReasonerFailed, match="Could not reserve enough space") as caught:
        load_owl(INCONSISTENT.encode(), reasoner="hermit")
    assert "\n" not in str(caught.value)
    assert list(temporary.iterdir()) == []


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("reasoner", [None, "hermit"])
def test_imports_are_not_followed_but_warned_about_once(reasoner: str | None) -> None:
    content = (
        PREFIXES + "<http://zoo> a owl:Ontology ; owl:imports <http://farm.invalid/> . :tom a :Cat . :Cat a owl:Class ."
    )
    with pytest.warns(ImportNotFollowed, match=r"http://farm\.invalid/") as caught:
        taxonomy = load_owl(content.encode(), reasoner=reasoner)  # type: ignore[arg-type]
    assert len(caught) == 1
    assert taxonomy.missing_imports == ("http://farm.invalid/",)
    assert taxonomy.is_a("http://zoo/tom", "http://zoo/Cat")


IMPORTING = (
    PREFIXES + "<http://zoo> a owl:Ontology ; owl:imports <http://farm.invalid/>, <http://a.invalid/> . :tom a :Cat ."
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


def test_python_modules_that_an_ontology_names_are_not_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    owlready_names = "http://www.lesfleursdunormal.fr/static/_downloads/owlready_ontology.owl#"
    content = PREFIXES + (
        f"<http://zoo> a owl:Ontology ; <{owlready_names}python_module> 'antigravity' . :Cat a owl:Class ."
    )
    monkeypatch.delitem(__import__("sys").modules, "antigravity", raising=False)
    load_owl(content.encode(), reasoner="hermit")
    assert "antigravity" not in __import__("sys").modules


@pytest.mark.slow
def test_the_default_world_stays_empty(pizza: Taxonomy) -> None:
    assert pizza.classes
    assert owlready2.default_world[PIZZA + "Pizza"] is None


OWL_XML = """<?xml version="1.0"?>
<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://zoo/">
  <Declaration><Class IRI="http://zoo/Cat"/></Declaration>
  <Declaration><Class IRI="http://zoo/Animal"/></Declaration>
  <Declaration><NamedIndividual IRI="http://zoo/tom"/></Declaration>
  <SubClassOf><Class IRI="http://zoo/Cat"/><Class IRI="http://zoo/Animal"/></SubClassOf>
  <ClassAssertion><Class IRI="http://zoo/Cat"/><NamedIndividual IRI="http://zoo/tom"/></ClassAssertion>
</Ontology>"""


def test_owl_xml() -> None:
    for taxonomy in (load(OWL_XML.encode()), load(OWL_XML.encode(), reasoner="hermit")):
        assert set(taxonomy.asserted_edges()) == {
            ("http://zoo/Cat", "http://zoo/Animal", "subclass"),
            ("http://zoo/tom", "http://zoo/Cat", "instance"),
        }


def test_malformed_owl_xml_is_located_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(MalformedOntology) as caught:
        load_owl(OWL_XML.replace("</SubClassOf>", "").encode())
    assert (caught.value.line, caught.value.column) == (8, 3)
    with pytest.raises(MalformedOntology, match="not OWL/XML") as caught:
        load_owl(OWL_XML.replace('<Class IRI="http://zoo/Animal"/></SubClassOf>', "</SubClassOf>").encode())
    assert caught.value.line == 6
    assert capfd.readouterr() == ("", "")


def test_malformed_rdf_is_located() -> None:
    with pytest.raises(MalformedOntology) as caught:
        load_owl(b"@prefix : <http://zoo/> .\n:tom a ;", reasoner="hermit")
    assert caught.value.line == 2


def test_an_empty_ontology_can_be_reasoned_about() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(load_owl(b"", reasoner="hermit")) == 0


def test_an_unknown_reasoner_is_refused() -> None:
    with pytest.raises(ValueError, match="hermit"):
        load_owl(b"", reasoner="fact++")  # type: ignore[arg-type]
