"""A publication: one RDF graph that arrives (G-ToPSS, section 3.1)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gtopss.errors import InvalidTerm, MalformedPublication, shown
from gtopss.model.terms import TermLike, Triple, is_blank, is_iri, is_literal, is_variable, term


@dataclass(frozen=True, slots=True, init=False)
class Publication:
    """A set of triples with an id, where it came from and when it was published.

    >>> Publication("p1", [("<urn:a>", "<urn:p>", 5)]).triples
    (('<urn:a>', '<urn:p>', '"5"^^<http://www.w3.org/2001/XMLSchema#integer>'),)
    """

    id: str
    triples: tuple[Triple, ...]
    source: str | None
    published_at: dt.datetime | None
    inferred: frozenset[Triple]  # those of the triples that entailment added

    def __init__(
        self,
        id: str,
        triples: Iterable[tuple[TermLike, TermLike, TermLike]],
        *,
        source: str | None = None,
        published_at: dt.datetime | None = None,
    ) -> None:
        self._set(id, _checked(id, triples), source, published_at, frozenset())

    @classmethod
    def trusted(
        cls,
        id: str,
        triples: Iterable[Triple],
        *,
        source: str | None = None,
        published_at: dt.datetime | None = None,
        inferred: frozenset[Triple] = frozenset(),
    ) -> Publication:
        """For readers that made the terms themselves: a parser's output is not checked a second time."""
        made = object.__new__(cls)
        made._set(id, triples, source, published_at, inferred)
        return made

    def changed(self, *, id: str | None = None, published_at: dt.datetime | None = None) -> Publication:
        """The same triples under another id or time."""
        made = object.__new__(Publication)
        for name in self.__slots__:
            object.__setattr__(made, name, getattr(self, name))
        if id is not None:
            object.__setattr__(made, "id", id)
        if published_at is not None:
            object.__setattr__(made, "published_at", published_at)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Publications travel between processes in great numbers: as one tuple, not field by field."""
        return _restored, (self.id, self.triples, self.source, self.published_at, self.inferred)

    def _set(
        self,
        id: str,
        triples: Iterable[Triple],
        source: str | None,
        published_at: dt.datetime | None,
        inferred: frozenset[Triple],
    ) -> None:
        if not isinstance(id, str) or not id:
            raise MalformedPublication("its id must be a text that is not empty", publication_id=repr(id))
        object.__setattr__(self, "id", id)
        object.__setattr__(self, "triples", tuple(dict.fromkeys(triples)))
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "published_at", published_at)
        object.__setattr__(self, "inferred", inferred)


def _restored(*fields: Any) -> Publication:
    made = object.__new__(Publication)
    for name, value in zip(Publication.__slots__, fields, strict=True):
        object.__setattr__(made, name, value)
    return made


def _checked(publication_id: str, triples: Iterable[tuple[TermLike, TermLike, TermLike]]) -> Iterable[Triple]:
    for number, given in enumerate(triples, start=1):
        try:
            subject, predicate, object_ = given
            triple = (term(subject), term(predicate), term(object_))
        except InvalidTerm as error:
            raise MalformedPublication(str(error), publication_id=publication_id, triple=number) from error
        except (TypeError, ValueError):
            raise MalformedPublication(
                f"{shown(given)} is not a triple: give (subject, predicate, object)",
                publication_id=publication_id,
                triple=number,
            ) from None
        if problem := _problem(triple):
            raise MalformedPublication(problem, publication_id=publication_id, triple=number)
        yield triple


def _problem(triple: Triple) -> str | None:
    subject, predicate, object_ = triple
    if any(is_variable(part) for part in triple):
        return f"{' '.join(triple)} has a variable: only subscriptions have them"
    if is_literal(subject):
        return f"the literal {subject} is a subject: RDF allows an IRI or a blank node there"
    if not is_iri(predicate):
        return f"{predicate} is a property: RDF allows only an IRI there"
    assert is_iri(object_) or is_blank(object_) or is_literal(object_)
    return None
