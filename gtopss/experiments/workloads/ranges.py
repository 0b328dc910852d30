"""Offers and measurements wanted by range alone: no constant narrows the choice, only values do.

Ranges are as wide as lets about five subscriptions in all want an offer, however many there are. A fifth of them are
open at one end in their first value and make up for it in the second.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator

from gtopss.experiments.workloads.workload import Workload, generator
from gtopss.model import Call, FiveTuple, Publication, Subscription, Term, Triple
from gtopss.model.expressions import compare
from gtopss.model.terms import RDF_TYPE, XSD, iri, literal

OFFER = "http://example.org/offer#"
MATCHES = 5
PAIRS = (("price", "date"), ("price", "weight"), ("rating", "date"), ("weight", "stock"))
NUMBERS = ("price", "weight", "rating", "stock")
FIRST_DAY, DAYS = dt.date(2000, 1, 1), 3_650


def ranges(size: int) -> Workload:
    """Each subscription wants two values of an offer, each within bounds."""

    def subscriptions() -> Iterator[Subscription]:
        chance = generator("d", size, "subscriptions")
        for number in range(size):
            yield Subscription(f"s{number}", _wanted(PAIRS[number % len(PAIRS)], size, chance))

    def publications(count: int) -> list[Publication]:
        chance = generator("d", size, "publications")
        return [Publication.trusted(f"p{i}", _offer(i, chance)) for i in range(count)]

    return Workload("d", "ranges only", size, subscriptions, publications)


def _wanted(pair: tuple[str, str], size: int, chance: random.Random) -> list[FiveTuple]:
    share = min(1.0, MATCHES / size)
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


def _value(name: str, place: float) -> Term:
    """A value by its place between the smallest (0) and the largest (1)."""
    if name == "date":
        seconds = dt.timedelta(seconds=round(place * DAYS * 86_400))
        return literal((dt.datetime(*FIRST_DAY.timetuple()[:3]) + seconds).isoformat() + "Z", XSD + "dateTime")
    if name == "stock":
        return literal(str(round(place * 10_000_000)), XSD + "integer")
    return literal(f"{place * 1_000:.6f}", XSD + "decimal")


def _offer(number: int, chance: random.Random) -> list[Triple]:
    offer = iri(f"{OFFER}{number}")
    values = [(offer, iri(OFFER + name), _value(name, chance.random())) for name in (*NUMBERS, "date")]
    return [
        (offer, RDF_TYPE, iri(OFFER + "Offer")),
        (offer, iri(OFFER + "title"), literal(f"Offer number {number}")),
        (offer, iri(OFFER + "seller"), iri(f"{OFFER}seller/{chance.randrange(1_000)}")),
        *values,
    ]
