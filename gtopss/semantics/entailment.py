"""RDFS entailment: the triples that follow from a publication and the taxonomy's subclasses and subproperties.

With `entailment="rdfs"`, the entailed triples are added to a publication before it is matched: those of RDFS rules 5,
7, 9 and 11 (subproperty, subclass, type) for the terms that the publication mentions, and the types that the taxonomy
states for them. The taxonomy's statements about other terms are not added. Subclass statements of the publication
itself are closed over the taxonomy, but are not applied to the publication's own types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gtopss.errors import InvalidTerm
from gtopss.model.publication import Publication
from gtopss.model.terms import RDF_TYPE, RDFS, Term, Triple, iri, iri_text, is_iri
from ontology import Taxonomy

DEFAULT_EXPANSION_LIMIT = 100_000
"""Triples that are added to a publication: by entailment here, and by is-a constraints in the index."""

_SUBCLASS = Term(f"<{RDFS}subClassOf>")
_SUBPROPERTY = Term(f"<{RDFS}subPropertyOf>")


def entail(publication: Publication, taxonomy: Taxonomy, limit: int = DEFAULT_EXPANSION_LIMIT) -> Publication:
    """Return the publication with the triples that RDFS entails; they are listed in `inferred`.

    At most `limit` triples are added. A publication that has so many of them may lack others.
    """
    stated = frozenset(publication.triples)
    inferred: dict[Triple, None] = {}
    for triple in _entailed(publication, taxonomy):
        if len(inferred) == limit:
            break
        if triple not in stated:
            inferred[triple] = None
    return Publication.trusted(
        publication.id,
        [*publication.triples, *inferred],
        source=publication.source,
        published_at=publication.published_at,
        inferred=frozenset(inferred),
        received_at=publication.received_at,
        payload=publication.payload,
    )


def _entailed(publication: Publication, taxonomy: Taxonomy) -> Iterator[Triple]:
    mentioned = dict.fromkeys(node for s, _, o in publication.triples for node in (s, o) if is_iri(node))
    for node in mentioned:
        for cls in taxonomy.types(iri_text(node)):
            for above in _terms({cls} | taxonomy.superclasses(cls)):
                yield node, RDF_TYPE, above
    for subject, predicate, object_ in publication.triples:
        for wider in (predicate, *_terms(taxonomy.superproperties(iri_text(predicate)))):
            yield from _with_wider_objects(subject, wider, object_, taxonomy)


def _with_wider_objects(subject: Term, predicate: Term, object_: Term, taxonomy: Taxonomy) -> Iterator[Triple]:
    """Yield the triple; if its property is RDFS's own, also the triples with what is above its object."""
    yield subject, predicate, object_
    if not is_iri(object_):
        return
    above: frozenset[str] = frozenset()
    if predicate in (RDF_TYPE, _SUBCLASS):
        above = taxonomy.superclasses(iri_text(object_))
    elif predicate == _SUBPROPERTY:
        above = taxonomy.superproperties(iri_text(object_))
    for wider in _terms(above):
        yield subject, predicate, wider


def _terms(names: Iterable[str]) -> Iterator[Term]:
    """Yield the names that are valid IRIs; a publication cannot mention the others."""
    for name in names:
        try:
            yield iri(name)
        except InvalidTerm:
            continue
