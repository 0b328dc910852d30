"""RDFS in plain patterns: what a publication says once subclasses and subproperties are taken into account.

With `entailment="rdfs"` a publication is completed before it is matched, by RDFS rules 5, 7, 9 and 11 (subproperty,
subclass, type) for the terms it mentions: the taxonomy's own statements about other things are not part of
anybody's news. Types of mentioned instances that only the taxonomy states are added as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gtopss.model.publication import Publication
from gtopss.model.terms import RDF_TYPE, RDFS, Term, Triple, iri, iri_text, is_iri
from ontology import Taxonomy

_SUBCLASS = Term(f"<{RDFS}subClassOf>")
_SUBPROPERTY = Term(f"<{RDFS}subPropertyOf>")


def entail(publication: Publication, taxonomy: Taxonomy) -> Publication:
    """The publication with the triples that RDFS adds to it."""
    inferred = dict.fromkeys(_entailed(publication, taxonomy))
    return Publication.trusted(
        publication.id,
        [*publication.triples, *inferred],
        source=publication.source,
        published_at=publication.published_at,
        inferred=frozenset(inferred) - frozenset(publication.triples),
    )


def _entailed(publication: Publication, taxonomy: Taxonomy) -> Iterator[Triple]:
    mentioned = dict.fromkeys(node for s, _, o in publication.triples for node in (s, o) if is_iri(node))
    for node in mentioned:
        for cls in _with_ancestors(taxonomy.types(iri_text(node)), taxonomy):
            yield node, RDF_TYPE, cls
    for subject, predicate, object_ in publication.triples:
        for wider in taxonomy.superproperties(iri_text(predicate)):
            yield from _typed(subject, iri(wider), object_, taxonomy)
        yield from _typed(subject, predicate, object_, taxonomy)


def _typed(subject: Term, predicate: Term, object_: Term, taxonomy: Taxonomy) -> Iterator[Triple]:
    yield subject, predicate, object_
    if not is_iri(object_):
        return
    if predicate in (RDF_TYPE, _SUBCLASS):
        for wider in taxonomy.superclasses(iri_text(object_)):
            yield subject, predicate, iri(wider)
    elif predicate == _SUBPROPERTY:
        for wider in taxonomy.superproperties(iri_text(object_)):
            yield subject, predicate, iri(wider)


def _with_ancestors(classes: Iterable[str], taxonomy: Taxonomy) -> Iterator[Term]:
    for cls in classes:
        yield iri(cls)
        yield from map(iri, taxonomy.superclasses(cls))
