"""RDFS's own vocabulary: its axiomatic triples (RDF 1.1 Semantics, sections 8 and 9).

Those of the container membership properties, `rdf:_1`, `rdf:_2` and so on, are infinitely many:
`membership_statements` returns those of one of them.
"""

from __future__ import annotations

import re

from gtopss.model.terms import RDF, RDF_TYPE, RDFS, Term, Triple

TYPE = RDF_TYPE
SUBCLASS, SUBPROPERTY = Term(f"<{RDFS}subClassOf>"), Term(f"<{RDFS}subPropertyOf>")
DOMAIN, RANGE = Term(f"<{RDFS}domain>"), Term(f"<{RDFS}range>")
RESOURCE, CLASS, LITERAL = Term(f"<{RDFS}Resource>"), Term(f"<{RDFS}Class>"), Term(f"<{RDFS}Literal>")
PROPERTY, DATATYPE, MEMBER = Term(f"<{RDF}Property>"), Term(f"<{RDFS}Datatype>"), Term(f"<{RDFS}member>")
MEMBERSHIP_PROPERTY = Term(f"<{RDFS}ContainerMembershipProperty>")

_NAMESPACES = {"rdf": RDF, "rdfs": RDFS}
_MEMBERSHIP_NAME = re.compile(f"<{re.escape(RDF)}_[1-9][0-9]*>")

# property: its domain and its range
_DOMAINS_AND_RANGES = """
rdf:type rdfs:Resource rdfs:Class
rdfs:domain rdf:Property rdfs:Class
rdfs:range rdf:Property rdfs:Class
rdfs:subPropertyOf rdf:Property rdf:Property
rdfs:subClassOf rdfs:Class rdfs:Class
rdf:subject rdf:Statement rdfs:Resource
rdf:predicate rdf:Statement rdfs:Resource
rdf:object rdf:Statement rdfs:Resource
rdfs:member rdfs:Resource rdfs:Resource
rdf:first rdf:List rdfs:Resource
rdf:rest rdf:List rdf:List
rdfs:seeAlso rdfs:Resource rdfs:Resource
rdfs:isDefinedBy rdfs:Resource rdfs:Resource
rdfs:comment rdfs:Resource rdfs:Literal
rdfs:label rdfs:Resource rdfs:Literal
rdf:value rdfs:Resource rdfs:Resource
"""
_OTHERS = """
rdf:type rdf:type rdf:Property
rdf:subject rdf:type rdf:Property
rdf:predicate rdf:type rdf:Property
rdf:object rdf:type rdf:Property
rdf:first rdf:type rdf:Property
rdf:rest rdf:type rdf:Property
rdf:value rdf:type rdf:Property
rdf:nil rdf:type rdf:List
rdf:Alt rdfs:subClassOf rdfs:Container
rdf:Bag rdfs:subClassOf rdfs:Container
rdf:Seq rdfs:subClassOf rdfs:Container
rdfs:ContainerMembershipProperty rdfs:subClassOf rdf:Property
rdfs:isDefinedBy rdfs:subPropertyOf rdfs:seeAlso
rdfs:Datatype rdfs:subClassOf rdfs:Class
"""


def _term(name: str) -> Term:
    prefix, _, local = name.partition(":")
    return Term(f"<{_NAMESPACES[prefix]}{local}>")


def _axioms() -> tuple[Triple, ...]:
    made: list[Triple] = []
    for line in _DOMAINS_AND_RANGES.split("\n"):
        if line:
            property, domain, range_ = map(_term, line.split())
            made += [(property, DOMAIN, domain), (property, RANGE, range_)]
    for line in _OTHERS.split("\n"):
        if line:
            subject, property, object_ = map(_term, line.split())
            made.append((subject, property, object_))
    return tuple(made)


AXIOMS: tuple[Triple, ...] = _axioms()
"""The axiomatic triples, without those of the container membership properties."""


def is_membership_property(term: Term) -> bool:
    """Return whether a term is `rdf:_1`, `rdf:_2` and so on."""
    return _MEMBERSHIP_NAME.fullmatch(term) is not None


def membership_statements(property: Term) -> tuple[Triple, ...]:
    """Return the axiomatic triples of a container membership property."""
    return (
        (property, TYPE, PROPERTY),
        (property, TYPE, MEMBERSHIP_PROPERTY),
        (property, DOMAIN, RESOURCE),
        (property, RANGE, RESOURCE),
    )
