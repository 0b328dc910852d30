"""A plain fixpoint of the RDFS rules over a set of triples: the oracle of entailment. It is slow, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gtopss.model.terms import RDF, RDFS, Term, Triple, is_iri, is_literal

TYPE, PROPERTY = f"<{RDF}type>", f"<{RDF}Property>"
SUBCLASS, SUBPROPERTY = f"<{RDFS}subClassOf>", f"<{RDFS}subPropertyOf>"
DOMAIN, RANGE = f"<{RDFS}domain>", f"<{RDFS}range>"
RESOURCE, CLASS, DATATYPE, LITERAL, MEMBER, MEMBERSHIP = (
    f"<{RDFS}{name}>" for name in ("Resource", "Class", "Datatype", "Literal", "member", "ContainerMembershipProperty")
)

# As in RDF 1.1 Semantics, sections 8 and 9, in their order there.
AXIOMS = """
rdf:type rdf:type rdf:Property .  rdf:subject rdf:type rdf:Property .  rdf:predicate rdf:type rdf:Property .
rdf:object rdf:type rdf:Property .  rdf:first rdf:type rdf:Property .  rdf:rest rdf:type rdf:Property .
rdf:value rdf:type rdf:Property .  rdf:nil rdf:type rdf:List .
rdf:type rdfs:domain rdfs:Resource .  rdfs:domain rdfs:domain rdf:Property .  rdfs:range rdfs:domain rdf:Property .
rdfs:subPropertyOf rdfs:domain rdf:Property .  rdfs:subClassOf rdfs:domain rdfs:Class .
rdf:subject rdfs:domain rdf:Statement .  rdf:predicate rdfs:domain rdf:Statement .
rdf:object rdfs:domain rdf:Statement .  rdfs:member rdfs:domain rdfs:Resource .  rdf:first rdfs:domain rdf:List .
rdf:rest rdfs:domain rdf:List .  rdfs:seeAlso rdfs:domain rdfs:Resource .  rdfs:isDefinedBy rdfs:domain rdfs:Resource .
rdfs:comment rdfs:domain rdfs:Resource .  rdfs:label rdfs:domain rdfs:Resource .  rdf:value rdfs:domain rdfs:Resource .
rdf:type rdfs:range rdfs:Class .  rdfs:domain rdfs:range rdfs:Class .  rdfs:range rdfs:range rdfs:Class .
rdfs:subPropertyOf rdfs:range rdf:Property .  rdfs:subClassOf rdfs:range rdfs:Class .
rdf:subject rdfs:range rdfs:Resource .  rdf:predicate rdfs:range rdfs:Resource .  rdf:object rdfs:range rdfs:Resource .
rdfs:member rdfs:range rdfs:Resource .  rdf:first rdfs:range rdfs:Resource .  rdf:rest rdfs:range rdf:List .
rdfs:seeAlso rdfs:range rdfs:Resource .  rdfs:isDefinedBy rdfs:range rdfs:Resource .
rdfs:comment rdfs:range rdfs:Literal .  rdfs:label rdfs:range rdfs:Literal .  rdf:value rdfs:range rdfs:Resource .
rdf:Alt rdfs:subClassOf rdfs:Container .  rdf:Bag rdfs:subClassOf rdfs:Container .
rdf:Seq rdfs:subClassOf rdfs:Container .  rdfs:ContainerMembershipProperty rdfs:subClassOf rdf:Property .
rdfs:isDefinedBy rdfs:subPropertyOf rdfs:seeAlso .  rdfs:Datatype rdfs:subClassOf rdfs:Class .
"""


def axioms(members: int = 3) -> Iterator[Triple]:
    """Yield the axiomatic triples, with those of so many container membership properties."""
    namespaces = {"rdf": RDF, "rdfs": RDFS}
    names = [
        Term(f"<{namespaces[prefix]}{local}>")
        for prefix, _, local in (name.partition(":") for name in AXIOMS.replace(" .", " ").split())
    ]
    yield from zip(names[::3], names[1::3], names[2::3], strict=True)
    for number in range(1, members + 1):
        each = Term(f"<{RDF}_{number}>")
        for property, object_ in ((TYPE, PROPERTY), (TYPE, MEMBERSHIP), (DOMAIN, RESOURCE), (RANGE, RESOURCE)):
            yield each, Term(property), Term(object_)


def closure(triples: Iterable[Triple]) -> set[Triple]:
    """Return the triples, the axiomatic ones, and all that follows from them by rdfD2 and rdfs2 to rdfs13.

    Triples with a literal as subject, or a blank node as property, are used and left out of the result.
    """
    known = {*triples, *axioms()}
    while True:
        new = set(_derived(known)) - known
        if not new:
            return {each for each in known if is_iri(each[1]) and not is_literal(each[0])}
        known |= new


def _derived(known: set[Triple]) -> Iterator[Triple]:
    made: list[tuple[str, str, str]] = []
    for s, p, o in known:
        made += [(p, TYPE, PROPERTY), (s, TYPE, RESOURCE), (o, TYPE, RESOURCE)]  # rdfD2, rdfs4a, rdfs4b
        if p == TYPE and o == PROPERTY:
            made.append((s, SUBPROPERTY, s))  # rdfs6
        if p == TYPE and o == CLASS:
            made += [(s, SUBCLASS, RESOURCE), (s, SUBCLASS, s)]  # rdfs8, rdfs10
        if p == TYPE and o == MEMBERSHIP:
            made.append((s, SUBPROPERTY, MEMBER))  # rdfs12
        if p == TYPE and o == DATATYPE:
            made.append((s, SUBCLASS, LITERAL))  # rdfs13
        for a, q, b in known if p in (DOMAIN, RANGE, SUBPROPERTY, SUBCLASS) else ():
            if p == DOMAIN and q == s:
                made.append((a, TYPE, o))  # rdfs2
            if p == RANGE and q == s:
                made.append((b, TYPE, o))  # rdfs3
            if p == SUBPROPERTY and q == SUBPROPERTY and b == s:
                made.append((a, SUBPROPERTY, o))  # rdfs5
            if p == SUBPROPERTY and q == s:
                made.append((a, o, b))  # rdfs7
            if p == SUBCLASS and q == TYPE and b == s:
                made.append((a, TYPE, o))  # rdfs9
            if p == SUBCLASS and q == SUBCLASS and b == s:
                made.append((a, SUBCLASS, o))  # rdfs11
    for s, p, o in made:
        yield Term(s), Term(p), Term(o)
