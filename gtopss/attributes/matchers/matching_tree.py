"""The matching tree for arbitrary tests (Aguilera, Strom, Sturman, Astley, Chandra: "Matching Events in a Content-based
Subscription System", PODC 1999, section 3 and appendix A; Le Subscribe, section 3.1, Figure 7).

| paper                     | here                                                                          |
|---------------------------|-------------------------------------------------------------------------------|
| elementary test           | the attribute examined (its results are values), or a predicate (result true) |
| result edge, *-edge       | `_Node.edges`, `_Node.star`                                                   |
| leaf                      | a node with subscriptions                                                     |
| pred(v)                   | the conjunction of the results on the path to v                               |
| total order of predicates | `_key`                                                                        |
| procedure match, visit    | `MatchingTreeMatcher.match`                                                   |

Our text of the paper has lost its formulas, and the figure of the appendix its line numbers. The following is
reconstructed from the surrounding text:

- Insertion descends with the subscription's predicates in order. At the same test, it follows the test's edge; at
  another test, it follows the edge of a result that the subscription's own predicates imply (section 3, "related"
  tests), else the *-edge.
- `insertion="printed"` is appendix A: where the descent ends, the remaining predicates are added below; a leaf that
  gets a test is replaced by the test, with the old leaf at the end of its *-edge; a subscription ends at the end of a
  chain of *-edges.
- `insertion="ordered"`, the default, is ours: a test that the order puts above the test of a node is inserted above it,
  so that the tree depends less on the order of insertion, and a node may hold subscriptions and a test.
- The paper promises removal ("incrementally incorporated") but does not print it. Here the subscription is removed from
  its leaf, and unused nodes are removed from there upwards. With `collapse` (section 5, first optimisation), a test
  whose only outgoing edge is its *-edge is spliced out. Insertion creates no such test, so that the switch concerns
  removals only.

For an attribute with several values, a path keeps the values that pass its tests, so one value must pass them all.
Comparisons of two attributes are tests too. Pairs of values cannot be narrowed in this way, so a subscription with
comparisons is verified at its leaf when there is more than one binding.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import total_ordering
from typing import Any, Literal, TypeAlias, cast

from gtopss.attributes.binding import satisfies
from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import Operator, Value
from gtopss.attributes.events import Event, Values
from gtopss.attributes.matcher import ALL_OPERATORS, AttributeCapabilities, AttributeReport, RegisteredSubscriptions
from gtopss.attributes.matchers.equalities import EqualitySplit, split_equalities
from gtopss.attributes.matchers.implication import implies
from gtopss.attributes.predicates import AttributeSubscription, Comparison, Predicate
from gtopss.attributes.schema import Schema
from gtopss.deep_size import deep_size

_Key: TypeAlias = tuple[Any, ...]
_ElementaryTest: TypeAlias = str | Predicate | Comparison
"""An attribute to examine, or a predicate or comparison to evaluate."""
_Step: TypeAlias = tuple[_Key, _ElementaryTest, object]
"""An elementary predicate test = result, with its key in the total order."""
_OPERATORS = {operator: rank for rank, operator in enumerate(Operator)}
_STAR = object()
"""The label of a *-edge."""


class _Node:
    """A test with an edge for each result, and the subscriptions that have no further tests."""

    __slots__ = ("edges", "key", "label", "parent", "star", "subscriptions", "test")

    def __init__(self, parent: _Node | None, label: object) -> None:
        self.key: _Key | None = None
        self.test: _ElementaryTest | None = None
        self.edges: dict[object, _Node] = {}
        self.star: _Node | None = None
        self.parent, self.label = parent, label
        self.subscriptions: dict[str, None] = {}

    def child(self, label: object) -> _Node:
        """Return the node at the end of an edge; create it if it does not exist."""
        found = self.star if label is _STAR else self.edges.get(label)
        if found is None:
            found = _Node(self, label)
            self.attach(found, label)
        return found

    def attach(self, child: _Node, label: object) -> None:
        child.parent, child.label = self, label
        if label is _STAR:
            self.star = child
        else:
            self.edges[label] = child

    def detach(self, label: object) -> None:
        if label is _STAR:
            self.star = None
        else:
            del self.edges[label]


@total_ordering
class _Descending:
    """A constant that sorts in descending order."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Descending) and bool(self.value == other.value)

    def __lt__(self, other: _Descending) -> bool:
        return bool(other.value < self.value)


class MatchingTreeMatcher:
    """Match with one tree of tests for all subscriptions. An event follows its test results and every *-edge."""

    capabilities = AttributeCapabilities(ALL_OPERATORS, comparisons=True)

    def __init__(
        self, schema: Schema, *, insertion: Literal["ordered", "printed"] = "ordered", collapse: bool = True
    ) -> None:
        self._schema, self._insertion, self._collapse = schema, insertion, collapse
        self._subscriptions = RegisteredSubscriptions("matching-tree", self.capabilities, schema)
        self._root = _Node(None, _STAR)
        self._leaf: dict[str, _Node] = {}

    def __len__(self) -> int:
        return len(self._subscriptions)

    # --- pre-processing ------------------------------------------------------------------------------------

    def insert(self, subscription: AttributeSubscription) -> None:
        self._subscriptions.add(subscription)
        split = split_equalities(subscription, self._schema)
        if split is None:
            return
        steps = sorted(self._steps(subscription, split), key=lambda step: step[0])
        add = self._add_as_printed if self._insertion == "printed" else self._add_in_order
        node = add(subscription, steps)
        node.subscriptions[subscription.id] = None
        self._leaf[subscription.id] = node

    def _add_as_printed(self, subscription: AttributeSubscription, steps: Sequence[_Step]) -> _Node:
        """Add the tests of a subscription below those of others, as appendix A does, and return its leaf."""
        node, place = self._root, 0
        while place < len(steps) and node.test is not None:
            key, _, result = steps[place]
            if node.key == key:
                if result not in node.edges:
                    break
                node, place = node.edges[result], place + 1
            elif True in node.edges and self._implied(subscription, node.test):
                node = node.edges[True]
            else:
                node = node.child(_STAR)
        for key, test, result in steps[place:]:
            if node.test is None:
                self._move_to_star(node)
                node.key, node.test = key, test
            node = node.child(result)
        while node.test is not None:
            node = node.child(_STAR)
        return node

    def _move_to_star(self, node: _Node) -> None:
        """Move the subscriptions of a leaf to the end of its *-edge, before the leaf gets a test."""
        if node.subscriptions:
            leaf = node.child(_STAR)
            leaf.subscriptions, node.subscriptions = node.subscriptions, {}
            self._leaf.update(dict.fromkeys(leaf.subscriptions, leaf))

    def _add_in_order(self, subscription: AttributeSubscription, steps: Sequence[_Step]) -> _Node:
        """Add the tests of a subscription where the total order has them, and return its leaf."""
        node, place = self._root, 0
        while place < len(steps):
            key, test, result = steps[place]
            if node.test is None:
                node.key, node.test = key, test
            if node.key == key:
                node, place = node.child(result), place + 1
            elif node.key is not None and node.key < key:
                node = node.child(True if self._implied(subscription, node.test) else _STAR)
            else:
                node = self._insert_above(node, key, test)
        return node

    def _steps(self, subscription: AttributeSubscription, split: EqualitySplit) -> Iterator[_Step]:
        """Yield the elementary predicates test = result, each with its key in the total order."""
        for attribute, value in split.equalities.items():
            yield (self._rank(attribute), 0), attribute, value
        for predicate in split.remaining:
            yield self._key(predicate), predicate, True
        for each in subscription.comparisons:
            yield (len(self._schema.attributes), each.left, _OPERATORS[each.operator], each.right), each, True

    def _key(self, predicate: Predicate) -> _Key:
        """Return a sort key: by attribute, by operator, then weaker tests before the stronger ones that imply them."""
        weaker_last = predicate.operator in (Operator.BELOW, Operator.AT_MOST)
        constant = _Descending(predicate.value) if weaker_last else predicate.value
        return self._rank(predicate.attribute), 1 + _OPERATORS[predicate.operator], constant

    def _rank(self, attribute: str) -> int:
        return self._schema.attributes.index(attribute)

    def _implied(self, subscription: AttributeSubscription, test: _ElementaryTest | None) -> bool:
        if not isinstance(test, Predicate):
            return False
        domain = self._schema.domain(test.attribute)
        same = (each for each in subscription.predicates if each.attribute == test.attribute)
        return any(implies(each, test, domain) for each in same)

    def _insert_above(self, node: _Node, key: _Key, test: _ElementaryTest) -> _Node:
        """Replace a node by a new one whose *-edge leads to it; return the new node."""
        inserted = _Node(node.parent, node.label)
        inserted.key, inserted.test = key, test
        if node.parent is None:
            self._root = inserted
        else:
            node.parent.attach(inserted, node.label)
        inserted.attach(node, _STAR)
        return inserted

    def remove(self, subscription_id: str) -> None:
        self._subscriptions.remove(subscription_id)
        node = self._leaf.pop(subscription_id, None)
        if node is None:
            return
        del node.subscriptions[subscription_id]
        while not node.subscriptions and not node.edges:
            parent = node.parent
            if node.star is not None and not self._collapse:
                return
            if node.star is not None:
                node.star.parent, node.star.label = parent, node.label
                if parent is None:
                    self._root = node.star
                else:
                    parent.attach(node.star, node.label)
                return
            node.key = node.test = None
            if parent is None:
                return
            parent.detach(node.label)
            node = parent

    # --- matching ------------------------------------------------------------------------------------------

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_published(event)
        counters = AttributeCounters()
        found: set[str] = set()
        several_bindings = not event.is_single_valued
        stack: list[tuple[_Node, dict[str, Values]]] = [(self._root, {})]
        while stack:
            node, narrowed = stack.pop()
            counters.nodes += 1
            if node.subscriptions:
                ids = node.subscriptions
                found.update(self._verified(ids, event, counters) if several_bindings else ids)
            if node.star is not None:
                stack.append((node.star, narrowed))
            if node.test is not None and node.edges:
                counters.predicates += 1
                for result, left in self._results(node.test, event, narrowed):
                    if result in node.edges:
                        stack.append((node.edges[result], left))
        return AttributeReport(frozenset(found), counters)

    def _results(
        self, test: _ElementaryTest, event: Event, narrowed: dict[str, Values]
    ) -> Iterable[tuple[object, dict[str, Values]]]:
        """Yield the results of a test, each with the values that remain for the attributes."""
        if isinstance(test, Comparison):
            pairs = (narrowed.get(name, event.values.get(name, frozenset())) for name in (test.left, test.right))
            lefts, rights = pairs
            domain = self._schema.domain(test.left)
            if any(domain.holds(left, test.operator, right) for left in lefts for right in rights):
                yield True, narrowed
            return
        attribute = test if isinstance(test, str) else test.attribute
        given = event.values.get(attribute)
        if given is None:
            return
        values = narrowed.get(attribute, given)
        if isinstance(test, str):
            for value in values:
                yield value, {**narrowed, attribute: frozenset({value})} if len(values) > 1 else narrowed
        elif test.operator is Operator.CONTAINS:
            if test.value in given:
                yield True, narrowed
        else:
            remaining = frozenset(value for value in values if self._holds(test, value))
            if remaining:
                yield True, {**narrowed, attribute: remaining} if len(remaining) < len(values) else narrowed

    def _holds(self, test: Predicate, value: Value) -> bool:
        return self._schema.domain(test.attribute).holds(value, test.operator, test.value)

    def _verified(self, names: Iterable[str], event: Event, counters: AttributeCounters) -> Iterator[str]:
        for name in names:
            subscription = self._subscriptions[name]
            if not subscription.comparisons or satisfies(event, subscription, self._schema, counters):
                yield name

    def expected_visits(self) -> float:
        """Return the expected number of nodes that a uniformly random event with one value per attribute visits.

        This is the analysis of range tests that the paper announces, as an exact sum: a node is visited if the event's
        values pass all results on the path to it, and different attributes are independent. It needs finite domains and
        no comparisons of attributes.
        """
        total = 0.0
        stack: list[tuple[_Node, dict[str, frozenset[Value]]]] = [(self._root, {})]
        while stack:
            node, passed = stack.pop()
            total += math.prod(len(values) / len(self._values(name)) for name, values in passed.items())
            if node.star is not None:
                stack.append((node.star, passed))
            for result, child in node.edges.items():
                assert node.test is not None
                name, values = self._passing(node.test, result)
                stack.append((child, {**passed, name: passed.get(name, values) & values}))
        return total

    def _passing(self, test: _ElementaryTest, result: object) -> tuple[str, frozenset[Value]]:
        """Return the attribute of a test, and its values for which the test has a result."""
        if isinstance(test, str):
            return test, frozenset({cast(Value, result)})
        if isinstance(test, Comparison):
            raise NotImplementedError(f"the expected visits of a comparison of attributes are not known: {test}")
        return test.attribute, frozenset(value for value in self._values(test.attribute) if self._holds(test, value))

    def _values(self, attribute: str) -> Collection[Value]:
        values = self._schema.domain(attribute).values()
        assert values is not None, f"{attribute!r} has infinitely many values"
        return values

    def node_count(self) -> int:
        stack, count = [self._root], 0
        while stack:
            node = stack.pop()
            count += 1
            stack += [*node.edges.values(), *([node.star] if node.star is not None else [])]
        return count

    def structure_bytes(self) -> int:
        return deep_size(self._root, self._leaf, without=(self._schema,))
