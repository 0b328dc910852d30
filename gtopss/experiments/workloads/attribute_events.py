"""The workloads of the attribute-value papers, from seeds.

What a text states is the default; what it lacks is chosen here and said so beside the field.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from gtopss.attributes import AttributeSubscription, Event, NumericDomain, Operator, Predicate, Schema, StringDomain


@dataclass(frozen=True, slots=True)
class LeSubscribe:
    """Section 4: three string attributes for equalities only, three numeric ones for any predicate, all optional.

    The paper does not say which nonequality operators there are; its algorithms have less and greater, so `<` and `>`,
    equally often. Of its subscriptions one in 64 would have no predicate at all; such are drawn again.
    """

    equality: float = 0.5  # p: chance that a predicate on a numeric attribute is an equality
    present: float = 0.5  # chance of an attribute to be in a subscription, and in an event
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
class Gryphon:
    """The discussion's simulation: attributes of falling popularity, values after Zipf, events uniform.

    Our text has lost every number; all of these are ours.
    """

    attributes: int = 10
    values: int = 5
    popularity: float = 0.95  # chance that a subscription tests the first attribute
    degradation: float = 0.85  # what the chance is multiplied with from one attribute to the next
    exponent: float = 1.0  # of Zipf's law

    @property
    def names(self) -> tuple[str, ...]:
        """Most popular first: the order of the tree's levels."""
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
class Topss:
    """Section 5.1: every event has every attribute, values are uniform over ranges of whole numbers.

    `ranges` are given to the attributes in turn. The operators are those of section 4's queries, equally often.
    """

    attributes: int = 10
    ranges: tuple[tuple[int, int], ...] = ((1, 10),)
    most: int = 5  # predicates of a subscription: from one to so many

    def schema(self) -> Schema:
        schema = Schema()
        for low, high in self.ranges:
            schema.create_domain(NumericDomain(f"{low}-{high}", low, high, whole=True))
        for place in range(self.attributes):
            low, high = self._range(place)
            schema.create_attribute(f"a{place}", f"{low}-{high}")
        return schema

    def predicate(self, generator: random.Random) -> Predicate:
        place = generator.randrange(self.attributes)
        return Predicate(f"a{place}", generator.choice(OPERATORS), generator.randint(*self._range(place)))

    def subscriptions(self, count: int, generator: random.Random) -> Iterator[AttributeSubscription]:
        for number in range(count):
            wanted = generator.randint(1, self.most)
            yield AttributeSubscription(f"s{number}", [self.predicate(generator) for _ in range(wanted)])

    def events(self, count: int, generator: random.Random) -> Iterator[Event]:
        for _ in range(count):
            yield Event({f"a{place}": generator.randint(*self._range(place)) for place in range(self.attributes)})

    def _range(self, place: int) -> tuple[int, int]:
        return self.ranges[place % len(self.ranges)]


OPERATORS = (Operator.EQUAL, Operator.UNEQUAL, Operator.BELOW, Operator.ABOVE)
SMALL, MEDIUM, BIG = (1, 250), (250, 10_000), (10_000, 100_000)
W0 = Topss(120, (SMALL,), 20)
W1 = Topss(120, (MEDIUM,), 20)
W2 = Topss(120, (BIG,), 20)
W3 = Topss(120, (SMALL, MEDIUM, BIG), 20)
W4 = Topss(10, ((1, 10),), 5)
