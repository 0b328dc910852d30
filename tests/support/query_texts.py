"""Random texts of whole queries: OPTIONAL, NOT EXISTS, MINUS, paths, groups, subqueries, ORDER BY and LIMIT.

A text asks only for what SPARQL defines: no order of values of different types, no SAMPLE of different values, and no
LIMIT without a check that does not depend on the order (`RandomQuery.unlimited`).
"""

from __future__ import annotations

import random
from typing import NamedTuple

from gtopss.model.terms import Term, Triple, literal

NODES = [Term(f"<urn:n{i}>") for i in range(4)]
PROPERTIES = [Term(f"<urn:p{i}>") for i in range(3)]
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
LITERALS = [*(literal(str(i), INTEGER) for i in range(3)), literal("abc"), literal("b")]
VARIABLES = ["?x", "?y", "?z", "?w"]


class RandomQuery(NamedTuple):
    """A text, and the same text without its LIMIT and OFFSET if it has one."""

    text: str
    unlimited: str | None


def random_triples(chance: random.Random) -> list[Triple]:
    """Return a small graph in which most patterns match something."""
    return [
        (chance.choice(NODES), chance.choice(PROPERTIES), chance.choice([*NODES, *NODES, *LITERALS]))
        for _ in range(chance.randint(2, 12))
    ]


def random_query(chance: random.Random, triples: list[Triple]) -> RandomQuery:
    return _Writer(chance, triples).query()


class _Writer:
    def __init__(self, chance: random.Random, triples: list[Triple]) -> None:
        self.chance, self.triples = chance, triples
        self.new_names = 0

    def query(self) -> RandomQuery:
        kind = self.chance.random()
        if kind < 0.25:
            return RandomQuery(self.grouped(), None)
        group = self.group(2)
        head = self.chance.choice(["SELECT *", "SELECT ?x ?y", "SELECT DISTINCT ?x", "SELECT DISTINCT *"])
        if kind < 0.35:
            head = f"SELECT ?x (COALESCE({self.name()}, 0) AS ?c) (STRLEN(STR(?c)) AS ?d)"
        text = f"{head} WHERE {{ {group} }}"
        if kind > 0.85:
            return RandomQuery(f"{text} ORDER BY {self.name()} LIMIT {self.chance.randint(0, 3)}", text)
        return RandomQuery(text, None)

    def grouped(self) -> str:
        key = self.chance.choice(["?x", "?y"])
        aggregate = self.chance.choice(
            [
                "COUNT(*)", "COUNT(?y)", "COUNT(DISTINCT ?z)", "COUNT(DISTINCT *)", "MAX(STRLEN(STR(?y)))",
                "SUM(?z)", "STRLEN(GROUP_CONCAT(STR(?y); SEPARATOR=','))", "MIN(STRLEN(STR(?x)))",
            ]
        )  # fmt: skip
        having = self.chance.choice(["", "", " HAVING (COUNT(*) > 1)", f" HAVING (COUNT(DISTINCT {key}) >= 1)"])
        group = self.group(1)
        if self.chance.random() < 0.3:
            return f"SELECT ({aggregate} AS ?c) WHERE {{ {group} }}{having}"
        return f"SELECT {key} ({aggregate} AS ?c) WHERE {{ {group} }} GROUP BY {key}{having}"

    def group(self, depth: int) -> str:
        elements = [self.pattern()]
        for _ in range(self.chance.randint(0, 2)):
            elements.append(self.element(depth))
        if depth and self.chance.random() < 0.1:
            elements.insert(0, self.counted())
        return " ".join(elements)

    def counted(self) -> str:
        """A subquery that counts, with or without GROUP BY."""
        self.new_names += 1
        name = f"?count{self.new_names}"
        if self.chance.random() < 0.5:
            return f"{{ SELECT (COUNT(*) AS {name}) WHERE {{ {self.group(0)} }} }}"
        return f"{{ SELECT ?x (COUNT(*) AS {name}) WHERE {{ {self.group(0)} }} GROUP BY ?x }}"

    def element(self, depth: int) -> str:
        kind = self.chance.randrange(12 if depth else 4)
        if kind < 2:
            return self.pattern()
        if kind == 2:
            return f"FILTER({self.expression()})"
        if kind == 3:
            return self.path()
        if kind < 6:
            return f"OPTIONAL {{ {self.group(depth - 1)} {self.some_filter()} }}"
        if kind < 8:
            word = self.chance.choice(["EXISTS", "NOT EXISTS"])
            return f"FILTER {word} {{ {self.plain_group()} }}"
        if kind == 8:
            return f"MINUS {{ {self.plain_group()} }}"
        if kind == 9:
            return f"{{ {self.group(depth - 1)} }} UNION {{ {self.group(depth - 1)} }}"
        if kind == 10:
            names = " ".join(self.chance.sample(VARIABLES, 2))
            return f"{{ SELECT {self.chance.choice(['', 'DISTINCT'])} {names} WHERE {{ {self.group(depth - 1)} }} }}"
        self.new_names += 1
        return f"BIND({self.chance.choice(['1', 'STR(?x)', '?y', '?z + 1'])} AS ?new{self.new_names})"

    def plain_group(self) -> str:
        """Triples, paths and a filter: what else EXISTS may hold, the specification leaves open."""
        parts = [
            self.chance.choice([self.pattern, self.pattern, self.path])() for _ in range(self.chance.randint(1, 2))
        ]
        return " ".join([*parts, self.some_filter()])

    def some_filter(self) -> str:
        return f"FILTER({self.expression()})" if self.chance.random() < 0.3 else ""

    def name(self) -> str:
        return self.chance.choice(VARIABLES)

    def end(self, term: Term) -> str:
        return term if self.chance.random() < 0.3 else self.name()

    def pattern(self) -> str:
        subject, property, object_ = self.chance.choice(self.triples)
        if self.chance.random() < 0.1:
            property = Term(self.name())
        return f"{self.end(subject)} {property} {self.end(object_)} ."

    def path(self) -> str:
        one, other = self.chance.sample(PROPERTIES, 2)
        path = self.chance.choice(
            [
                f"{one}/{other}", f"{one}|{other}", f"^{one}", f"{one}*", f"{one}+", f"{one}?",
                f"({one}|{other})+", f"({one}/{other})*", f"({one}/^{other})?", f"^({one}+)",
                f"(^{one}|{other})*", f"{one}+/{other}",
            ]
        )  # fmt: skip
        subject, _, object_ = self.chance.choice(self.triples)
        return f"{self.end(subject)} {path} {self.end(object_)} ."

    def expression(self) -> str:
        one, other = self.name(), self.chance.choice([*VARIABLES, *NODES, *LITERALS])
        return self.chance.choice(
            [
                f"{one} = {other}", f"{one} != {other}", f"sameTerm({one}, {other})", f"BOUND({one})", f"!BOUND({one})",
                f"isIRI({one})", f"isLiteral({one}) || BOUND({self.name()})", f"COALESCE({one}, 1) = {other}",
                f"{one} IN ({other}, <urn:n1>)",
            ]
        )  # fmt: skip
