"""Terms as the integers and values that databases compare fast; the translation is part of every peer's time."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Mapping

from gtopss.model import Publication, Term
from gtopss.model.terms import RDF_TYPE, XSD, iri, is_literal, literal_parts
from ontology import Taxonomy

_NUMBERS = frozenset(XSD + name for name in ("integer", "decimal", "double"))
_MOMENTS = frozenset(XSD + name for name in ("date", "dateTime"))


class Numbers:
    """A number for each term that subscriptions name; terms that only a publication has get negative ones."""

    def __init__(self) -> None:
        self._known: dict[Term, int] = {}

    def of(self, term: Term) -> int:
        """The term's number, a new one if need be."""
        return self._known.setdefault(term, len(self._known) + 1)

    def stored(self, constant: Term, *, compared: bool) -> float:
        """A constant as it stands in a column: its value where ranges are asked of it, else its number."""
        if not compared:
            return self.of(constant)
        found = value(constant)
        if found is None:
            raise ValueError(f"{constant} is neither a number nor a moment")
        return found

    def passing(self) -> Mapping[Term, int]:
        """Numbers for a publication's terms, forgotten with it."""
        return _Passing(self._known)


class _Passing(dict[Term, int]):
    """Looks terms up once each: a publication's subject is in most of its triples."""

    def __init__(self, known: Mapping[Term, int]) -> None:
        self._known = known

    def __missing__(self, term: Term) -> int:
        number = self[term] = self._known.get(term) or -1 - len(self)
        return number


def value(term: Term) -> float | None:
    """What ranges compare: a number, or the seconds of a moment. In our workloads a property has one or the other."""
    if not is_literal(term):
        return None
    lexical, datatype, _ = literal_parts(term)
    if datatype in _NUMBERS:
        return float(lexical)
    if datatype in _MOMENTS:
        moment = dt.datetime.fromisoformat(lexical)
        return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).timestamp()
    return None


class Above:
    """What isA and instanceOf hold of by the taxonomy, looked up once and kept.

    A name may be a class and an instance of another at once: schema.org's Time is a DataType.
    """

    def __init__(self, taxonomy: Taxonomy | None) -> None:
        taxonomy = taxonomy or Taxonomy()
        named = {name: taxonomy.superclasses(name) | {name} for name in taxonomy.classes}
        self.classes = {iri(name): frozenset(map(iri, above)) for name, above in named.items()}
        """Each class, and it with all classes above it."""
        members = {name for cls in named for name in taxonomy.instances(cls)}
        self.types = {
            iri(name): frozenset(iri(above) for cls in taxonomy.types(name) for above in named[cls]) for name in members
        }
        """Each instance that the taxonomy lists, and all classes it is in."""

    def kinds(self, publication: Publication) -> Iterator[tuple[Term, Term, bool]]:
        """(node, class, whether it is an instance): what isA and instanceOf hold of in one publication, each once."""
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
