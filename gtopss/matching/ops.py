"""OPS, reconstructed: subgraph matching over overlapping patterns, in which every node is a variable.

OPS is Wang, Jin and Li's "An Ontology-Based Publish/Subscribe System" (Middleware 2004). This is not their program: it
is made from what the G-ToPSS paper says of it (sections 2 and 5), for its Figure 9(g) and (h):

- "a very general subgraph isomorphism algorithm for matching over overlapping graphs": patterns are decomposed into
  subpatterns that are kept once and shared, as in the classical algorithm for many patterns at a time (Messmer and
  Bunke, 1998). A subpattern is a smaller one and one more edge, so that the subpatterns are a tree;
- "every node in a subscription is a variable [...] any node of a publication can match with any other node in the
  subscription graph": a subpattern has numbered places where a subscription has terms, and a new place may be any node
  of the publication, of which those are kept that make the edge a triple. Only properties are labels;
- whether the nodes have the right names is tested at the end, for each complete instance, subscription by subscription.

What the paper does not say was decided in favour of OPS: an instance of a subpattern is found once for a publication,
whoever shares it; what has no instance is not extended; edges are taken in an order that depends only on their labels
and shape, so that equal parts meet. `IndexedOpsMatcher` goes further than the paper's words: the nodes for a new place
come from an index of the publication by label and end, and not from trying them all. Comparisons show both.

Left out is OPS's rule that an event has one home vertex, since the publications of Table 1 have none. The answers are
by the meaning that all matchers here have: two places may be one node. A property variable is a place too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias, Unpack

from gtopss.matching.match_collector import MatchCollector
from gtopss.matching.matcher import MatcherLimits, OneByOneMatcher
from gtopss.model import Branch, Counters, MatchReport, Publication, Solution, Subscription, Term, Triple
from gtopss.model.terms import is_variable
from gtopss.semantics import BranchExpressions, EvaluationContext, compile_expressions
from ontology import Taxonomy

Place: TypeAlias = int
"""A node of a subpattern, or a property variable; numbered as they come."""
Step: TypeAlias = tuple[Place, Place | Term, Place]
"""The edge that a subpattern adds; its property is a label, or a place."""
Instance: TypeAlias = tuple[Term, ...]
"""The term of a publication at each place."""
Known: TypeAlias = tuple[Term | None, Term | None, Term | None]
"""An edge of which some parts are known already."""
TripleLookup: TypeAlias = Callable[[Known], Iterable[Triple]]
"""A function that finds the triples of a publication with these parts."""


@dataclass(eq=False, slots=True)
class _Entry:
    """One branch of a subscription, and what must stand at the places that are constants."""

    subscription: Subscription
    branch: Branch
    expressions: BranchExpressions
    places: dict[Term, Place]
    constants: tuple[tuple[Place, Term], ...]
    steps: tuple[Step, ...]


@dataclass(eq=False, slots=True)
class _Subpattern:
    """Edges that some patterns have in common, with places for nodes."""

    size: int  # places so far
    larger: dict[Step, _Subpattern] = field(default_factory=dict)
    complete: dict[_Entry, None] = field(default_factory=dict)

    def with_step(self, step: Step) -> _Subpattern:
        found = self.larger.get(step)
        if found is None:
            new = {part for part in step if isinstance(part, int) and part >= self.size}
            found = self.larger[step] = _Subpattern(self.size + len(new))
        return found


class OpsMatcher(OneByOneMatcher):
    """Find the instances of all subpatterns in their tree, from the smallest to the complete. For one thread."""

    name = "ops"

    def __init__(self, taxonomy: Taxonomy, **limits: Unpack[MatcherLimits]) -> None:
        super().__init__(taxonomy, **limits)
        self._root = _Subpattern(0)
        self._entries: dict[str, list[_Entry]] = {}

    @property
    def subpattern_count(self) -> int:
        """Return the number of subpatterns of all subscriptions."""
        count, left = 0, [self._root]
        while left:
            larger = left.pop().larger.values()
            count += len(larger)
            left.extend(larger)
        return count

    def _insert(self, subscription: Subscription) -> None:
        expressions = [compile_expressions(subscription.id, branch) for branch in subscription.branches]
        entries = [_entry(subscription, *pair) for pair in zip(subscription.branches, expressions, strict=True)]
        for entry in entries:
            subpattern = self._root
            for step in entry.steps:
                subpattern = subpattern.with_step(step)
            subpattern.complete[entry] = None
        self._entries[subscription.id] = entries

    def _discard(self, subscription: Subscription) -> None:
        for entry in self._entries.pop(subscription.id):
            path = [self._root]
            for step in entry.steps:
                path.append(path[-1].larger[step])
            del path[-1].complete[entry]
            for smaller, step in zip(reversed(path[:-1]), reversed(entry.steps), strict=True):
                left = smaller.larger[step]
                if left.complete or left.larger:
                    break
                del smaller.larger[step]

    def _match_one(self, publication: Publication, row_limit: int) -> MatchReport:
        counters, context = Counters(), self._context(publication)
        named: dict[str, list[tuple[_Entry, list[Instance]]]] = {}
        for entry, instances in self._complete(publication, counters):
            named.setdefault(entry.subscription.id, []).append((entry, instances))
        collector = MatchCollector(context, row_limit)
        for found in named.values():
            solutions = (solution for each in found for solution in _solutions(*each, context, counters))
            collector.add(found[0][0].subscription, solutions)
        return collector.report(counters)

    def _triple_lookup(self, publication: Publication) -> TripleLookup:
        return _by_trial(publication)

    def _complete(self, publication: Publication, counters: Counters) -> Iterator[tuple[_Entry, list[Instance]]]:
        """Yield the patterns that have instances with the right names. Depth-first, to hold few instances at a time."""
        triples = self._triple_lookup(publication)
        yield from _rightly_named(self._root, [()], counters)
        left: list[tuple[_Subpattern, Step, list[Instance]]] = [(self._root, step, [()]) for step in self._root.larger]
        while left:
            smaller, step, instances = left.pop()
            counters.edges_probed += len(instances)
            extended = _extended(instances, step, smaller.size, triples)
            if extended:
                counters.edges_fired += 1
                larger = smaller.larger[step]
                yield from _rightly_named(larger, extended, counters)
                left += [(larger, each, extended) for each in larger.larger]


class IndexedOpsMatcher(OpsMatcher):
    """Find the triples for a new place in an index of the publication. Only comparisons use it."""

    name = "ops-indexed"

    def _triple_lookup(self, publication: Publication) -> TripleLookup:
        return _by_index(publication)


def _rightly_named(
    subpattern: _Subpattern, instances: list[Instance], counters: Counters
) -> Iterator[tuple[_Entry, list[Instance]]]:
    """Yield the patterns that end here, with the instances that have their names at the places of constants."""
    for entry in subpattern.complete:
        counters.joined += len(instances)
        rightly = [each for each in instances if all(each[place] == term for place, term in entry.constants)]
        if rightly:
            counters.candidates += 1
            yield entry, rightly


def _extended(instances: list[Instance], step: Step, size: int, triples: TripleLookup) -> list[Instance]:
    """Return every way to add the edge to an instance."""
    subject, label, object_ = step
    found = []
    for instance in instances:
        known = (
            instance[subject] if subject < size else None,
            label if isinstance(label, str) else instance[label] if label < size else None,
            instance[object_] if object_ < size else None,
        )
        for triple in triples(known):
            new: dict[Place, Term] = {}
            for part, value in zip(step, triple, strict=True):
                if isinstance(part, int) and part >= size and new.setdefault(part, value) != value:
                    break  # a place that stands twice has one value
            else:
                found.append(instance + tuple(new.values()))
    return found


def _solutions(
    entry: _Entry, instances: list[Instance], context: EvaluationContext, counters: Counters
) -> Iterator[Solution]:
    places = [(name, entry.places[name]) for name in entry.branch.variables()]
    for instance in instances:
        values = {name: instance[place] for name, place in places}
        if entry.expressions.check(values, context, counters):
            yield Solution.of(entry.branch, values)


def _by_trial(publication: Publication) -> TripleLookup:
    """Find triples by trying every node at either end."""
    present = frozenset(publication.triples)
    nodes = tuple(dict.fromkeys(end for s, _, o in publication.triples for end in (s, o)))
    labels = tuple(dict.fromkeys(p for _, p, _ in publication.triples))

    def triples(known: Known) -> Iterator[Triple]:
        s, p, o = known
        subjects, objects = nodes if s is None else (s,), nodes if o is None else (o,)
        return filter(present.__contains__, product(subjects, labels if p is None else (p,), objects))

    return triples


def _by_index(publication: Publication) -> TripleLookup:
    """Find triples in an index with a key for every choice of known parts."""
    index: defaultdict[Known, list[Triple]] = defaultdict(list)
    for triple in publication.triples:
        s, p, o = triple
        for known in product((s, None), (p, None), (o, None)):
            index[known].append(triple)
    return lambda known: index.get(known, ())


def _entry(subscription: Subscription, branch: Branch, expressions: BranchExpressions) -> _Entry:
    steps, places = _decomposed(branch.edges())
    constants = tuple((place, term) for term, place in places.items() if not is_variable(term))
    return _Entry(subscription, branch, expressions, places, constants, steps)


def _decomposed(edges: Sequence[Triple]) -> tuple[tuple[Step, ...], dict[Term, Place]]:
    """Return the edges as steps, each the smallest of those that touch an earlier one, and the place of each term.

    The names of nodes do not affect the order; otherwise patterns that differ only in names would share no subpattern.
    """
    left, steps, places = list(edges), list[Step](), dict[Term, Place]()
    while left:
        touching = [edge for edge in left if not places.keys().isdisjoint(_ends(edge))]
        edge = min(touching or left, key=lambda each: _shape(_numbered(each, places), len(places)))
        left.remove(edge)
        step = _numbered(edge, places)
        steps.append(step)
        for term, part in zip(edge, step, strict=True):
            if isinstance(part, int):
                places.setdefault(term, part)
    return tuple(steps), places


def _ends(edge: Triple) -> tuple[Term, ...]:
    """Return the parts of an edge that are places."""
    subject, label, object_ = edge
    return (subject, label, object_) if is_variable(label) else (subject, object_)


def _numbered(edge: Triple, places: dict[Term, Place]) -> Step:
    numbers = dict(places)
    subject, label, object_ = edge
    tail = numbers.setdefault(subject, len(numbers))
    middle = numbers.setdefault(label, len(numbers)) if is_variable(label) else label
    return tail, middle, numbers.setdefault(object_, len(numbers))


def _shape(step: Step, size: int) -> tuple[int, str, int, int]:
    """Return the sort key of a step: steps that close a cycle come first, because they leave the fewest instances."""
    subject, label, object_ = step
    new = len({part for part in step if isinstance(part, int) and part >= size})
    return new, label if isinstance(label, str) else f"?{label}", subject, object_
