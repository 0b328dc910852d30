"""What RDFS and SKOS documents say, checked against searches over the rdflib graph."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from rdflib import OWL, RDF, RDFS, SKOS, Graph, URIRef
from rdflib.term import Node

from ontology import CyclicTaxonomy, Taxonomy, load, load_rdfs

SCHEMA = "https://schema.org/"
PREFIXES = """
@prefix : <http://zoo/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
"""


def zoo(body: str, **options: str) -> Taxonomy:
    return load_rdfs((PREFIXES + body).encode(), "turtle", **options)  # type: ignore[arg-type]


def edges(taxonomy: Taxonomy) -> set[tuple[str, str, str]]:
    return {
        (child.removeprefix("http://zoo/"), parent.removeprefix("http://zoo/"), kind)
        for child, parent, kind in taxonomy.edges()
    }


def plainly_above(graph: Graph, term: Node) -> set[Node]:
    """Everything that the term is a, by a search over the graph's triples alone."""
    types = set(graph.objects(term, RDF.type))
    language = (str(RDF), str(RDFS), str(OWL), str(SKOS))
    seen = {term} | {each for each in types if not str(each).startswith(language)}
    stack = list(seen)
    while stack:
        node = stack.pop()
        above = {
            *graph.objects(node, RDFS.subClassOf),
            *graph.objects(node, SKOS.broader),
            *graph.subjects(SKOS.narrower, node),
            *graph.objects(node, OWL.equivalentClass),
            *graph.subjects(OWL.equivalentClass, node),
        }
        stack.extend(above - seen)
        seen |= above
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("file", ["schemaorg-30.0-current-https.ttl", "iptc-mediatopics-en-GB.ttl"])
def test_a_thousand_questions_on_real_taxonomies(file: str, ontologies: Path) -> None:
    graph = Graph().parse(ontologies / file)
    taxonomy = load_rdfs(ontologies / file)
    relations = (RDFS.subClassOf, SKOS.broader, RDF.type)
    properties = set(graph.subjects(RDF.type, RDF.Property))
    terms = sorted({s for p in relations for s in graph.subjects(p) if isinstance(s, URIRef)} - properties)
    rng = random.Random(2005)
    yes = 0
    for number in range(1000):
        term = rng.choice(terms)
        above = plainly_above(graph, term)
        # Random pairs are nearly always unrelated: every other question is one that should be answered yes.
        cls = rng.choice(sorted(above)) if number % 2 else rng.choice(terms)
        assert taxonomy.is_a(term, cls) == (cls in above), (term, cls)
        yes += cls != term and cls in above
    assert 200 < yes < 800


def test_schema_org(ontologies: Path) -> None:
    taxonomy = load(ontologies / "schemaorg-30.0-current-https.ttl")
    monday = SCHEMA + "Monday"
    assert taxonomy.is_a(monday, SCHEMA + "DayOfWeek")
    assert taxonomy.is_a(monday, SCHEMA + "Enumeration")
    assert taxonomy.directly_a(monday, SCHEMA + "DayOfWeek")
    assert not taxonomy.is_a(monday, RDFS.Class)
    assert monday in taxonomy.instances(SCHEMA + "Thing")
    assert monday not in taxonomy.subclasses(SCHEMA + "Thing")
    assert taxonomy.path(SCHEMA + "NewsArticle", SCHEMA + "Thing") == tuple(
        SCHEMA + name for name in ("NewsArticle", "Article", "CreativeWork", "Thing")
    )
    assert taxonomy.is_subproperty(SCHEMA + "vendor", SCHEMA + "participant")
    assert taxonomy.types(SCHEMA + "NewsArticle") == frozenset()


def test_iptc_media_topics(ontologies: Path) -> None:
    taxonomy = load(ontologies / "iptc-mediatopics-en-GB.ttl")
    topic = "http://cv.iptc.org/newscodes/mediatopic/"
    arts, mass_media = topic + "01000000", topic + "20000045"
    assert taxonomy.is_a(mass_media, arts)
    assert not taxonomy.is_a(arts, mass_media)
    assert len(taxonomy.classes) == 1372
    assert not any(name.startswith("http://www.wikidata.org") for name in taxonomy.classes)


@pytest.mark.parametrize("file", ["skos.n3", "foaf.n3", "pizza.owl", "univ-bench.owl"])
def test_other_vocabularies_load(file: str, ontologies: Path) -> None:
    taxonomy = load(ontologies / file)
    assert len(taxonomy.classes) >= 4
    assert len(taxonomy.properties) >= 8


def test_skos_hierarchy_both_ways_and_no_mappings() -> None:
    taxonomy = zoo(
        ":Cat skos:broader :Feline . :Mammal skos:narrower :Feline . :Lion skos:broaderTransitive :Mammal ."
        ":Mammal skos:narrowerTransitive :Bat . :Cat skos:broadMatch :Pet . :Cat a skos:Concept ."
    )
    assert edges(taxonomy) == {
        ("Cat", "Feline", "subclass"),
        ("Feline", "Mammal", "subclass"),
        ("Lion", "Mammal", "subclass"),
        ("Bat", "Mammal", "subclass"),
    }


def test_types_of_the_language_make_no_instances_but_declare() -> None:
    taxonomy = zoo(
        ":Cat a rdfs:Class . :Dog a owl:Class . :p a rdf:Property . :q a owl:DatatypeProperty . :o a owl:Ontology ."
        ":tom a owl:NamedIndividual, :Cat . :it a owl:Thing ."
    )
    assert edges(taxonomy) == {("tom", "Cat", "instance"), ("it", str(OWL.Thing), "instance")}
    assert taxonomy.classes == {"http://zoo/Cat", "http://zoo/Dog", str(OWL.Thing)}
    assert taxonomy.properties == {"http://zoo/p", "http://zoo/q"}
    assert "http://zoo/o" not in taxonomy


def test_anonymous_classes_and_literals_make_no_edges() -> None:
    taxonomy = zoo(
        ":Cat rdfs:subClassOf [ a owl:Restriction ], :Animal, 'nonsense' . [ a owl:Class ] rdfs:subClassOf :Animal ."
        ":Pet owl:equivalentClass [ owl:intersectionOf (:Animal :Tame) ] . [] a :Cat ."
    )
    assert edges(taxonomy) == {("Cat", "Animal", "subclass")}


def test_equivalent_names_are_below_each_other_without_condensing() -> None:
    taxonomy = zoo(
        ":Cat owl:equivalentClass :Feline . :Feline rdfs:subClassOf :Animal . :tom a :Cat ."
        ":has owl:equivalentProperty :owns ."
    )
    assert taxonomy.is_a("http://zoo/tom", "http://zoo/Feline")
    assert taxonomy.is_a("http://zoo/Cat", "http://zoo/Animal")
    assert not taxonomy.ancestor_of("http://zoo/Cat", "http://zoo/Feline")
    assert taxonomy.is_subproperty("http://zoo/owns", "http://zoo/has")


def test_cycles_are_refused_by_name_or_condensed() -> None:
    cyclic = ":A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :C rdfs:subClassOf :A . :D rdfs:subClassOf :A ."
    with pytest.raises(CyclicTaxonomy) as caught:
        zoo(cyclic)
    assert set(caught.value.cycle) == {"http://zoo/A", "http://zoo/B", "http://zoo/C"}
    assert zoo(cyclic, cycles="condense").is_a("http://zoo/D", "http://zoo/C")


def test_a_graph_is_a_source() -> None:
    graph = Graph().parse(data=PREFIXES + ":tom a :Cat .", format="turtle")
    assert load(graph).directly_a("http://zoo/tom", "http://zoo/Cat")


def test_labels_of_named_terms_are_read_in_all_languages() -> None:
    taxonomy = zoo(
        ":Cat rdfs:subClassOf :Animal ; rdfs:label 'cat'@en, 'Katze'@de ; skos:prefLabel 'Felis' ; rdfs:comment 'a' ."
        "[] rdfs:label 'nobody' . :tom a :Cat ; skos:altLabel 'Tom' ; skos:prefLabel :Cat ."
    )
    found = {
        (term.removeprefix("http://zoo/"), text, language) for term, _, text, language in taxonomy.labels.statements()
    }
    assert found == {("Cat", "cat", "en"), ("Cat", "Katze", "de"), ("Cat", "Felis", ""), ("tom", "Tom", "")}
    assert taxonomy.labelled("tom", "http://zoo/Animal") == ("http://zoo/tom",)
