"""The workloads of the attribute-value papers, generated from seeds.

The defaults are the papers' parameters. Parameters that a paper does not give are chosen here; the docstrings say
which.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from gtopss.attributes import AttributeSubscription, Event, NumericDomain, Operator, Predicate, Schema, StringDomain


@dataclass(frozen=True, slots=True)
class LeSubscribeWorkload:
    """Le Subscribe, section 4: three string attributes with equalities, three numeric ones with any predicate.

    All attributes are optional. The paper does not name the nonequality operators; its algorithms have less and
    greater, so `<` and `>` are equally likely here. One subscription in 64 would have no predicate; it is drawn again.
    """

    equality: float = 0.5  # p: probability that a predicate on a numeric attribute is an equality
    present: float = 0.5  # probability that an attribute is in a subscription, and in an event
    texts: int = 200  # values of a string attribute
    numbers: int = 5_000  # values of a numeric attribute

    def schema(self) -> Schema:
        schema = Schema()
        schema.create_domain(StringDomain("text"))
        schema.create_domain(NumericDomain("number", 1, self.numbers, whole=True))
        for place in range(3):
            schema.create_attribute(f"text{place}", "text")
        for place in range(3):
            schema.create_attribute(f"number{place}", "number")
        return schema

    def subscriptions(self, count: int, generator: random.Random) -> Iterator[AttributeSubscription]:
        for number in range(count):
            predicates: list[Predicate] = []
            while not predicates:
                predicates = list(self._predicates(generator))
            yield AttributeSubscription(f"s{number}", predicates)

    def _predicates(self, generator: random.Random) -> Iterator[Predicate]:
        for place in range(3):
            if generator.random() < self.present:
                yield Predicate(f"text{place}", Operator.EQUAL, f"t{generator.randrange(self.texts)}")
        for place in range(3):
            if generator.random() < self.present:
                equal = generator.random() < self.equality
                operator = Operator.EQUAL if equal else generator.choice((Operator.BELOW, Operator.ABOVE))
                yield Predicate(f"number{place}", operator, generator.randint(1, self.numbers))

    def events(self, count: int, generator: random.Random) -> Iterator[Event]:
        for _ in range(count):
            texts = {f"text{place}": f"t{generator.randrange(self.texts)}" for place in range(3)}
            numbers = {f"number{place}": generator.randint(1, self.numbers) for place in range(3)}
            yield Event({name: value for name, value in (texts | numbers).items() if generator.random() < self.present})


@dataclass(frozen=True, slots=True)
class GryphonWorkload:
    """The simulation of Aguilera et al.: attributes of decreasing popularity, Zipf-distributed values, uniform events.

    Our text of the paper has lost every number; all defaults are our choice. The paper held the number of matches per
    event constant; here it grows with the subscriptions.
    """

    attributes: int = 10
    values: int = 5
    popularity: float = 0.95  # probability that a subscription tests the first attribute
    degradation: float = 0.85  # factor of this probability from one attribute to the next
    exponent: float = 1.0  # of Zipf's law

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes, most popular first, which is the order of the tree's levels."""
        return tuple(f"a{place}" for place in range(self.attributes))

    def schema(self) -> Schema:
        schema = Schema()
        schema.create_domain(NumericDomain("value", 0, self.values - 1, whole=True))
        for name in self.names:
            schema.create_attribute(name, "value")
        return schema

    def subscriptions(self, count: int, generator: random.Random) -> Iterator[AttributeSubscription]:
        weights = [1 / (rank + 1) ** self.exponent for rank in range(self.values)]
        for number in range(count):
            predicates: list[Predicate] = []
            while not predicates:
                chance = self.popularity
                for name in self.names:
                    if generator.random() < chance:
                        (value,) = generator.choices(range(self.values), weights)
                        predicates.append(Predicate(name, Operator.EQUAL, value))
                    chance *= self.degradation
            yield AttributeSubscription(f"s{number}", predicates)

    def events(self, count: int, generator: random.Random) -> Iterator[Event]:
        for _ in range(count):
            yield Event({name: generator.randrange(self.values) for name in self.names})


@dataclass(frozen=True, slots=True)
class GryphonRangeWorkload(GryphonWorkload):
    """The same with range tests, which the paper announces without a workload: =, < and > are equally likely, and their
    constants uniform."""

    attributes: int = 5
    values: int = 20

    def subscriptions(self, count: int, generator: random.Random) -> Iterator[AttributeSubscription]:
        operators = (Operator.EQUAL, Operator.BELOW, Operator.ABOVE)
        for number, subscription in enumerate(super(GryphonRangeWorkload, self).subscriptions(count, generator)):
            tests = [
                Predicate(test.attribute, generator.choice(operators), generator.randrange(self.values))
                for test in subscription.predicates
            ]
            yield AttributeSubscription(f"s{number}", tests)


@dataclass(frozen=True, slots=True)
class TopssWorkload:
    """ToPSS, section 5.1: every event has every attribute, and values are uniform over ranges of whole numbers.

    `ranges` are assigned to the attributes in turn. The operators are those of section 4's queries, equally likely.
    """

    attributes: int = 10
    ranges: tuple[tuple[int, int], ...] = ((1, 10),)
    max_predicates: int = 5  # per subscription; the minimum is one

    def schema(self) -> Schema:
        schema = Schema()
        for low, high in self.ranges:
            schema.create_domain(NumericDomain(f"{low}-{high}", low, high, whole=True))
        for place in range(self.attributes):
            low, high = self._range(place)
            schema.create_attribute(f"a{place}", f"{low}-{high}")
        return schema

    def distinct_predicates(self) -> int:
        """Return how many different predicates there are."""
        values = sum(high - low + 1 for low, high in map(self._range, range(self.attributes)))
        return len(TOPSS_OPERATORS) * values

    def predicates(self, count: int, generator: random.Random) -> set[Predicate]:
        """Draw predicates until so many are different. No workload has more than its `distinct_predicates`."""
        if count > self.distinct_predicates():
            raise ValueError(f"there are only {self.distinct_predicates():,} different predicates, not {count:,}")
        drawn: set[Predicate] = set()
        while len(drawn) < count:
            drawn.add(self.predicate(generator))
        return drawn

    def predicate(self, generator: random.Random) -> Predicate:
        place = generator.randrange(self.attributes)
        return Predicate(f"a{place}", generator.choice(TOPSS_OPERATORS), generator.randint(*self._range(place)))

    def subscriptions(self, count: int, generator: random.Random) -> Iterator[AttributeSubscription]:
        for number in range(count):
            length = generator.randint(1, self.max_predicates)
            yield AttributeSubscription(f"s{number}", [self.predicate(generator) for _ in range(length)])

    def events(self, count: int, generator: random.Random) -> Iterator[Event]:
        for _ in range(count):
            yield Event({f"a{place}": generator.randint(*self._range(place)) for place in range(self.attributes)})

    def _range(self, place: int) -> tuple[int, int]:
        return self.ranges[place % len(self.ranges)]


TOPSS_OPERATORS = (Operator.EQUAL, Operator.UNEQUAL, Operator.BELOW, Operator.ABOVE)
SMALL_RANGE, MEDIUM_RANGE, BIG_RANGE = (1, 250), (250, 10_000), (10_000, 100_000)
W0 = TopssWorkload(120, (SMALL_RANGE,), 20)
W1 = TopssWorkload(120, (MEDIUM_RANGE,), 20)
W2 = TopssWorkload(120, (BIG_RANGE,), 20)
W3 = TopssWorkload(120, (SMALL_RANGE, MEDIUM_RANGE, BIG_RANGE), 20)
W4 = TopssWorkload(10, ((1, 10),), 5)
