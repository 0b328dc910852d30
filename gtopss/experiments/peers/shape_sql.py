"""Generate SQL for a shape: join the item's triples with each other and with the table of the shape's subscriptions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gtopss.experiments.peers.subscription_shapes import Part, Shape
from gtopss.model import Term


@dataclass(slots=True)
class Join:
    """Tables in the order of the join, and the conditions between their columns."""

    sources: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    columns: dict[Part, str] = field(default_factory=dict)
    batch: bool = False

    def add_table(self, table: str, alias: str) -> None:
        if self.batch and self.sources:
            self.conditions.append(f"{alias}.item = e0.item")
        self.sources.append(f"{table} {alias}")

    def bind(self, column: str, part: Part) -> None:
        """Bind a part to a column; require equality with the column that it was bound to before, if any."""
        first = self.columns.setdefault(part, column)
        if first != column:
            self.conditions.append(f"{column} = {first}")


def shape_join(
    shape: Shape, subscriptions: str, number: Callable[[Term], int], *, after: int | None = None, batch: bool = False
) -> Join:
    """Join `item`, `kind` and `value` with the table `subscriptions`, whose columns c0, c1, ... are the parameters.

    `subscriptions` is joined after so many edges (None: after all): early if constants find few of its rows, late if
    the item's own edges find few of each other.
    """
    made = Join(batch=batch)

    def add_subscriptions() -> None:
        made.sources.append(f"{subscriptions} t")
        ranges = {test.parameter for test in shape.ranges()}
        for place in range(shape.parameters):
            if f"${place}" in ranges:
                made.columns[f"${place}"] = f"t.c{place}"
            else:
                made.bind(f"t.c{place}", f"${place}")

    for place, edge in enumerate(shape.edges):
        if place == after:
            add_subscriptions()
        made.add_table("item", f"e{place}")
        for letter, part in zip("spo", edge, strict=True):
            if part[0] in "?$":
                made.bind(f"e{place}.{letter}", part)
            else:
                made.conditions.append(f"e{place}.{letter} = {number(Term(part))}")
    for place, test in enumerate(shape.is_a()):
        made.add_table("kind", f"k{place}")
        made.bind(f"k{place}.node", test.variable)
        made.bind(f"k{place}.class", test.parameter)
        if test.function == "instanceOf":
            made.conditions.append(f"k{place}.instance = 1")
    for test in shape.ranges():
        if f"{test.variable} value" not in made.columns:
            alias = f"v{test.variable[1:]}"
            made.add_table("value", alias)
            made.bind(f"{alias}.node", test.variable)
            made.columns[f"{test.variable} value"] = f"{alias}.value"
    if after is None or after >= len(shape.edges):
        add_subscriptions()
    for test in shape.ranges():
        left = made.columns[f"{test.variable} value"]
        made.conditions.append(f"{left} {test.function} {made.columns[test.parameter]}")
    return made
