"""Which stored predicates an event's values satisfy, as SQL (ToPSS, section 4: "the query statement is generated for
each publication").

A predicate is a row `(attr, op, num, txt, part)`; its constant is in `num` or `txt`. The conditions are the paper's;
`<=`, `>=`, `contains` and the orders of enumerated and hierarchical domains are added. An order is itself a relation,
`orders (domain, low, high)`, of all pairs low <= high.

The paper's query counts the satisfied rows of a subscription. That is right while every attribute has one value. With
several, the event is asked in rounds, the first values first: `part` names what a binding is for (the attribute, or for
`contains` the attribute and the value), and the best round counts for each part.
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
    """A part of a WHERE clause, with its parameters."""

    sql: str
    parameters: tuple[Any, ...]


def predicate_row(predicate: Predicate) -> Row:
    """A predicate's columns."""
    text = isinstance(predicate.value, str)
    contains = predicate.operator is Operator.CONTAINS
    part = f"{predicate.attribute}\N{ELEMENT OF}{predicate.value!r}" if contains else predicate.attribute
    number, word = (None, predicate.value) if text else (float(predicate.value), None)
    return predicate.attribute, predicate.operator.value, number, word, part


class Orders:
    """The relation of the partial orders; a domain's pairs are stored when it is first needed."""

    def __init__(self, schema: Schema, database: Database) -> None:
        self._schema, self._database = schema, database
        self._stored: set[str] = set()
        database.run("CREATE TABLE orders (domain TEXT, low TEXT, high TEXT)")
        database.run("CREATE INDEX orders_low ON orders (low)")
        database.run("CREATE INDEX orders_high ON orders (high)")

    def need(self, predicate: Predicate) -> None:
        domain = self._schema.domain(predicate.attribute)
        if isinstance(domain, (EnumeratedDomain, HierarchicalDomain)) and domain.name not in self._stored:
            self._stored.add(domain.name)
            pairs = [(domain.name, low, high) for low in map(str, domain.values()) for high in domain.above(low)]
            self._database.load("orders", pairs)


def rounds(event: Event, schema: Schema) -> Iterator[Condition]:
    """The conditions of each round: the n-th value of every attribute that has as many."""
    values = {name: sorted(each, key=repr) for name, each in event.values.items()}
    for turn in range(max(map(len, values.values()), default=0)):
        asked = [_condition(name, each[turn], schema) for name, each in values.items() if turn < len(each)]
        sql = " OR ".join(f"(attr = ? AND ({condition.sql}))" for condition in asked)
        yield Condition(sql, tuple(each for condition in asked for each in condition.parameters))


def _condition(attribute: str, value: Value, schema: Schema) -> Condition:
    domain = schema.domain(attribute)
    if isinstance(domain, NumericDomain):
        return Condition(_TOTAL.format(c="num"), (attribute, *([float(value)] * 6)))
    if isinstance(domain, (EnumeratedDomain, HierarchicalDomain)):
        pair = (domain.name, value)
        return Condition(_PARTIAL.format(c="txt"), (attribute, value, value, *pair, value, *pair, *pair, value, *pair))
    return Condition(_TOTAL.format(c="txt"), (attribute, *([value] * 6)))


def best_counts(source: str, asked: Sequence[Condition]) -> Condition:
    """SQL for `(sid, x)`: how many predicates of each subscription one binding satisfies, out of several rounds.

    `source` is a FROM clause with the columns sid and part and those of a predicate.
    """
    if len(asked) == 1:
        (only,) = asked
        return Condition(f"SELECT sid, COUNT(*) AS x FROM {source} WHERE {only.sql} GROUP BY sid", only.parameters)
    turns = " UNION ALL ".join(
        f"SELECT sid, part, COUNT(*) AS n FROM {source} WHERE {each.sql} GROUP BY sid, part" for each in asked
    )
    best = f"SELECT sid, part, MAX(n) AS n FROM ({turns}) AS turns GROUP BY sid, part"
    parameters = tuple(each for condition in asked for each in condition.parameters)
    return Condition(f"SELECT sid, SUM(n) AS x FROM ({best}) AS best GROUP BY sid", parameters)
