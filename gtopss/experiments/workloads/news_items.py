"""News items of twenty triples, and subscriptions to them of few shapes with many constants.

The pools of names grow with the number of subscriptions, so an item matches about as many of a million as of ten
thousand. Items and subscriptions draw names with the same skew: the number of a name is a power of a uniform number.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from gtopss.experiments.workloads.workload import Workload, random_generator
from gtopss.model import FiveTuple, Publication, Subscription, Term, Triple
from gtopss.model.terms import RDF_TYPE, XSD, iri, literal

DC, NEWS = "http://purl.org/dc/elements/1.1/", "http://example.org/news#"
CREATOR, SUBJECT, PUBLISHER = iri(DC + "creator"), iri(DC + "subject"), iri(DC + "publisher")
TITLE, LANGUAGE, DATE = iri(DC + "title"), iri(DC + "language"), iri(DC + "date")
LINK, PLACE, SECTION, MENTIONS = (iri(NEWS + name) for name in ("link", "place", "section", "mentions"))
EMPLOYER, HOME, PART_OF, SITE = (iri(NEWS + name) for name in ("employer", "home", "partOf", "locatedIn"))

SHAPES: tuple[tuple[tuple[str, Term, str], ...], ...] = (
    (("?i", CREATOR, "person"), ("?i", SUBJECT, "topic")),
    (("?i", MENTIONS, "thing"), ("?i", DATE, "?d")),
    (("?i", RDF_TYPE, "class"), ("?i", SUBJECT, "topic"), ("?i", PLACE, "place")),
    (("?i", CREATOR, "?a"), ("?a", EMPLOYER, "firm"), ("?i", SUBJECT, "topic")),
    (("?i", MENTIONS, "?e"), ("?e", RDF_TYPE, "class"), ("?i", CREATOR, "person")),
    (("?i", MENTIONS, "?e"), ("?e", SITE, "place"), ("?i", PUBLISHER, "firm")),
    (("?i", RDF_TYPE, "class"), ("?i", PUBLISHER, "firm"), ("?i", SUBJECT, "topic"), ("?i", LANGUAGE, "language")),
    (("?i", CREATOR, "?a"), ("?a", HOME, "place"), ("?i", MENTIONS, "thing"), ("?i", RDF_TYPE, "class")),
    (("?i", SUBJECT, "topic"), ("?i", MENTIONS, "?e"), ("?e", PART_OF, "thing"), ("?i", SECTION, "section")),
    (("?i", CREATOR, "?a"), ("?a", EMPLOYER, "firm"), ("?i", MENTIONS, "?e"), ("?e", RDF_TYPE, "class")),
)
"""Stars and paths. An object that is no variable names the pool from which the constant is drawn."""


@dataclass(frozen=True, slots=True)
class NamePools:
    """The sizes of pools of names, and the skew with which names are drawn."""

    sizes: dict[str, int]
    skew: float = 1.5

    def draw(self, pool: str, chance: random.Random) -> Term:
        return _name(pool, int(self.sizes[pool] * chance.random() ** self.skew))


@lru_cache(maxsize=1 << 14)
def _name(pool: str, number: int) -> Term:
    return iri(f"{NEWS}{pool}/{number}")


@lru_cache(maxsize=1 << 14)
def _edge(subject: Term, property: Term, object: Term) -> FiveTuple:
    """Return a shared five-tuple, as a program that makes a million subscriptions would."""
    return FiveTuple(subject, property, object)


def few_shapes(size: int, *, edges: int | None = None) -> Workload:
    """Ten shapes of two to four edges; with `edges`, only the shapes with so many edges."""
    fixed = {"class": 30, "language": 12, "section": 20}
    names = NamePools(fixed | {"person": size // 20, "topic": size // 100 + 20, "place": size // 200 + 20}
                  | {"firm": size // 200 + 20, "thing": size // 10})  # fmt: skip
    shapes = [shape for shape in SHAPES if edges is None or len(shape) == edges]
    return _workload("a", "few shapes, many constants", size, names, shapes)


def many_matches(size: int) -> Workload:
    """One or two constants from small pools, so that about one in ten subscriptions matches an item."""
    names = NamePools({"class": 10, "topic": 20, "place": 10, "section": 10, "language": 3}, skew=1.0)
    shapes: list[tuple[tuple[str, Term, str], ...]] = [
        (("?i", SECTION, "section"), ("?i", CREATOR, "?a")),
        (("?i", LANGUAGE, "language"), ("?i", SUBJECT, "topic"), ("?i", MENTIONS, "?e")),
        (("?i", MENTIONS, "?e"), ("?e", RDF_TYPE, "class"), ("?i", LANGUAGE, "language")),
        (("?i", PLACE, "place"), ("?i", TITLE, "?t"), ("?i", CREATOR, "?a"), ("?a", EMPLOYER, "?f")),
    ]
    return _workload("g", "one in ten matches", size, names, shapes)


def _workload(
    name: str, title: str, size: int, names: NamePools, shapes: list[tuple[tuple[str, Term, str], ...]]
) -> Workload:
    def subscriptions() -> Iterator[Subscription]:
        chance = random_generator(name, size, "subscriptions")
        for number in range(size):
            edges = [_edge(Term(s), p, _end(o, names, chance)) for s, p, o in shapes[number % len(shapes)]]
            yield Subscription(f"s{number}", edges)

    def publications(count: int) -> list[Publication]:
        chance = random_generator(name, size, "publications")
        return [Publication.trusted(f"p{i}", _item(i, names, chance)) for i in range(count)]

    return Workload(name, title, size, subscriptions, publications)


def _end(end: str, names: NamePools, chance: random.Random) -> Term:
    return Term(end) if end[0] == "?" else names.draw(end, chance)


def _item(number: int, names: NamePools, chance: random.Random) -> list[Triple]:
    """Return an item whose title, link and IRI occur in no subscription."""
    pools = NamePools({"person": 1_000, "firm": 1_000, "thing": 1_000} | names.sizes, names.skew)

    def drawn(pool: str) -> Term:
        return pools.draw(pool, chance)

    item, author = iri(f"{NEWS}item/{number}"), drawn("person")
    (topic, second), (one, other) = _two("topic", drawn), _two("thing", drawn)
    day = f"2005-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    return [
        (item, RDF_TYPE, drawn("class")),
        (item, TITLE, literal(f"News number {number}", language="en")),
        (item, LINK, iri(f"http://example.org/read/{number}")),
        (item, DATE, literal(day, XSD + "date")),
        (item, CREATOR, author),
        (item, SUBJECT, topic),
        (item, SUBJECT, second),
        (item, PLACE, drawn("place")),
        (item, PUBLISHER, drawn("firm")),
        (item, LANGUAGE, drawn("language")),
        (item, SECTION, drawn("section")),
        (item, MENTIONS, one),
        (item, MENTIONS, other),
        (author, RDF_TYPE, drawn("class")),
        (author, EMPLOYER, drawn("firm")),
        (author, HOME, drawn("place")),
        (one, RDF_TYPE, drawn("class")),
        (one, PART_OF, drawn("thing")),
        (other, RDF_TYPE, drawn("class")),
        (other, SITE, drawn("place")),
    ]


def _two(pool: str, drawn: Callable[[str], Term]) -> tuple[Term, Term]:
    """Return two different names of a pool."""
    one = other = drawn(pool)
    while other == one:
        other = drawn(pool)
    return one, other
