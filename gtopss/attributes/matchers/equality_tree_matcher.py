"""The matching tree for equality tests (Aguilera et al., PODC 1999, section 4), with the optimisations of its section 5
as switches: collapsed *-chains (`equality_tree`), successor nodes and their refinement (`successors`), factoring.

Factoring: the first `factor` attributes of the order become indices. There is a tree for each combination of their
values, without tests of them; a subscription that does not test an index is in the trees of all its values. The paper
builds one tree for every possible value. Here the values are those that subscriptions name, and None represents all
others (or no value); a tree is built when an event first needs it, and is kept up to date from then on.

The order of the attributes is the schema's, unless given; the paper's advice is to put first the attributes that most
subscriptions test. An event with several values follows each of them: a path binds an attribute once, so each path is
one binding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import TypeAlias

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import DomainKind, Operator, Value
from gtopss.attributes.events import Event, Values
from gtopss.attributes.matcher import AttributeCapabilities, AttributeReport, RegisteredSubscriptions
from gtopss.attributes.matchers.equalities import split_equalities
from gtopss.attributes.matchers.equality_tree import EqualityTree
from gtopss.attributes.matchers.successors import SuccessorSearch
from gtopss.attributes.predicates import AttributeSubscription
from gtopss.attributes.schema import Schema
from gtopss.deep_size import deep_size

_Indices: TypeAlias = tuple[Value | None, ...]
"""A value for each factored attribute; None if it is not tested or, in an event, if no subscription names its value."""


class EqualityTreeMatcher:
    """Match equality predicates only. With all switches off, this is the tree of section 4."""

    capabilities = AttributeCapabilities({kind: frozenset({Operator.EQUAL}) for kind in DomainKind})

    def __init__(
        self,
        schema: Schema,
        *,
        collapse: bool = False,
        successors: bool = False,
        refined: bool = False,
        factor: int = 0,
        order: Sequence[str] = (),
    ) -> None:
        self._schema = schema
        self._subscriptions = RegisteredSubscriptions("equality-tree", self.capabilities, schema)
        self._collapse, self._follow, self._refined, self._factor = collapse, successors or refined, refined, factor
        self._start(tuple(order) or schema.attributes)

    def _start(self, order: tuple[str, ...]) -> None:
        self._order = order
        self._indices, self._tested = order[: self._factor], order[self._factor :]
        self._equal: dict[str, dict[str, Value]] = {}
        self._by_indices: dict[_Indices, dict[str, None]] = {}
        self._named: list[dict[Value, int]] = [{} for _ in self._indices]
        self._trees: dict[_Indices, tuple[EqualityTree, SuccessorSearch]] = {}
        if not self._indices:
            self._tree(())  # without indices there is only this tree

    def __len__(self) -> int:
        return len(self._subscriptions)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._subscriptions.add(subscription)
        split = split_equalities(subscription, self._schema)
        if split is None:
            return
        if not set(split.equalities) <= set(self._order):
            self._rebuild_with_attributes_of(subscription)
            return
        self._index(subscription.id, split.equalities)

    def _rebuild_with_attributes_of(self, subscription: AttributeSubscription) -> None:
        """Rebuild all trees with a level for each attribute that was added to the schema later."""
        self._start(self._order + tuple(name for name in subscription.attributes if name not in self._order))
        for each in self._subscriptions:
            split = split_equalities(each, self._schema)
            if split is not None:
                self._index(each.id, split.equalities)

    def _index(self, id: str, equal: dict[str, Value]) -> None:
        indices = tuple(equal.get(name) for name in self._indices)
        for named, value in zip(self._named, indices, strict=True):
            if value is not None:
                named[value] = named.get(value, 0) + 1
        self._equal[id] = equal
        self._by_indices.setdefault(indices, {})[id] = None
        for tree in self._trees_of(indices):
            tree.insert(id, self._path(equal))

    def remove(self, subscription_id: str) -> None:
        self._subscriptions.remove(subscription_id)
        equal = self._equal.pop(subscription_id, None)
        if equal is None:
            return
        indices = tuple(equal.get(name) for name in self._indices)
        for tree in self._trees_of(indices):
            tree.remove(subscription_id)
        del self._by_indices[indices][subscription_id]
        if not self._by_indices[indices]:
            del self._by_indices[indices]
        for named, value in zip(self._named, indices, strict=True):
            if value is not None:
                named[value] -= 1
                if not named[value]:
                    del named[value]
        for gone in [each for each in self._trees if not self._is_named(each)]:
            del self._trees[gone]

    def _is_named(self, indices: _Indices) -> bool:
        return all(value is None or value in named for value, named in zip(indices, self._named, strict=True))

    def _trees_of(self, indices: _Indices) -> Iterator[EqualityTree]:
        """Yield the built trees that contain subscriptions with these indices."""
        for key, (tree, _) in self._trees.items():
            if all(mine is None or mine == its for mine, its in zip(indices, key, strict=True)):
                yield tree

    def _path(self, equal: dict[str, Value]) -> dict[int, Value]:
        return {level: equal[name] for level, name in enumerate(self._tested) if name in equal}

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_published(event)
        counters = AttributeCounters()
        found: set[str] = set()
        tested = [event.values.get(name, frozenset()) for name in self._tested]
        for indices in self._indices_of(event):
            tree, search = self._tree(indices)
            if self._follow and all(len(values) < 2 for values in tested):
                found |= search.match([next(iter(values), None) for values in tested], counters)
            else:
                found |= _search(tree, tested, counters)
        return AttributeReport(frozenset(found), counters)

    def _indices_of(self, event: Event) -> Iterable[_Indices]:
        """Return the trees to search for an event: one for each combination of its values of the indices."""
        choices = [
            {value if value in named else None for value in event.values.get(name, frozenset())} or {None}
            for name, named in zip(self._indices, self._named, strict=True)
        ]
        return product(*choices)

    def _tree(self, indices: _Indices) -> tuple[EqualityTree, SuccessorSearch]:
        if indices not in self._trees:
            tree = EqualityTree(len(self._tested), collapse=self._collapse)
            for compatible in product(*({None, value} for value in indices)):
                for id in self._by_indices.get(compatible, ()):
                    tree.insert(id, self._path(self._equal[id]))
            self._trees[indices] = tree, SuccessorSearch(tree, refined=self._refined)
        return self._trees[indices]

    def edges(self) -> int:
        """Return the paper's measure of space: edges plus successor set entries of the trees built so far."""
        return sum(
            sum(1 for _ in tree.nodes()) + (search.entries() if self._follow else 0)
            for tree, search in self._trees.values()
        )

    def structure_bytes(self) -> int:
        """Return the bytes of the trees built so far, with all their successor sets."""
        self.edges()  # computes the successor sets
        return deep_size(self._trees, self._equal, self._by_indices)


def _search(tree: EqualityTree, tested: Sequence[Values], counters: AttributeCounters) -> set[str]:
    """Search as in section 4: follow, at each node, the edge with the event's value and the *-edge."""
    found: set[str] = set()
    stack = [tree.root] if tree.root else []
    while stack:
        node = stack.pop()
        counters.nodes += 1
        if node.ids:
            found.update(node.ids)
            continue
        counters.predicates += 1
        for value in tested[node.level]:
            if value in node.edges:
                stack.append(node.edges[value])
        if node.star is not None:
            stack.append(node.star)
    return found
