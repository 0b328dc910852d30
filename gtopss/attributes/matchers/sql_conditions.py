"""Generate SQL that selects the stored predicates that an event satisfies (ToPSS, section 4: "the query statement is
generated for each publication").

A predicate is a row `(attr, op, num, txt, part)`; its constant is in `num` or `txt`. The conditions are the paper's,
extended by `<=`, `>=`, `contains` and the orders of enumerated and hierarchical domains. An order is a relation
`orders (domain, low, high)` of all pairs low <= high.

The paper's query counts the satisfied rows of a subscription. That is right while every attribute has one value. With
several values, the event is evaluated in rounds, one value of each attribute per round: `part` names what is bound (the
attribute, or for `contains` the attribute and the value), and the best round counts for each part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gtopss.attributes.domains import EnumeratedDomain, HierarchicalDomain, NumericDomain, Operator, Value
from gtopss.attributes.events import Event
from gtopss.attributes.matchers.databases import Database, Row
from gtopss.attributes.predicates import Predicate
from gtopss.attributes.schema import Schema

COLUMNS = "attr TEXT, op TEXT, num DOUBLE, txt TEXT, part TEXT"
_SAME = "(op IN ('=', 'contains') AND {c} = ?) OR (op = '!=' AND {c} <> ?)"
_TOTAL = (
    f"{_SAME} OR (op = '<' AND {{c}} > ?) OR (op = '<=' AND {{c}} >= ?)"
    " OR (op = '>' AND {c} < ?) OR (op = '>=' AND {c} <= ?)"
)
_HIGHER = "txt IN (SELECT high FROM orders WHERE domain = ? AND low = ?)"
_LOWER = "txt IN (SELECT low FROM orders WHERE domain = ? AND high = ?)"
_PARTIAL = (
    f"{_SAME} OR (op IN ('<=', 'is-a') AND {_HIGHER}) OR (op = '<' AND txt <> ? AND {_HIGHER})"
    f" OR (op = '>=' AND {_LOWER}) OR (op = '>' AND txt <> ? AND {_LOWER})"
)


class Condition(NamedTuple):
    """A part of an SQL query with its parameters."""

    sql: str
    parameters: tuple[Any, ...]


def predicate_row(predicate: Predicate) -> Row:
    """Return the columns of a predicate's row."""
    text = isinstance(predicate.value, str)
    contains = predicate.operator is Operator.CONTAINS
    part = f"{predicate.attribute}\N{ELEMENT OF}{predicate.value!r}" if contains else predicate.attribute
    number, word = (None, predicate.value) if text else (float(predicate.value), None)
    return predicate.attribute, predicate.operator.value, number, word, part


class PartialOrderTable:
    """The table `orders` of the partial orders. A domain's pairs are stored when it is first needed."""

    def __init__(self, schema: Schema, database: Database) -> None:
        self._schema, self._database = schema, database
        self._stored: set[str] = set()
        database.run("CREATE TABLE orders (domain TEXT, low TEXT, high TEXT)")
        database.run("CREATE INDEX orders_low ON orders (low)")
        database.run("CREATE INDEX orders_high ON orders (high)")

    def store_order_of(self, predicate: Predicate) -> None:
        """Store the order of the predicate's domain, if it has a partial order that is not yet stored."""
        domain = self._schema.domain(predicate.attribute)
        if isinstance(domain, (EnumeratedDomain, HierarchicalDomain)) and domain.name not in self._stored:
            self._stored.add(domain.name)
            pairs = [(domain.name, low, high) for low in map(str, domain.values()) for high in domain.above(low)]
            self._database.load("orders", pairs)


def round_conditions(event: Event, schema: Schema) -> Iterator[Condition]:
    """Yield the condition of each round: round n uses the n-th value of every attribute that has as many."""
    values = {name: sorted(each, key=repr) for name, each in event.values.items()}
    for number in range(max(map(len, values.values()), default=0)):
        conditions = [_condition(name, each[number], schema) for name, each in values.items() if number < len(each)]
        sql = " OR ".join(f"(attr = ? AND ({condition.sql}))" for condition in conditions)
        yield Condition(sql, tuple(each for condition in conditions for each in condition.parameters))


def _condition(attribute: str, value: Value, schema: Schema) -> Condition:
    domain = schema.domain(attribute)
    if isinstance(domain, NumericDomain):
        return Condition(_TOTAL.format(c="num"), (attribute, *([float(value)] * 6)))
    if isinstance(domain, (EnumeratedDomain, HierarchicalDomain)):
        pair = (domain.name, value)
        return Condition(_PARTIAL.format(c="txt"), (attribute, value, value, *pair, value, *pair, *pair, value, *pair))
    return Condition(_TOTAL.format(c="txt"), (attribute, *([value] * 6)))


def best_counts(source: str, conditions: Sequence[Condition]) -> Condition:
    """Return SQL for `(sid, x)`: the most predicates of each subscription that one binding satisfies.

    There is one condition per round. `source` is a FROM clause with the columns sid and part and those of a predicate.
    """
    if len(conditions) == 1:
        (only,) = conditions
        return Condition(f"SELECT sid, COUNT(*) AS x FROM {source} WHERE {only.sql} GROUP BY sid", only.parameters)
    turns = " UNION ALL ".join(
        f"SELECT sid, part, COUNT(*) AS n FROM {source} WHERE {each.sql} GROUP BY sid, part" for each in conditions
    )
    best = f"SELECT sid, part, MAX(n) AS n FROM ({turns}) AS turns GROUP BY sid, part"
    parameters = tuple(each for condition in conditions for each in condition.parameters)
    return Condition(f"SELECT sid, SUM(n) AS x FROM ({best}) AS best GROUP BY sid", parameters)
