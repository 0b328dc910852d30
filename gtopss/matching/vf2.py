"""The "naive approach which sequentially checks all subscriptions" of the G-ToPSS paper's Figure 9(h): one general
subgraph test for each subscription, in which every node is a variable.

The test searches as VF2 does (Cordella, Foggia, Sansone, Vento, 2004): vertex by vertex, each next one beside those
that are mapped, its candidates the neighbours of their images, an edge tested as soon as both its ends are mapped.
networkx's VF2 cannot be used as it is: it finds injective mappings, while a substitution may give two variables one
value (SPARQL's and our meaning), and its look-ahead, which counts neighbours, would lose such answers. This is its
homomorphism analogue. Constants are vertices like any other, and their names are looked at when all vertices are
mapped; nothing is shared between subscriptions.

A property variable is one more vertex, whose candidates are the publication's properties.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Unpack

from gtopss.matching.match_collector import MatchCollector
from gtopss.matching.matcher import MatcherLimits, OneByOneMatcher
from gtopss.model import Branch, Counters, MatchReport, Publication, Solution, Subscription, Term, Triple
from gtopss.model.terms import is_variable
from gtopss.semantics import BranchExpressions, EvaluationContext, compile_expressions
from ontology import Taxonomy


@dataclass(frozen=True, slots=True)
class _Vertex:
    """A vertex of a pattern in the order of the search."""

    term: Term
    is_node: bool  # else it stands only where properties stand
    beside: Term | None  # a neighbour that is mapped before it
    edges: tuple[Triple, ...]  # those whose vertices are all mapped, once this one is


@dataclass(frozen=True, slots=True)
class _Pattern:
    branch: Branch
    expressions: BranchExpressions
    vertices: tuple[_Vertex, ...]
    constants: tuple[Term, ...]


class _Graph:
    """A publication, indexed for the search."""

    def __init__(self, publication: Publication) -> None:
        self.triples = set(publication.triples)
        self.properties = tuple(dict.fromkeys(p for _, p, _ in publication.triples))
        near: defaultdict[Term, dict[Term, None]] = defaultdict(dict)
        for s, _, o in publication.triples:
            near[s][o] = None
            near[o][s] = None
        self.neighbours = dict(near)

    def candidates(self, vertex: _Vertex, mapped: dict[Term, Term]) -> Iterable[Term]:
        if not vertex.is_node:
            return self.properties
        if vertex.beside is None:
            return self.neighbours
        return self.neighbours[mapped[vertex.beside]]

    def has(self, edge: Triple, mapped: dict[Term, Term]) -> bool:
        s, p, o = edge
        return (mapped[s], mapped[p] if is_variable(p) else p, mapped[o]) in self.triples


class Vf2Matcher(OneByOneMatcher):
    """Test each subscription in turn by a general subgraph search. For one thread at a time."""

    name = "vf2"

    def __init__(self, taxonomy: Taxonomy, **limits: Unpack[MatcherLimits]) -> None:
        super().__init__(taxonomy, **limits)
        self._patterns: dict[str, list[_Pattern]] = {}

    def _insert(self, subscription: Subscription) -> None:
        self._patterns[subscription.id] = [
            _pattern(branch, compile_expressions(subscription.id, branch)) for branch in subscription.branches
        ]

    def _discard(self, subscription: Subscription) -> None:
        del self._patterns[subscription.id]

    def _match_one(self, publication: Publication, row_limit: int) -> MatchReport:
        counters, context = Counters(), self._context(publication)
        graph, collector = _Graph(publication), MatchCollector(context, row_limit)
        for subscription in self._subscriptions.values():
            patterns = self._patterns[subscription.id]
            found = (solution for pattern in patterns for solution in _solutions(pattern, graph, context, counters))
            collector.add(subscription, found)
        return collector.report(counters)


def _solutions(pattern: _Pattern, graph: _Graph, context: EvaluationContext, counters: Counters) -> Iterator[Solution]:
    counters.candidates += 1
    for mapped in _mappings(pattern.vertices, graph, counters):
        counters.joined += 1
        if any(mapped[term] != term for term in pattern.constants):
            continue
        values = {name: mapped[name] for name in pattern.branch.variables()}
        if pattern.expressions.check(values, context, counters):
            yield Solution.of(pattern.branch, values)


def _mappings(vertices: Sequence[_Vertex], graph: _Graph, counters: Counters) -> Iterator[dict[Term, Term]]:
    """Yield every mapping of all vertices under which the edges are in the graph.

    Depth-first with a stack of candidates in place of recursion: a pattern may be longer than Python's stack. The
    mapping is one dict, overwritten as the search goes on.
    """
    mapped: dict[Term, Term] = {}
    if not vertices:
        yield mapped
        return
    stack = [iter(graph.candidates(vertices[0], mapped))]
    while stack:
        vertex = vertices[len(stack) - 1]
        candidate = next(stack[-1], None)
        if candidate is None:
            stack.pop()
            continue
        mapped[vertex.term] = candidate
        counters.edges_probed += len(vertex.edges)
        if not all(graph.has(edge, mapped) for edge in vertex.edges):
            continue
        if len(stack) == len(vertices):
            yield mapped
        else:
            stack.append(iter(graph.candidates(vertices[len(stack)], mapped)))


def _pattern(branch: Branch, expressions: BranchExpressions) -> _Pattern:
    edges = branch.edges()
    nodes = tuple(dict.fromkeys(end for s, _, o in edges for end in (s, o)))
    properties = tuple(name for name in branch.variables() if name not in nodes)
    order = [*_connected_order(nodes, edges), *((name, None) for name in properties)]
    vertices, mapped, left = list[_Vertex](), set[Term](), list(edges)
    for term, beside in order:
        mapped.add(term)
        done = tuple(edge for edge in left if _is_mapped(edge, mapped))
        left = [edge for edge in left if edge not in done]
        vertices.append(_Vertex(term, term in nodes, beside, done))
    return _Pattern(branch, expressions, tuple(vertices), tuple(term for term in nodes if not is_variable(term)))


def _connected_order(nodes: Sequence[Term], edges: Sequence[Triple]) -> Iterator[tuple[Term, Term | None]]:
    """Order the nodes so that each, where possible, has a neighbour before it."""
    left, seen = list(nodes), set[Term]()
    while left:
        beside_seen = ((node, near) for node in left for near in _neighbours(node, edges) if near in seen)
        node, near = next(beside_seen, (left[0], None))
        left.remove(node)
        seen.add(node)
        yield node, near


def _neighbours(node: Term, edges: Sequence[Triple]) -> Iterator[Term]:
    for s, _, o in edges:
        if node in (s, o):
            yield o if s == node else s


def _is_mapped(edge: Triple, mapped: set[Term]) -> bool:
    s, p, o = edge
    return s in mapped and o in mapped and (p in mapped or not is_variable(p))
