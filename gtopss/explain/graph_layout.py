"""Places for the nodes and the labels of a small directed graph, so that nothing lies on anything else.

Layers from left to right, after Sugiyama, Tagawa and Toda (1981): break cycles, put each node one layer after its
predecessors, order the layers by the mean of their neighbours, then place. Each edge gets a node of its own for its
label, in a layer between those of its ends; so labels keep clear of nodes and of each other by construction, and
parallel edges need no care. Loops are no matter of layers: whoever draws makes room for them in the node's size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_GAP_X, _GAP_Y = 26.0, 16.0
_SWEEPS = 8


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle by its centre."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class Route:
    """Where an edge runs: from its left end over `bends` to its right end; `label` is one of the bends.

    Until `clear`, where its left end's column ends, it has to run level so as not to touch the nodes there.
    `backward` says that the edge's source is the right end, as for one edge of each cycle.
    """

    bends: tuple[Box, ...]
    label: Box
    clear: float
    backward: bool


@dataclass(frozen=True, slots=True)
class Layout:
    nodes: tuple[Box, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


Size = tuple[float, float]


def layout(nodes: Sequence[Size], edges: Sequence[tuple[int, int]], labels: Sequence[Size]) -> Layout:
    """Places for nodes and edges of these sizes; no edge is a loop."""
    backward = _backward(len(nodes), edges)
    forward = [(t, s) if n in backward else (s, t) for n, (s, t) in enumerate(edges)]
    depth = _depths(len(nodes), forward)
    sizes = list(nodes)
    layers: list[list[int]] = [[] for _ in range(2 * max(depth, default=0) + 1)]
    for node, level in enumerate(depth):
        layers[2 * level].append(node)
    neighbours: list[set[int]] = [set() for _ in nodes]
    chains, middles = list[list[int]](), list[int]()
    for (source, target), label in zip(forward, labels, strict=True):
        first, last = 2 * depth[source] + 1, 2 * depth[target] - 1
        middles.append((last - first) // 4 * 2)
        chain = list(range(len(sizes), len(sizes) + last - first + 1))
        for place, dummy in enumerate(chain):
            sizes.append(label if place == middles[-1] else (0.0, 6.0))
            layers[first + place].append(dummy)
            neighbours.append(set())
        for one, other in pairwise([source, *chain, target]):
            neighbours[one].add(other)
            neighbours[other].add(one)
        chains.append(chain)
    layers = [layer for layer in layers if layer]
    layer_of = {each: n for n, layer in enumerate(layers) for each in layer}
    _order(layers, neighbours, layer_of)
    boxes, columns, width = _columns(layers, sizes, _heights(layers, neighbours, sizes), len(nodes))
    height = max((box.y + box.height / 2 for box in boxes), default=0.0)
    routes = []
    for number, (chain, middle) in enumerate(zip(chains, middles, strict=True)):
        bends = tuple(boxes[each] for each in chain)
        routes.append(Route(bends, bends[middle], columns[layer_of[forward[number][0]]], number in backward))
    return Layout(tuple(boxes[: len(nodes)]), tuple(routes), width, height)


def _backward(count: int, edges: Sequence[tuple[int, int]]) -> set[int]:
    """The edges to turn so that no cycle is left: those that lead back along a depth-first walk."""
    out: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for number, (source, target) in enumerate(edges):
        out[source].append((number, target))
    turned, done, open_ = set[int](), set[int](), set[int]()
    entered = {target for _, target in edges}
    for start in sorted(range(count), key=lambda node: node in entered):
        if start in done:
            continue
        open_.add(start)
        stack = [(start, iter(out[start]))]
        while stack:
            node, left = stack[-1]
            number, target = next(left, (-1, -1))
            if number < 0:
                stack.pop()
                open_.discard(node)
                done.add(node)
            elif target in open_:
                turned.add(number)
            elif target not in done:
                open_.add(target)
                stack.append((target, iter(out[target])))
    return turned


def _depths(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The longest way to each node; a node that nothing leads to stands just before what it leads to."""
    after: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for source, target in edges:
        after[source].append(target)
        waiting[target] += 1
    depth = [0] * count
    ready = [node for node in range(count) if not waiting[node]]
    sources = [*ready]
    while ready:
        node = ready.pop()
        for target in after[node]:
            depth[target] = max(depth[target], depth[node] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    for node in sources:
        depth[node] = min((depth[target] for target in after[node]), default=1) - 1
    return depth


def _order(layers: list[list[int]], neighbours: list[set[int]], layer_of: dict[int, int]) -> None:
    """Each layer by the mean place of its neighbours in the one before, forth and back, so that few edges cross."""
    place = {each: n - len(layer) / 2 for layer in layers for n, each in enumerate(layer)}
    for sweep in range(_SWEEPS):
        onward = sweep % 2 == 0
        for layer in layers if onward else reversed(layers):
            mean = dict[int, float]()
            for each in layer:
                side = [place[o] for o in neighbours[each] if (layer_of[o] < layer_of[each]) is onward]
                mean[each] = sum(side) / len(side) if side else place[each]
            layer.sort(key=mean.__getitem__)
            place.update((each, n - len(layer) / 2) for n, each in enumerate(layer))


def _heights(layers: list[list[int]], neighbours: list[set[int]], sizes: Sequence[Size]) -> dict[int, float]:
    """Each as near to the mean of its neighbours as the order and the space between allow."""
    ys = dict[int, float]()
    for layer in layers:
        ys.update(_spread(layer, [0.0] * len(layer), sizes))
    for sweep in range(_SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wished = [
                sum(ys[other] for other in neighbours[each]) / len(neighbours[each]) if neighbours[each] else ys[each]
                for each in layer
            ]
            ys.update(_spread(layer, wished, sizes))
    return ys


def _spread(layer: Sequence[int], wished: Sequence[float], sizes: Sequence[Size]) -> dict[int, float]:
    """The heights nearest to those wished that keep order and distance: least squares, by pooling neighbours."""
    offsets, offset = list[float](), 0.0
    for n, each in enumerate(layer):
        if n:
            offset += (sizes[layer[n - 1]][1] + sizes[each][1]) / 2 + _GAP_Y
        offsets.append(offset)
    pools = list[tuple[float, int]]()  # sum of wishes less offsets, and how many
    for wish, shift in zip(wished, offsets, strict=True):
        total, count = wish - shift, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            before, number = pools.pop()
            total, count = total + before, count + number
        pools.append((total, count))
    means = [total / count for total, count in pools for _ in range(count)]
    return {each: mean + shift for each, mean, shift in zip(layer, means, offsets, strict=True)}


def _columns(
    layers: list[list[int]], sizes: Sequence[Size], ys: dict[int, float], nodes: int
) -> tuple[list[Box], list[float], float]:
    """All boxes, where each column ends, and the width of all.

    Nodes stand at the left of their column, so that arrows are of one length; labels stand in the middle; where an
    edge only passes by, its box is as wide as the column.
    """
    boxes, ends, x = dict[int, Box](), list[float](), 0.0
    top = min((ys[each] - sizes[each][1] / 2 for layer in layers for each in layer), default=0.0)
    for layer in layers:
        column = max(sizes[each][0] for each in layer)
        for each in layer:
            width, height = sizes[each]
            centre = x + (width if each < nodes else column) / 2
            boxes[each] = Box(centre, ys[each] - top, width or column, height)
        ends.append(x + column)
        x += column + _GAP_X
    return [boxes[each] for each in range(len(sizes))], ends, max(x - _GAP_X, 0.0)
