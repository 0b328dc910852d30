"""One small ontology in each format that the ontology package reads."""

from __future__ import annotations

import json

RDFS = "http://www.w3.org/2000/01/rdf-schema#"
CAT, ANIMAL = "http://zoo/Cat", "http://zoo/Animal"
TURTLE = f"@prefix rdfs: <{RDFS}> .\n<{CAT}> rdfs:subClassOf <{ANIMAL}> .\n".encode()
NTRIPLES = f"<{CAT}> <{RDFS}subClassOf> <{ANIMAL}> .\n".encode()
RDFXML = f"""<?xml version="1.0"?>
<!-- <Ontology> in a comment is no root -->
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="{RDFS}">
<rdfs:Class rdf:about="{CAT}"><rdfs:subClassOf rdf:resource="{ANIMAL}"/></rdfs:Class>
</rdf:RDF>""".encode()
JSONLD = json.dumps({"@context": {"sub": {"@id": RDFS + "subClassOf", "@type": "@id"}}, "@id": CAT, "sub": ANIMAL})

ZOO = """
@prefix : <http://zoo/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

"""Prefixes for small ontologies in Turtle."""
OWL_XML = """<?xml version="1.0"?>
<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://zoo/">
  <Declaration><Class IRI="http://zoo/Cat"/></Declaration>
  <Declaration><Class IRI="http://zoo/Animal"/></Declaration>
  <Declaration><NamedIndividual IRI="http://zoo/tom"/></Declaration>
  <SubClassOf><Class IRI="http://zoo/Cat"/><Class IRI="http://zoo/Animal"/></SubClassOf>
  <ClassAssertion><Class IRI="http://zoo/Cat"/><NamedIndividual IRI="http://zoo/tom"/></ClassAssertion>
</Ontology>"""
