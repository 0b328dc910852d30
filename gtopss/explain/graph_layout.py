"""Place the nodes and labels of a small directed graph so that nothing overlaps.

Layers run from left to right, after Sugiyama, Tagawa and Toda (1981): break cycles, put each node one layer after its
predecessors, order each layer by the mean position of its neighbours, then place. Each edge gets a node of its own for
its label, in a layer between those of its ends. So labels cannot overlap nodes or each other, and parallel edges need
no special case. Loops are not part of the layout: the caller reserves space for them in the node's size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

# All lengths are in pixels.
_COLUMN_GAP, _ROW_GAP = 26.0, 16.0
_PASSING_EDGE_HEIGHT = 6.0  # the space that an edge takes in a layer where it has no label
_SWEEPS = 8  # passes over the layers, forth and back; more hardly change the result

Size: TypeAlias = tuple[float, float]
"""A width and a height."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, given by its centre."""

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

    @property
    def top(self) -> float:
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Route:
    """The way of an edge: from its left end through `bends` to its right end. `label` is one of the bends.

    The edge has to run level up to `column_end`, where the column of its left end ends, to avoid the nodes there.
    `backward` says that the edge's source is the right end, as for one edge of each cycle.
    """

    bends: tuple[Box, ...]
    label: Box
    column_end: float
    backward: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """The boxes of all nodes and the routes of all edges, in the order in which they were given."""

    nodes: tuple[Box, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


def lay_out(nodes: Sequence[Size], edges: Sequence[tuple[int, int]], labels: Sequence[Size]) -> Layout:
    """Place nodes and edge labels of these sizes. No edge may be a loop."""
    backward = _backward_edges(len(nodes), edges)
    forward = [(t, s) if n in backward else (s, t) for n, (s, t) in enumerate(edges)]
    graph = _LayeredGraph(nodes, forward, labels)
    graph.order_layers()
    boxes, column_ends, width = graph.boxes()
    routes = []
    for number, (chain, label) in enumerate(zip(graph.chains, graph.label_places, strict=True)):
        bends = tuple(boxes[each] for each in chain)
        column_end = column_ends[graph.layer_of[forward[number][0]]]
        routes.append(Route(bends, bends[label], column_end, number in backward))
    height = max((box.bottom for box in boxes), default=0.0)
    return Layout(tuple(boxes[: len(nodes)]), tuple(routes), width, height)


class _LayeredGraph:
    """The graph in layers: the given nodes, then for each edge a chain of vertices, one in each layer it crosses.

    One vertex of each chain, `label_places` by position in the chain, has the size of the edge's label.
    """

    def __init__(self, nodes: Sequence[Size], edges: Sequence[tuple[int, int]], labels: Sequence[Size]) -> None:
        depth = _depths(len(nodes), edges)
        self._node_count = len(nodes)
        self._sizes = list(nodes)
        self._neighbours: list[set[int]] = [set() for _ in nodes]
        self.chains, self.label_places = list[list[int]](), list[int]()
        layers: list[list[int]] = [[] for _ in range(2 * max(depth, default=0) + 1)]
        for node, level in enumerate(depth):
            layers[2 * level].append(node)
        for (source, target), label in zip(edges, labels, strict=True):
            first, last = 2 * depth[source] + 1, 2 * depth[target] - 1
            self._add_chain(source, target, label, layers[first : last + 1])
        self._layers = [layer for layer in layers if layer]
        self.layer_of = {each: n for n, layer in enumerate(self._layers) for each in layer}

    def _add_chain(self, source: int, target: int, label: Size, layers: Sequence[list[int]]) -> None:
        label_place = (len(layers) - 1) // 4 * 2
        chain = list(range(len(self._sizes), len(self._sizes) + len(layers)))
        for place, (vertex, layer) in enumerate(zip(chain, layers, strict=True)):
            self._sizes.append(label if place == label_place else (0.0, _PASSING_EDGE_HEIGHT))
            layer.append(vertex)
            self._neighbours.append(set())
        for one, other in pairwise([source, *chain, target]):
            self._neighbours[one].add(other)
            self._neighbours[other].add(one)
        self.chains.append(chain)
        self.label_places.append(label_place)

    def order_layers(self) -> None:
        """Sort each layer by the mean place of its neighbours in the layer before, so that few edges cross."""
        layers, layer_of = self._layers, self.layer_of
        place = {each: n - len(layer) / 2 for layer in layers for n, each in enumerate(layer)}
        for sweep in range(_SWEEPS):
            onward = sweep % 2 == 0
            for layer in layers if onward else reversed(layers):
                mean = dict[int, float]()
                for each in layer:
                    side = [place[o] for o in self._neighbours[each] if (layer_of[o] < layer_of[each]) is onward]
                    mean[each] = sum(side) / len(side) if side else place[each]
                layer.sort(key=mean.__getitem__)
                place.update((each, n - len(layer) / 2) for n, each in enumerate(layer))

    def boxes(self) -> tuple[list[Box], list[float], float]:
        """Return the box of every vertex, where each column ends, and the total width.

        Nodes are at the left of their column, so that arrows have equal lengths, and labels in the middle. Where an
        edge only passes, its box is as wide as the column.
        """
        heights = self._heights()
        boxes, ends, x = dict[int, Box](), list[float](), 0.0
        top = min((heights[each] - self._sizes[each][1] / 2 for layer in self._layers for each in layer), default=0.0)
        for layer in self._layers:
            column = max(self._sizes[each][0] for each in layer)
            for each in layer:
                width, height = self._sizes[each]
                centre = x + (width if each < self._node_count else column) / 2
                boxes[each] = Box(centre, heights[each] - top, width or column, height)
            ends.append(x + column)
            x += column + _COLUMN_GAP
        return [boxes[each] for each in range(len(self._sizes))], ends, max(x - _COLUMN_GAP, 0.0)

    def _heights(self) -> dict[int, float]:
        """Place each vertex as near to the mean of its neighbours as the order and the gaps allow."""
        ys = dict[int, float]()
        for layer in self._layers:
            ys.update(_spread(layer, [0.0] * len(layer), self._sizes))
        for sweep in range(_SWEEPS):
            for layer in self._layers if sweep % 2 == 0 else reversed(self._layers):
                targets = []
                for each in layer:
                    near = self._neighbours[each]
                    targets.append(sum(ys[other] for other in near) / len(near) if near else ys[each])
                ys.update(_spread(layer, targets, self._sizes))
        return ys


def _backward_edges(count: int, edges: Sequence[tuple[int, int]]) -> set[int]:
    """Return the edges to reverse so that no cycle is left: the back edges of a depth-first search."""
    out: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for number, (source, target) in enumerate(edges):
        out[source].append((number, target))
    back, done, on_path = set[int](), set[int](), set[int]()
    entered = {target for _, target in edges}
    for start in sorted(range(count), key=lambda node: node in entered):
        if start in done:
            continue
        on_path.add(start)
        stack = [(start, iter(out[start]))]
        while stack:
            node, remaining = stack[-1]
            number, target = next(remaining, (-1, -1))
            if number < 0:
                stack.pop()
                on_path.discard(node)
                done.add(node)
            elif target in on_path:
                back.add(number)
            elif target not in done:
                on_path.add(target)
                stack.append((target, iter(out[target])))
    return back


def _depths(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return the longest path to each node. A node without predecessors is placed just before its successors."""
    successors: list[list[int]] = [[] for _ in range(count)]
    unplaced_predecessors = [0] * count
    for source, target in edges:
        successors[source].append(target)
        unplaced_predecessors[target] += 1
    depth = [0] * count
    ready = [node for node in range(count) if not unplaced_predecessors[node]]
    sources = [*ready]
    while ready:
        node = ready.pop()
        for target in successors[node]:
            depth[target] = max(depth[target], depth[node] + 1)
            unplaced_predecessors[target] -= 1
            if not unplaced_predecessors[target]:
                ready.append(target)
    for node in sources:
        depth[node] = min((depth[target] for target in successors[node]), default=1) - 1
    return depth


def _spread(layer: Sequence[int], targets: Sequence[float], sizes: Sequence[Size]) -> dict[int, float]:
    """Return the heights nearest to the targets that keep order and gaps: isotonic least squares, by pooling."""
    offsets, offset = list[float](), 0.0
    for n, each in enumerate(layer):
        if n:
            offset += (sizes[layer[n - 1]][1] + sizes[each][1]) / 2 + _ROW_GAP
        offsets.append(offset)
    pools = list[tuple[float, int]]()  # the sum of targets less offsets, and how many
    for target, shift in zip(targets, offsets, strict=True):
        total, count = target - shift, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            before, number = pools.pop()
            total, count = total + before, count + number
        pools.append((total, count))
    means = [total / count for total, count in pools for _ in range(count)]
    return {each: mean + shift for each, mean, shift in zip(layer, means, offsets, strict=True)}
