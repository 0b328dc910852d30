"""RDFS in plain patterns: what a publication says once subclasses and subproperties are taken into account.

With `entailment="rdfs"` a publication is completed before it is matched, by RDFS rules 5, 7, 9 and 11 (subproperty,
subclass, type) for the terms it mentions: the taxonomy's own statements about other things are not part of
anybody's news. Types of mentioned instances that only the taxonomy states are added as well. Subclass statements of the
publication itself are closed over the taxonomy, but are not applied to the publication's own types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gtopss.errors import InvalidTerm
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
        for cls in taxonomy.types(iri_text(node)):
            for above in _terms({cls} | taxonomy.superclasses(cls)):
                yield node, RDF_TYPE, above
    for subject, predicate, object_ in publication.triples:
        for wider in (predicate, *_terms(taxonomy.superproperties(iri_text(predicate)))):
            yield from _completed(subject, wider, object_, taxonomy)


def _completed(subject: Term, predicate: Term, object_: Term, taxonomy: Taxonomy) -> Iterator[Triple]:
    """The triple, and where its property is RDFS's own, what lies above its object."""
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
    """The names that are IRIs; no publication could mention the others."""
    for name in names:
        try:
            yield iri(name)
        except InvalidTerm:
            continue
