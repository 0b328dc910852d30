"""Translate terms to integers and comparable values for databases. The translation is part of a peer's time."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Mapping

from gtopss.model import Publication, Term
from gtopss.model.terms import RDF_TYPE, XSD, iri, is_literal, literal_parts
from ontology import Taxonomy

_NUMERIC_TYPES = frozenset(XSD + name for name in ("integer", "decimal", "double"))
_TIME_TYPES = frozenset(XSD + name for name in ("date", "dateTime"))


class TermNumbers:
    """Positive numbers for the terms of subscriptions, negative ones for terms that only a publication has."""

    def __init__(self) -> None:
        self._known: dict[Term, int] = {}

    def of(self, term: Term) -> int:
        """Return the term's number; assign one if it has none."""
        return self._known.setdefault(term, len(self._known) + 1)

    def column_value(self, constant: Term, *, compared: bool) -> float:
        """Return a constant as it is stored in a column: its value if ranges compare it, otherwise its number."""
        if not compared:
            return self.of(constant)
        found = comparable_value(constant)
        if found is None:
            raise ValueError(f"{constant} is neither a number nor a date or time")
        return found

    def of_publication(self) -> Mapping[Term, int]:
        """Return a temporary mapping for the terms of one publication."""
        return _PublicationNumbers(self._known)


class _PublicationNumbers(dict[Term, int]):
    """Look up each term once, since a publication's subject is in most of its triples."""

    def __init__(self, known: Mapping[Term, int]) -> None:
        self._known = known

    def __missing__(self, term: Term) -> int:
        number = self[term] = self._known.get(term) or -1 - len(self)
        return number


def comparable_value(term: Term) -> float | None:
    """Return the number that ranges compare: the value of a number, or the timestamp of a date or time.

    In our workloads, a property has values of one of the two kinds.
    """
    if not is_literal(term):
        return None
    lexical, datatype, _ = literal_parts(term)
    if datatype in _NUMERIC_TYPES:
        return float(lexical)
    if datatype in _TIME_TYPES:
        moment = dt.datetime.fromisoformat(lexical)
        return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).timestamp()
    return None


class ClassMembership:
    """The closure of a taxonomy for isA and instanceOf.

    A name may be both a class and an instance of another class: schema.org's Time is a DataType.
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        named = {name: taxonomy.superclasses(name) | {name} for name in taxonomy.classes}
        self.classes = {iri(name): frozenset(map(iri, above)) for name, above in named.items()}
        """Each class with itself and all its superclasses."""
        members = {name for cls in named for name in taxonomy.instances(cls)}
        self.types = {
            iri(name): frozenset(iri(above) for cls in taxonomy.types(name) for above in named[cls]) for name in members
        }
        """Each instance in the taxonomy with all its classes."""

    def rows(self, publication: Publication) -> Iterator[tuple[Term, Term, bool]]:
        """Yield (node, class, whether it is an instance) for the nodes of a publication, each row once."""
        instances: dict[Term, set[Term]] = defaultdict(set)
        for node in dict.fromkeys(node for s, _, o in publication.triples for node in (s, o)):
            for cls in self.classes.get(node, ()):
                yield node, cls, False
            if node in self.types:
                instances[node].update(self.types[node])
        for subject, property, object_ in publication.triples:
            if property == RDF_TYPE:
                instances[subject].update(self.classes.get(object_, ()))
        for node, classes in instances.items():
            for cls in classes:
                yield node, cls, True
