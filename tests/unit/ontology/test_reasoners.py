"""HermiT and Pellet, really run."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import owlready2
import pytest
from support.ontology_documents import ZOO

from ontology import InconsistentOntology, NothingLoaded, ReasonerFailed, Taxonomy, load, load_owl

PIZZA = "https://raw.githubusercontent.com/owlcs/pizza-ontology/refs/heads/master/pizza.owl#"

UNIV = "http://www.lehigh.edu/~zhp2/2004/0401/univ-bench.owl#"

INCONSISTENT = ZOO + (
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
    content = ZOO + (
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
    content = ZOO + (
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


def test_pellet_runs_on_the_installed_java(temporary: Path) -> None:
    content = ZOO + ":owns a owl:ObjectProperty ; rdfs:domain :Keeper . :Keeper a owl:Class . :ann :owns :tom ."
    assert load_owl(content.encode(), reasoner="pellet").is_a("http://zoo/ann", "http://zoo/Keeper")
    with pytest.raises(InconsistentOntology, match="pellet finds the ontology inconsistent"):
        load_owl(INCONSISTENT.encode(), reasoner="pellet")
    assert list(temporary.iterdir()) == []


def test_a_reasoner_for_a_newer_java_says_so_in_one_line(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "java"
    message = "X has been compiled by a more recent version (class file version 69.0), class file versions up to 61.0"
    java.write_text(f"#!/bin/sh\necho '{message}' >&2\nexit 1\n")
    java.chmod(0o755)
    monkeypatch.setattr(owlready2, "JAVA_EXE", str(java))
    with pytest.raises(ReasonerFailed, match="needs Java 25, the installed one is Java 17; install Java 25") as caught:
        load_owl(INCONSISTENT.encode(), reasoner="pellet")
    assert "\n" not in str(caught.value)
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


def test_python_modules_that_an_ontology_names_are_not_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    owlready_names = "http://www.lesfleursdunormal.fr/static/_downloads/owlready_ontology.owl#"
    content = ZOO + (
        f"<http://zoo> a owl:Ontology ; <{owlready_names}python_module> 'antigravity' . :Cat a owl:Class ."
    )
    monkeypatch.delitem(__import__("sys").modules, "antigravity", raising=False)
    load_owl(content.encode(), reasoner="hermit")
    assert "antigravity" not in __import__("sys").modules


@pytest.mark.slow
def test_the_default_world_stays_empty(pizza: Taxonomy) -> None:
    assert pizza.classes
    assert owlready2.default_world[PIZZA + "Pizza"] is None


def test_an_empty_ontology_can_be_reasoned_about() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.warns(NothingLoaded):
            assert len(load_owl(b"", reasoner="hermit")) == 0
