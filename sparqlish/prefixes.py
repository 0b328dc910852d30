"""Preset prefixes: common namespaces that need no PREFIX declaration."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["PREFIXES", "RDF", "RDFS", "XSD"]

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
XSD = "http://www.w3.org/2001/XMLSchema#"

PREFIXES: Mapping[str, str] = MappingProxyType(
    {
        "rdf": RDF,
        "rdfs": RDFS,
        "xsd": XSD,
        "owl": "http://www.w3.org/2002/07/owl#",
        "dc": "http://purl.org/dc/elements/1.1/",
        "dcterms": "http://purl.org/dc/terms/",
        "foaf": "http://xmlns.com/foaf/0.1/",
        "skos": "http://www.w3.org/2004/02/skos/core#",
        "schema": "https://schema.org/",
        "rss": "http://purl.org/rss/1.0/",
        "sioc": "http://rdfs.org/sioc/ns#",
        "content": "http://purl.org/rss/1.0/modules/content/",
    }
)
