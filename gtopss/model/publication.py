"""Publications: RDF graphs that are matched against subscriptions (G-ToPSS, section 3.1)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any, NoReturn, cast

from gtopss.errors import InvalidTerm, MalformedPublication, short_repr
from gtopss.model.display import describe_value, publication_line, publication_table
from gtopss.model.terms import RDF_TYPE, Term, TermLike, Triple, is_blank, is_iri, is_literal, is_variable, term


@dataclass(frozen=True, slots=True, init=False)
class Publication:
    """An RDF graph with an id, which is matched against subscriptions. Immutable.

    >>> Publication("p1", [("<urn:a>", "<urn:p>", 5)]).triples
    (('<urn:a>', '<urn:p>', '"5"^^<http://www.w3.org/2001/XMLSchema#integer>'),)

    `triples` are (subject, predicate, object); a term is N-Triples text, an rdflib or pyoxigraph term, or a Python
    number, date or bool. `source` names where the publication comes from, `published_at` is its own date, and
    `received_at` its arrival time, which is the value of NOW(). `payload` is any object of the application that the
    triples describe, such as an image: operators receive it, and it is ignored when publications are compared.

    Raises MalformedPublication for a triple that RDF does not allow.
    """

    id: str
    triples: tuple[Triple, ...]
    source: str | None
    published_at: dt.datetime | None
    inferred: frozenset[Triple]  # the triples that entailment added
    received_at: dt.datetime | None  # the value of NOW; an engine sets it if it is None
    payload: Any = field(compare=False, repr=False)

    def __init__(
        self,
        id: str,
        triples: Iterable[tuple[TermLike, TermLike, TermLike]],
        *,
        source: str | None = None,
        published_at: dt.datetime | None = None,
        received_at: dt.datetime | None = None,
        payload: Any = None,
    ) -> None:
        self._set(id, _checked(id, triples), source, published_at, frozenset(), received_at)
        object.__setattr__(self, "payload", payload)

    @classmethod
    def trusted(
        cls,
        id: str,
        triples: Iterable[Triple],
        *,
        source: str | None = None,
        published_at: dt.datetime | None = None,
        inferred: frozenset[Triple] = frozenset(),
        received_at: dt.datetime | None = None,
        payload: Any = None,
    ) -> Publication:
        """Create a publication from valid canonical terms, such as a parser's output, without checking them."""
        made = object.__new__(Publication)
        made._set(id, triples, source, published_at, inferred, received_at)
        object.__setattr__(made, "payload", payload)
        return made

    def properties_and_types(self) -> tuple[set[Term], set[Term]]:
        """Return the properties of the triples, and the types that they state."""
        triples = self.triples
        return {triple[1] for triple in triples}, {triple[2] for triple in triples if triple[1] == RDF_TYPE}

    def replace(
        self,
        *,
        id: str | None = None,
        published_at: dt.datetime | None = None,
        received_at: dt.datetime | None = None,
        payload: Any = None,
    ) -> Publication:
        """Return a copy with another id, other times or another payload. Arguments that are None change nothing."""
        made = object.__new__(Publication)
        for name in self.__slots__:
            object.__setattr__(made, name, getattr(self, name))
        if id is not None:
            _check_id(id)
            object.__setattr__(made, "id", id)
        if published_at is not None:
            object.__setattr__(made, "published_at", published_at)
        if received_at is not None:
            object.__setattr__(made, "received_at", received_at)
        if payload is not None:
            object.__setattr__(made, "payload", payload)
        return made

    def __repr__(self) -> str:
        return f"<{publication_line(self)}>"

    def _repr_html_(self) -> str:
        """Return the triples as a table, for a notebook."""
        return publication_table(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as one tuple and not field by field: many publications are sent between processes."""
        return _restored, self._fields()

    def _fields(self) -> tuple[Any, ...]:
        about = (self.id, self.triples, self.source, self.published_at)
        return (*about, self.inferred, self.received_at, self.payload)

    def _set(
        self,
        id: str,
        triples: Iterable[Triple],
        source: str | None,
        published_at: dt.datetime | None,
        inferred: frozenset[Triple],
        received_at: dt.datetime | None,
    ) -> None:
        _check_id(id)
        object.__setattr__(self, "id", id)
        object.__setattr__(self, "triples", tuple(dict.fromkeys(triples)))
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "published_at", published_at)
        object.__setattr__(self, "inferred", inferred)
        object.__setattr__(self, "received_at", received_at)


class TextPublication(Publication):
    """A publication that holds its triples as text, and parses them at the first use of `triples`.

    The index encodes the text directly, without Python strings. `lines` holds the canonical terms of `count` triples,
    one term per line, each line with its newline. It equals a publication of the same triples, and prints like it.

    >>> TextPublication("p1", b"<urn:a>\\n<urn:p>\\n<urn:b>\\n", 1).triples
    (('<urn:a>', '<urn:p>', '<urn:b>'),)
    """

    __slots__ = ("_parsed_triples", "count", "lines")
    _parsed_triples: tuple[Triple, ...] | None
    count: int  # triples in the text, repeated ones included
    lines: bytes

    def __init__(
        self,
        id: str,
        lines: bytes,
        count: int,
        source: str | None = None,
        published_at: dt.datetime | None = None,
        received_at: dt.datetime | None = None,
        payload: Any = None,
    ) -> None:
        if lines.count(b"\n") != 3 * count or (lines and not lines.endswith(b"\n")):
            reason = f"its text does not have three lines for each of {count} triples"
            raise MalformedPublication(reason, publication_id=id)
        self._set_text(id, lines, count, source, published_at)
        _set_received_at(self, received_at)
        _set_payload(self, payload)

    @classmethod
    def trusted_lines(
        cls, id: str, lines: bytes, count: int, source: str | None = None, published_at: dt.datetime | None = None
    ) -> TextPublication:
        """Make a publication of lines that the caller has counted: they are not counted again."""
        made: TextPublication = object.__new__(cls)
        made._set_text(id, lines, count, source, published_at)
        return made

    def _set_text(
        self, id: str, lines: bytes, count: int, source: str | None, published_at: dt.datetime | None
    ) -> None:
        _check_id(id)
        _set_id(self, id)
        _set_lines(self, lines)
        _set_count(self, count)
        _set_source(self, source)
        _set_published_at(self, published_at)
        _set_inferred(self, _NOTHING_INFERRED)
        _set_received_at(self, None)
        _set_payload(self, None)
        _set_parsed_triples(self, None)

    @property
    def triples(self) -> tuple[Triple, ...]:
        if self._parsed_triples is None:
            terms = iter(self.lines.decode().split("\n")[:-1])
            made = tuple(dict.fromkeys(cast("Iterable[Triple]", zip(terms, terms, terms, strict=True))))
            object.__setattr__(self, "_parsed_triples", made)
            return made
        return self._parsed_triples

    def properties_and_types(self) -> tuple[set[Term], set[Term]]:
        lines = cast("list[Term]", self.lines.decode().split("\n"))
        properties = lines[1::3]
        types = {object_ for property, object_ in zip(properties, lines[2::3], strict=False) if property == RDF_TYPE}
        return set(properties), types

    def to_publication(self) -> Publication:
        """Return the same publication without its text."""
        return _restored(*self._fields())

    def replace(
        self,
        *,
        id: str | None = None,
        published_at: dt.datetime | None = None,
        received_at: dt.datetime | None = None,
        payload: Any = None,
    ) -> Publication:
        made = TextPublication(
            self.id if id is None else id,
            self.lines,
            self.count,
            source=self.source,
            published_at=self.published_at if published_at is None else published_at,
            received_at=self.received_at if received_at is None else received_at,
            payload=self.payload if payload is None else payload,
        )
        object.__setattr__(made, "_parsed_triples", self._parsed_triples)
        return made

    def __eq__(self, other: object) -> bool:
        return self.to_publication() == (other.to_publication() if isinstance(other, TextPublication) else other)

    def __hash__(self) -> int:
        return hash(self.to_publication())

    def __reduce__(self) -> tuple[Any, ...]:
        about = (self.id, self.lines, self.count, self.source, self.published_at)
        return TextPublication, (*about, self.received_at, self.payload)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


# The slots themselves, because `object.__setattr__` looks each name up and takes twice as long.
_set_id, _set_source, _set_published_at, _set_inferred, _set_received_at, _set_payload = (
    getattr(Publication, name).__set__
    for name in ("id", "source", "published_at", "inferred", "received_at", "payload")
)
_set_lines, _set_count, _set_parsed_triples = (
    getattr(TextPublication, name).__set__ for name in ("lines", "count", "_parsed_triples")
)
_NOTHING_INFERRED: frozenset[Triple] = frozenset()


def _check_id(id: object) -> None:
    if not isinstance(id, str) or not id:
        raise MalformedPublication("its id must be a non-empty string", publication_id=repr(id))
    if not id.isascii() and any("\ud800" <= character <= "\udfff" for character in id):
        raise MalformedPublication("its id has a lone surrogate, which is not a character", publication_id=repr(id))


def _restored(*fields: Any) -> Publication:
    made = object.__new__(Publication)
    for name, value in zip(Publication.__slots__, fields, strict=True):
        object.__setattr__(made, name, value)
    return made


def _checked(publication_id: str, triples: Iterable[tuple[TermLike, TermLike, TermLike]]) -> Iterable[Triple]:
    try:
        iterator = iter(triples)
    except TypeError:
        reason = f"{describe_value(triples)} is not triples: give an iterable of (subject, predicate, object)"
        raise MalformedPublication(reason, publication_id=publication_id) from None
    for number, given in enumerate(iterator, start=1):
        try:
            subject, predicate, object_ = given
            triple = (term(subject), term(predicate), term(object_))
        except InvalidTerm as error:
            raise MalformedPublication(str(error), publication_id=publication_id, triple=number) from None
        except (TypeError, ValueError):
            raise MalformedPublication(
                f"{short_repr(given)} is not a triple: give (subject, predicate, object)",
                publication_id=publication_id,
                triple=number,
            ) from None
        if problem := _problem(triple):
            raise MalformedPublication(problem, publication_id=publication_id, triple=number)
        yield triple


def _problem(triple: Triple) -> str | None:
    subject, predicate, object_ = triple
    if any(is_variable(part) for part in triple):
        return f"{' '.join(triple)} has a variable, which is allowed only in subscriptions"
    if is_literal(subject):
        return f"the literal {subject} cannot be a subject: use an IRI or a blank node"
    if not is_iri(predicate):
        return f"{predicate} cannot be a property: use an IRI"
    assert is_iri(object_) or is_blank(object_) or is_literal(object_)
    return None
