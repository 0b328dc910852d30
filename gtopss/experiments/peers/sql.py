"""A shape as SQL: the item's triples joined with each other, and with the table of the shape's subscriptions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gtopss.experiments.peers.shapes import Part, Shape
from gtopss.model import Term


@dataclass(slots=True)
class Join:
    """Tables in the order to visit them, and the conditions between their columns."""

    sources: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    columns: dict[Part, str] = field(default_factory=dict)
    batch: bool = False

    def visit(self, table: str, alias: str) -> None:
        if self.batch and self.sources:
            self.conditions.append(f"{alias}.item = e0.item")
        self.sources.append(f"{table} {alias}")

    def same(self, column: str, part: Part) -> None:
        """The column holds the part: equal to the column that held it before, if any did."""
        first = self.columns.setdefault(part, column)
        if first != column:
            self.conditions.append(f"{column} = {first}")


def join(
    shape: Shape, wanted: str, number: Callable[[Term], int], *, after: int | None = None, batch: bool = False
) -> Join:
    """The join of `item`, `kind` and `value` with the table `wanted`, whose columns c0, c1, ... are the parameters.

    `wanted` is visited after so many edges (after all if None): early, where constants find few rows of it; late, where
    the item's own edges find few of each other.
    """
    made = Join(batch=batch)

    def visit_wanted() -> None:
        made.sources.append(f"{wanted} t")
        ranges = {test.parameter for test in shape.ranges()}
        for place in range(shape.parameters):
            if f"${place}" in ranges:
                made.columns[f"${place}"] = f"t.c{place}"
            else:
                made.same(f"t.c{place}", f"${place}")

    for place, edge in enumerate(shape.edges):
        if place == after:
            visit_wanted()
        made.visit("item", f"e{place}")
        for letter, part in zip("spo", edge, strict=True):
            if part[0] in "?$":
                made.same(f"e{place}.{letter}", part)
            else:
                made.conditions.append(f"e{place}.{letter} = {number(Term(part))}")
    for place, test in enumerate(shape.is_a()):
        made.visit("kind", f"k{place}")
        made.same(f"k{place}.node", test.variable)
        made.same(f"k{place}.class", test.parameter)
        if test.function == "instanceOf":
            made.conditions.append(f"k{place}.instance = 1")
    for test in shape.ranges():
        if f"{test.variable} value" not in made.columns:
            alias = f"v{test.variable[1:]}"
            made.visit("value", alias)
            made.same(f"{alias}.node", test.variable)
            made.columns[f"{test.variable} value"] = f"{alias}.value"
    if after is None or after >= len(shape.edges):
        visit_wanted()
    for test in shape.ranges():
        left = made.columns[f"{test.variable} value"]
        made.conditions.append(f"{left} {test.function} {made.columns[test.parameter]}")
    return made
