"""Group subscriptions by the shape of their edges: branches that differ only in constants are joined once.

A *shape* is the edges of a branch with `?0`, `?1`, ... for variables and `$0`, `$1`, ... for constants, properties
included. A *member* of a shape is one branch of one subscription: its constants and its variables by place. The
subscriptions of one program usually have few shapes with many constants, and Spark's cost is per shape.

Edges have the order in which they are joined: each is connected to those before it, and among these it is the one with
the fewest unbound ends. If several orders are equally good, the one whose names sort first is taken, so that equal
structures have one shape, however they were written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from gtopss.model import Branch, Subscription, Term, Triple

Part: TypeAlias = str
"""A variable `?0` or a constant `$0`."""
Edge: TypeAlias = tuple[Part, Part, Part]

_MAX_COMPARED_ORDERS = 720  # of equally good ones; six edges that look alike have 6! = 720. Beyond, the best so far


@dataclass(frozen=True, slots=True)
class Shape:
    """Edges in join order, and the number of their variables and constants."""

    edges: tuple[Edge, ...]
    variables: int
    constants: int

    def components(self) -> list[list[int]]:
        """Return the edge numbers of each connected part. Edges connect at vertices, not by a common property."""
        parts: list[tuple[set[Part], list[int]]] = []
        for number, (s, _, o) in enumerate(self.edges):
            ends, members = {s, o}, [number]
            for other in [part for part in parts if part[0] & ends]:
                parts.remove(other)
                ends |= other[0]
                members = sorted(members + other[1])
            parts.append((ends, members))
        return sorted(members for _, members in parts)


@dataclass(frozen=True, slots=True)
class ShapeMember:
    """One branch of a subscription, as a row of its shape's parameter table."""

    number: int
    subscription: Subscription
    branch: Branch
    variables: tuple[Term, ...]  # by place: ?0, ?1, ...
    constants: tuple[Term, ...]  # by place: $0, $1, ...


@dataclass(slots=True)
class ShapeGroup:
    """The members of one shape."""

    shape: Shape
    members: list[ShapeMember] = field(default_factory=list)

    def terms(self, part: Part) -> set[Term]:
        """Return all constants that members have in one place."""
        place = int(part[1:])
        return {member.constants[place] for member in self.members}


def group_by_shape(subscriptions: Iterable[Subscription]) -> list[ShapeGroup]:
    """Group the branches of rewritten subscriptions by shape. Members are numbered across all groups.

    >>> one = Subscription("s1", [("?x", "<urn:by>", "<urn:ann>"), ("?x", "<urn:in>", "?y")])
    >>> other = Subscription("s2", [("?p", "<urn:at>", "?q"), ("?p", "<urn:of>", "<urn:eve>")])
    >>> (made,) = group_by_shape([one, other])
    >>> made.shape.edges, made.members[1].constants
    ((('?0', '$0', '$1'), ('?0', '$2', '?1')), ('<urn:of>', '<urn:eve>', '<urn:at>'))
    """
    classes: dict[Shape, ShapeGroup] = {}
    branches = ((subscription, branch) for subscription in subscriptions for branch in subscription.branches)
    for number, (subscription, branch) in enumerate(branches):
        shape, variables, constants = shape_of(branch.edges())
        made = classes.setdefault(shape, ShapeGroup(shape))
        made.members.append(ShapeMember(number, subscription, branch, variables, constants))
    return list(classes.values())


def shape_of(edges: Sequence[Triple]) -> tuple[Shape, tuple[Term, ...], tuple[Term, ...]]:
    """Return the shape of edges, and their variables and constants by place."""
    assert edges, "a branch without edges has no shape"
    terms: dict[str, Part] = {}
    structure = _named(edges, terms)
    shape, variables, constants = _shape_of_structure(structure)
    by_part = {part: Term(term) for term, part in terms.items()}
    return shape, tuple(by_part[part] for part in variables), tuple(by_part[part] for part in constants)


@lru_cache(maxsize=10_000)  # subscriptions of one program have few structures
def _shape_of_structure(edges: tuple[Edge, ...]) -> tuple[Shape, tuple[Part, ...], tuple[Part, ...]]:
    """Return the shape of edges that are written with parts, and these parts by their places in the shape."""
    best: tuple[tuple[Edge, ...], dict[Part, Part]] | None = None
    for count, order in enumerate(_orders(list(edges), [])):
        names: dict[Part, Part] = {}
        named = _named(order, names)
        if best is None or named < best[0]:
            best = named, names
        if count >= _MAX_COMPARED_ORDERS:
            break
    assert best is not None
    variables = tuple(part for part in best[1] if part[0] == "?")
    constants = tuple(part for part in best[1] if part[0] == "$")
    return Shape(best[0], len(variables), len(constants)), variables, constants


def _named(edges: Iterable[tuple[str, str, str]], names: dict[str, Part]) -> tuple[Edge, ...]:
    """Return the edges with a part for each term, numbered by first occurrence. Adds the parts to `names`."""
    counts = {"?": 0, "$": 0}
    for edge in edges:
        for term in edge:
            if term not in names:
                sort = "?" if term[0] == "?" else "$"
                names[term] = f"{sort}{counts[sort]}"
                counts[sort] += 1
    return tuple((names[s], names[p], names[o]) for s, p, o in edges)


def _orders(left: list[Edge], chosen: list[Edge]) -> Iterator[list[Edge]]:
    """Yield the orders in which each edge is one of the cheapest to join next."""
    if not left:
        yield chosen
        return
    known = {part for edge in chosen for part in edge}
    ends = {part for s, _, o in chosen for part in (s, o)}
    costs = [_cost(edge, known, ends) for edge in left]
    cheapest = min(costs)
    for edge, cost in zip(left, costs, strict=True):
        if cost == cheapest:
            yield from _orders([each for each in left if each != edge], [*chosen, edge])


def _cost(edge: Edge, known: set[Part], ends: set[Part]) -> tuple[int, int, int]:
    """Rank edges: connected by a variable, by a constant, not at all; then by the number of unbound variables."""
    own = {edge[0], edge[2]} & ends
    apart = 2 if not own else 1 if not any(part[0] == "?" for part in own) else 0
    return apart, sum(part[0] == "?" and part not in known for part in edge), edge[1][0] == "?"
