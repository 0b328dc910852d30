"""One directed graph of names, child to parent, with reachability answered from labels.

A taxonomy has two of these: its classes and its properties. The graph itself is networkx's, which also finds
the cycles; the labels of :mod:`ontology.intervals` are computed on the first question after a change.

A new leaf does not cost the labels. It is *grafted*: kept out of them and answered through its parents, which
are labelled, until some other edit has the whole graph labelled anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

import networkx as nx

from ontology.errors import CyclicTaxonomy
from ontology.intervals import Labelling, label

__all__ = ["CyclePolicy", "Hierarchy", "Pair"]

CyclePolicy: TypeAlias = Literal["refuse", "condense"]
"""What to do when is-a edges form a cycle: refuse the edges, or take the members as equivalent."""

Pair: TypeAlias = tuple[str, str]
"""A child and its parent, an instance and its class, or two equivalents."""


class Hierarchy:
    """Names below names, acyclic but for equivalences.

    Each edge records whether it was ``asserted``, ``inferred`` or both, and whether it came as one half of an
    ``equivalent`` pair: such a pair is stated on purpose and no cycle to complain about at the start.
    """

    __slots__ = ("_cycles", "_equivalents", "_grafts", "_graph", "_labelling", "_leaves_of")

    def __init__(
        self,
        asserted: Iterable[Pair] = (),
        inferred: Iterable[Pair] = (),
        *,
        equivalent: Iterable[Pair] = (),
        inferred_equivalent: Iterable[Pair] = (),
        nodes: Iterable[str] = (),
        cycles: CyclePolicy = "refuse",
    ) -> None:
        if cycles not in ("refuse", "condense"):
            raise ValueError(f'cycles must be "refuse" or "condense", not {cycles!r}')
        self._cycles: CyclePolicy = cycles
        self._graph: nx.DiGraph[str] = nx.DiGraph()
        self._labelling: Labelling | None = None
        self._equivalents: dict[str, tuple[str, ...]] = {}
        self._grafts: set[str] = set()
        self._leaves_of: dict[str, set[str]] = {}
        """Each labelled name's grafted children."""
        self._graph.add_nodes_from(nodes)
        for child, parent in asserted:
            self._join(child, parent, asserted=True)
        for child, parent in inferred:
            self._join(child, parent, asserted=False)
        for one, other in equivalent:
            self._join(one, other, asserted=True, equivalent=True)
            self._join(other, one, asserted=True, equivalent=True)
        for one, other in inferred_equivalent:
            self._join(one, other, asserted=False, equivalent=True)
            self._join(other, one, asserted=False, equivalent=True)
        if cycles == "refuse":
            self._refuse_unstated_cycles()

    def to_json(self) -> dict[str, Any]:
        """Plain data: the nodes by name, each edge as its ends and how it is known."""
        edges = [
            [child, parent, edge["asserted"], edge["inferred"], edge["equivalent"]]
            for child, parent, edge in self._graph.edges(data=True)
        ]
        return {"cycles": self._cycles, "nodes": list(self._graph), "edges": edges}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Hierarchy:
        """The inverse of ``to_json``."""
        made = cls(nodes=data["nodes"], cycles=data["cycles"])
        for child, parent, asserted, inferred, equivalent in data["edges"]:
            made._graph.add_edge(child, parent, asserted=asserted, inferred=inferred, equivalent=equivalent)
        return made

    # --- questions -----------------------------------------------------------------------------------------

    def __contains__(self, name: object) -> bool:
        return name in self._graph

    def __len__(self) -> int:
        return len(self._graph)

    def __iter__(self) -> Iterator[str]:
        return iter(self._graph)

    def below(self, name: str, other: str) -> bool:
        """Whether the two are the same or equivalent, or ``other`` is reached upward from ``name``."""
        if name == other:
            return True
        labelling = self._labelling or self._relabel()
        if name in self._grafts:
            return any(labelling.below(parent, other) for parent in self._graph.succ[name])
        return labelling.below(name, other)

    def equivalents(self, name: str) -> tuple[str, ...]:
        """The name's whole equivalence class when it has company, else nothing."""
        if self._labelling is None:
            self._relabel()
        return self._equivalents.get(name, ())

    def reached_downward(self, name: str) -> set[str]:
        """The name if it is known, its equivalents, and all that is below them."""
        labelling = self._labelling or self._relabel()
        covered = set(labelling.covered(name))
        if self._grafts:
            for grafted_on in self._leaves_of.keys() & covered:
                covered |= self._leaves_of[grafted_on]
            if name in self._grafts:
                covered.add(name)
        return covered

    def reached_upward(self, names: Iterable[str]) -> set[str]:
        """The known names among these, and all that is above them."""
        parents = self._graph.succ
        reached = {name for name in names if name in parents}
        unexplored = list(reached)
        while unexplored:
            for parent in parents[unexplored.pop()]:
                if parent not in reached:
                    reached.add(parent)
                    unexplored.append(parent)
        return reached

    def climb(self, start: str, first_steps: Iterable[str], goal: str) -> tuple[str, ...]:
        """A shortest way from ``start`` by one of the first steps up to ``goal``, both ends included.

        Only names below the goal are visited. Empty when there is no way.
        """
        came_from: dict[str, str] = {}
        frontier = []
        for step in first_steps:
            if step != start and step not in came_from and self.below(step, goal):
                came_from[step] = start
                frontier.append(step)
        for name in frontier:  # grows while it is read: breadth first
            if name == goal:
                return _trail(came_from, start, goal)
            if name not in self._graph:
                continue
            for parent in self._graph.succ[name]:
                if parent != start and parent not in came_from and self.below(parent, goal):
                    came_from[parent] = name
                    frontier.append(parent)
        return ()

    def parents(self, name: str, *, asserted_only: bool = False) -> Iterator[str]:
        if name in self._graph:
            for parent, edge in self._graph.succ[name].items():
                if edge["asserted"] or not asserted_only:
                    yield parent

    def asserted_children(self, name: str) -> Iterator[str]:
        if name in self._graph:
            for child, edge in self._graph.pred[name].items():
                if edge["asserted"]:
                    yield child

    def is_asserted(self, child: str, parent: str) -> bool:
        edge = self._graph.get_edge_data(child, parent)
        return edge is not None and bool(edge["asserted"])

    def edges(self, *, asserted_only: bool = False) -> Iterator[Pair]:
        for child, parents in self._graph.succ.items():
            for parent, edge in parents.items():
                if edge["asserted"] or not asserted_only:
                    yield child, parent

    # --- edits ---------------------------------------------------------------------------------------------

    def declare(self, name: str) -> bool:
        """Makes a name known that has no edges yet; False if it was."""
        if name in self._graph:
            return False
        self._graph.add_node(name)
        if self._labelling is not None:
            self._grafts.add(name)
        return True

    def add(self, child: str, parent: str) -> bool:
        """Asserts an edge; False if it was asserted already. A self-loop only makes the name known."""
        if child == parent:
            return self.declare(child)
        edge = self._graph.get_edge_data(child, parent)
        if edge is not None:
            changed = not edge["asserted"]
            edge["asserted"] = True
            return changed
        if self._cycles == "refuse":
            self._refuse_closing(child, parent)
        labelling = self._labelling
        graftable = labelling is not None and child not in labelling.positions and parent in labelling.positions
        self._join(child, parent, asserted=True)
        if graftable:
            self._grafts.add(child)
            self._leaves_of.setdefault(parent, set()).add(child)
        else:
            self._forget_labels()
        return True

    def remove(self, child: str, parent: str) -> bool:
        """Takes back an asserted edge; False if there was none. Both names stay known."""
        edge = self._graph.get_edge_data(child, parent)
        if edge is None or not edge["asserted"]:
            return False
        if edge["inferred"]:
            edge["asserted"] = False
            return True
        self._graph.remove_edge(child, parent)
        if child in self._grafts:
            self._leaves_of[parent].discard(child)
        else:
            self._forget_labels()
        return True

    # --- inside --------------------------------------------------------------------------------------------

    def _join(self, child: str, parent: str, *, asserted: bool, equivalent: bool = False) -> None:
        if child == parent:  # every class is a subclass of itself (RDFS); reasoners write it down
            self._graph.add_node(child)
            return
        edge = self._graph.get_edge_data(child, parent)
        if edge is None:
            self._graph.add_edge(child, parent, asserted=asserted, inferred=not asserted, equivalent=equivalent)
        else:
            edge["asserted"] |= asserted
            edge["inferred"] |= not asserted
            edge["equivalent"] |= equivalent

    def _forget_labels(self) -> None:
        self._labelling = None
        self._grafts = set()  # a graft is one onto labels: without them there is none
        self._leaves_of = {}

    def _relabel(self) -> Labelling:
        graph = self._graph
        groups = [tuple(sorted(members)) for members in nx.strongly_connected_components(graph)]
        number = {name: index for index, members in enumerate(groups) for name in members}
        parents: list[list[int]] = []
        for index, members in enumerate(groups):
            above = {number[parent] for name in members for parent in graph.succ[name]}
            above.discard(index)
            parents.append(sorted(above))
        self._equivalents = {name: members for members in groups if len(members) > 1 for name in members}
        self._labelling = label(groups, parents)
        return self._labelling

    def _refuse_unstated_cycles(self) -> None:
        graph = self._graph
        knots = [members for members in nx.strongly_connected_components(graph) if len(members) > 1]
        if not knots:
            return
        stated: nx.Graph[str] = nx.Graph()
        stated.add_edges_from(pair for pair in self.edges() if graph.edges[pair]["equivalent"])
        synonyms = {name: index for index, names in enumerate(nx.connected_components(stated)) for name in names}
        for members in knots:
            for child in sorted(members):
                for parent in graph.succ[child]:
                    if parent in members and synonyms.get(child, child) != synonyms.get(parent, parent):
                        way_back = nx.shortest_path(graph.subgraph(members), parent, child)
                        raise CyclicTaxonomy((child, *way_back[:-1]))

    def _refuse_closing(self, child: str, parent: str) -> None:
        graph = self._graph
        if child not in graph or parent not in graph or not graph.pred[child] or not graph.succ[parent]:
            return  # nothing below the child, or nothing above the parent: no way back
        if self._labelling is not None and not self.below(parent, child):
            return
        # Without labels a search is cheaper than making them: loading by edits would label at every step.
        if nx.has_path(graph, parent, child) and not nx.has_path(graph, child, parent):
            raise CyclicTaxonomy((child, *nx.shortest_path(graph, parent, child)[:-1]))


def _trail(came_from: dict[str, str], start: str, goal: str) -> tuple[str, ...]:
    trail = [goal]
    while trail[-1] != start:
        trail.append(came_from[trail[-1]])
    return tuple(reversed(trail))
