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
