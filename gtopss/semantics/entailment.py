"""RDFS entailment: the triples that follow from a publication and an ontology (RDF 1.1 Semantics, sections 8 and 9).

With `entailment="rdfs"`, these are added to a publication before it is matched: what the rules rdfD2 and rdfs2 to
rdfs13 derive from its triples, the axiomatic triples, and the ontology's subclasses, instances, subproperties, domains
and ranges. A triple is added if its subject occurs in the publication, anywhere in a triple. So a publication gets its
own consequences, and not the statements of the ontology about other things. docs/meaning.md lists the rules.

The rules are applied forward, triple by triple, until nothing new follows (`_Closure`). Statements of the publication
about classes and properties count as those of the ontology do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from typing import TypeAlias

from gtopss.errors import InvalidTerm
from gtopss.model.publication import Publication
from gtopss.model.terms import Term, Triple, iri, iri_text, is_iri, is_literal
from gtopss.semantics.rdfs_axioms import (
    AXIOMS,
    CLASS,
    DATATYPE,
    DOMAIN,
    LITERAL,
    MEMBER,
    MEMBERSHIP_PROPERTY,
    PROPERTY,
    RANGE,
    RESOURCE,
    SUBCLASS,
    SUBPROPERTY,
    TYPE,
    is_membership_property,
    membership_statements,
)
from ontology import Taxonomy

DEFAULT_EXPANSION_LIMIT = 100_000
"""Triples that are added to a publication: by entailment here, and by is-a constraints in the index."""

MAX_CACHED_STATEMENTS = 200_000
"""Terms whose statements in the ontology are kept; all are forgotten when there are more."""
_SCHEMA_PROPERTIES = frozenset({SUBCLASS, SUBPROPERTY, DOMAIN, RANGE})


StatedObjects: TypeAlias = Callable[[Term, Term], tuple[Term, ...]]
"""Return the objects of the statements with a relation about a subject."""


class OntologySchema:
    """The statements of an ontology about its classes, properties and instances, as terms. Thread-safe.

    They are converted when they are first needed, and again after the taxonomy was edited.
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        self._taxonomy = taxonomy
        self._cache = taxonomy.version, dict[tuple[Term, Term], tuple[Term, ...]]()

    def objects(self, relation: Term, subject: Term) -> tuple[Term, ...]:
        """Return the objects of the statements about a subject: its superclasses, types and so on."""
        version, known = self._cache
        if version != self._taxonomy.version or len(known) > MAX_CACHED_STATEMENTS:
            known = {}
            self._cache = self._taxonomy.version, known
        key = relation, subject
        found = known.get(key)
        if found is None:
            found = known[key] = tuple(self._read(relation, subject))
        return found

    def _read(self, relation: Term, subject: Term) -> Iterator[Term]:
        """Yield the ontology's objects, RDFS's own for its vocabulary, and those of the membership properties."""
        yield from _vocabulary().get((relation, subject), ())
        if not is_iri(subject):
            return
        if is_membership_property(subject):
            yield from (object_ for _, each, object_ in membership_statements(subject) if each == relation)
        name, taxonomy = iri_text(subject), self._taxonomy
        if relation == TYPE:
            yield from _terms(taxonomy.types(name))
            if taxonomy.is_class(name) or taxonomy.is_domain_or_range(name):
                yield CLASS
            if taxonomy.is_property(name):
                yield PROPERTY
        elif relation == SUBCLASS:
            yield from _terms(taxonomy.superclasses(name))
        elif relation == SUBPROPERTY:
            yield from _terms(taxonomy.superproperties(name))
        else:
            yield from _terms(taxonomy.domains(name) if relation == DOMAIN else taxonomy.ranges(name))


def entail(
    publication: Publication, ontology: Taxonomy | OntologySchema, limit: int = DEFAULT_EXPANSION_LIMIT
) -> Publication:
    """Return the publication with the triples that RDFS entails; they are listed in `inferred`.

    At most `limit` triples are added. A publication that has so many of them may lack others.
    """
    schema = OntologySchema(ontology) if isinstance(ontology, Taxonomy) else ontology
    inferred = _Closure(publication.triples, schema.objects, limit).derive()
    return Publication.trusted(
        publication.id,
        [*publication.triples, *inferred],
        source=publication.source,
        published_at=publication.published_at,
        inferred=frozenset(inferred),
        received_at=publication.received_at,
        payload=publication.payload,
    )


class _Closure:
    """The triples that are known, those that wait for the rules, and tables of them by property and object.

    Every triple is handled once, as either premise of a rule: `_apply` looks up the schema statements that apply to it,
    and a schema statement of the publication is applied to the triples that were handled before. Derived triples may
    have a literal as subject or a blank node as property; the rules need them, and nobody else sees them.
    """

    def __init__(self, triples: Iterable[Triple], ontology: StatedObjects, limit: int) -> None:
        self._ontology, self._limit = ontology, limit
        self._known: dict[Triple, None] = dict.fromkeys(triples)
        self._stated = len(self._known)
        self._waiting: deque[Triple] = deque(self._known)
        self._terms = frozenset(term for triple in self._known for term in triple)
        self._by_property: dict[Term, list[Triple]] = {}
        self._subjects: dict[tuple[Term, Term], list[Term]] = {}
        """By property and object."""
        self._schema: dict[tuple[Term, Term], list[Term]] = {}
        """Objects by property and subject, of the triples that state subclasses, subproperties, domains and ranges."""

    def derive(self) -> list[Triple]:
        """Return the triples that follow and that an RDF graph may have, `limit` of them at most."""
        for term in self._terms:
            for relation in (TYPE, *_SCHEMA_PROPERTIES):
                for object_ in self._ontology(relation, term):
                    self._add(term, relation, object_)
        while self._waiting and len(self._known) - self._stated < self._limit:
            triple = self._waiting.popleft()
            self._apply(*triple)
            self._remember(triple)
        derived = (each for number, each in enumerate(self._known) if number >= self._stated)
        allowed = (each for each in derived if is_iri(each[1]) and not is_literal(each[0]))
        return list(islice(allowed, self._limit))

    def _add(self, subject: Term, property: Term, object_: Term) -> None:
        triple = subject, property, object_
        if subject in self._terms and triple not in self._known:
            self._known[triple] = None
            self._waiting.append(triple)

    def _remember(self, triple: Triple) -> None:
        """Note a handled triple, and apply it to earlier ones if it states something about a class or property."""
        subject, property, object_ = triple
        self._by_property.setdefault(property, []).append(triple)
        self._subjects.setdefault((property, object_), []).append(subject)
        if property not in _SCHEMA_PROPERTIES:
            return
        if subject == object_ and property in (SUBCLASS, SUBPROPERTY):  # says nothing; a range of itself does
            return
        self._schema.setdefault((property, subject), []).append(object_)
        if property == SUBCLASS:
            for above in (TYPE, SUBCLASS):  # rdfs9, rdfs11
                for each in tuple(self._subjects.get((above, subject), ())):
                    self._add(each, above, object_)
            return
        if property == SUBPROPERTY:
            for each in tuple(self._subjects.get((SUBPROPERTY, subject), ())):  # rdfs5
                self._add(each, SUBPROPERTY, object_)
        for one, _, other in tuple(self._by_property.get(subject, ())):
            if property == SUBPROPERTY:  # rdfs7
                self._add(one, object_, other)
            elif property == DOMAIN:  # rdfs2
                self._add(one, TYPE, object_)
            else:  # rdfs3
                self._add(other, TYPE, object_)

    def _apply(self, subject: Term, property: Term, object_: Term) -> None:
        """Derive what follows from one triple, by the schema that is known."""
        self._add(property, TYPE, PROPERTY)  # rdfD2
        self._add(subject, TYPE, RESOURCE)  # rdfs4a
        self._add(object_, TYPE, RESOURCE)  # rdfs4b
        for above in self._above(SUBPROPERTY, property):  # rdfs7
            self._add(subject, above, object_)
        for cls in self._above(DOMAIN, property):  # rdfs2
            self._add(subject, TYPE, cls)
        for cls in self._above(RANGE, property):  # rdfs3
            self._add(object_, TYPE, cls)
        if property == TYPE:
            self._apply_type(subject, object_)
        elif property in (SUBCLASS, SUBPROPERTY):
            for above in self._above(property, object_):  # rdfs11, rdfs5
                self._add(subject, property, above)

    def _apply_type(self, subject: Term, cls: Term) -> None:
        for above in self._above(SUBCLASS, cls):  # rdfs9
            self._add(subject, TYPE, above)
        if cls == CLASS:
            self._add(subject, SUBCLASS, RESOURCE)  # rdfs8
            self._add(subject, SUBCLASS, subject)  # rdfs10
        elif cls == PROPERTY:
            self._add(subject, SUBPROPERTY, subject)  # rdfs6
        elif cls == MEMBERSHIP_PROPERTY:
            self._add(subject, SUBPROPERTY, MEMBER)  # rdfs12
        elif cls == DATATYPE:
            self._add(subject, SUBCLASS, LITERAL)  # rdfs13

    def _above(self, relation: Term, subject: Term) -> tuple[Term, ...]:
        """Return the objects of the schema statements about a term: the ontology's, RDFS's own, and those found."""
        stated = self._ontology(relation, subject)
        found = self._schema.get((relation, subject))
        return stated if found is None else (*stated, *found)


@cache
def _vocabulary() -> dict[tuple[Term, Term], tuple[Term, ...]]:
    """Return the objects of RDFS's own statements about its vocabulary, and of what follows from them.

    For instance, `rdfs:Class` is a class, because it is the range of a property.
    """
    made: dict[tuple[Term, Term], list[Term]] = {}
    derived = _Closure(AXIOMS, lambda relation, subject: (), DEFAULT_EXPANSION_LIMIT).derive()
    for subject, property, object_ in (*AXIOMS, *derived):
        made.setdefault((property, subject), []).append(object_)
    return {key: tuple(objects) for key, objects in made.items()}


def _terms(names: Iterable[str]) -> Iterator[Term]:
    """Yield the names that are valid IRIs; a publication cannot mention the others."""
    for name in names:
        try:
            yield iri(name)
        except InvalidTerm:
            continue
