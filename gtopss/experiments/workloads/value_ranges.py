"""Subscriptions to offers by ranges of values alone: no constant node narrows the candidates.

The width of the ranges is such that about five subscriptions match an offer, however many there are. A fifth of the
subscriptions have only one bound on their first value, and a narrower range for the second.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator

from gtopss.experiments.workloads.workload import Workload, random_generator
from gtopss.model import Call, FiveTuple, Publication, Subscription, Term, Triple
from gtopss.model.expressions import compare
from gtopss.model.terms import RDF_TYPE, XSD, iri, literal

OFFER = "http://example.org/offer#"
MATCHES_PER_OFFER = 5
PROPERTY_PAIRS = (("price", "date"), ("price", "weight"), ("rating", "date"), ("weight", "stock"))
NUMERIC_PROPERTIES = ("price", "weight", "rating", "stock")
FIRST_DAY, DAYS = dt.date(2000, 1, 1), 3_650


def value_ranges(size: int) -> Workload:
    """Each subscription tests two values of an offer against bounds."""

    def subscriptions() -> Iterator[Subscription]:
        chance = random_generator("d", size, "subscriptions")
        for number in range(size):
            yield Subscription(f"s{number}", _edges(PROPERTY_PAIRS[number % len(PROPERTY_PAIRS)], size, chance))

    def publications(count: int) -> list[Publication]:
        chance = random_generator("d", size, "publications")
        return [Publication.trusted(f"p{i}", _offer(i, chance)) for i in range(count)]

    return Workload("d", "ranges only", size, subscriptions, publications)


def _edges(pair: tuple[str, str], size: int, chance: random.Random) -> list[FiveTuple]:
    share = min(1.0, MATCHES_PER_OFFER / size)
    one, other = pair
    if chance.random() < 0.2:
        limit = chance.random()
        below = chance.random() < 0.5
        first = [compare(one, "<" if below else ">", _value(one, limit))]
        second = _between(other, min(1.0, share / max(share, limit if below else 1 - limit)), chance)
    else:
        first, second = (_between(name, share**0.5, chance) for name in pair)
    return [
        FiveTuple("?offer", iri(OFFER + name), f"?{name}", (), tests) for name, tests in ((one, first), (other, second))
    ]


def _between(name: str, width: float, chance: random.Random) -> list[Call]:
    low = chance.random() * (1 - width)
    return [compare(name, ">=", _value(name, low)), compare(name, "<", _value(name, low + width))]


def _value(name: str, position: float) -> Term:
    """Return a value by its position between the smallest (0) and the largest (1)."""
    if name == "date":
        seconds = dt.timedelta(seconds=round(position * DAYS * 86_400))
        return literal((dt.datetime(*FIRST_DAY.timetuple()[:3]) + seconds).isoformat() + "Z", XSD + "dateTime")
    if name == "stock":
        return literal(str(round(position * 10_000_000)), XSD + "integer")
    return literal(f"{position * 1_000:.6f}", XSD + "decimal")


def _offer(number: int, chance: random.Random) -> list[Triple]:
    offer = iri(f"{OFFER}{number}")
    values = [(offer, iri(OFFER + name), _value(name, chance.random())) for name in (*NUMERIC_PROPERTIES, "date")]
    return [
        (offer, RDF_TYPE, iri(OFFER + "Offer")),
        (offer, iri(OFFER + "title"), literal(f"Offer number {number}")),
        (offer, iri(OFFER + "seller"), iri(f"{OFFER}seller/{chance.randrange(1_000)}")),
        *values,
    ]
