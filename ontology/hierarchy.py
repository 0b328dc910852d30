"""A directed graph of names, from child to parent, that answers reachability from labels.

A taxonomy has two hierarchies: its classes and its properties. networkx stores the graph and finds its cycles. The
labels of :mod:`ontology.interval_labels` are computed by the first query after a change.

Adding a leaf does not invalidate the labels. The new leaf stays unlabelled, and queries about it use its parents, which
are labelled, until another edit causes the whole graph to be labelled again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ontology.axioms import Pair
from ontology.errors import CyclicTaxonomy
from ontology.interval_labels import Labelling, label_graph

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["CyclePolicy", "Hierarchy"]

CyclePolicy: TypeAlias = Literal["refuse", "condense"]
"""What to do when is-a edges form a cycle: refuse the edges, or treat the members as equivalent."""


class Hierarchy:
    """Names below names, without cycles except equivalences. Not thread-safe for edits.

    Each edge records whether it is ``asserted``, ``inferred`` or both, and whether it came as one half of an
    ``equivalent`` pair. Such a pair is stated on purpose, so the constructor does not refuse it as a cycle.
    """

    __slots__ = ("_cycles", "_equivalents", "_labelling", "_stored_graph", "_unlabelled", "_unlabelled_children")

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
        self._stored_graph: nx.DiGraph[str] | None = None
        self._labelling: Labelling | None = None
        self._equivalents: dict[str, tuple[str, ...]] = {}
        self._unlabelled: set[str] = set()
        self._unlabelled_children: dict[str, set[str]] = {}
        """The unlabelled children of each labelled name."""
        for name in nodes:
            self._graph.add_node(name)
        for child, parent in asserted:
            self._add_edge(child, parent, asserted=True)
        for child, parent in inferred:
            self._add_edge(child, parent, asserted=False)
        for one, other in equivalent:
            self._add_edge(one, other, asserted=True, equivalent=True)
            self._add_edge(other, one, asserted=True, equivalent=True)
        for one, other in inferred_equivalent:
            self._add_edge(one, other, asserted=False, equivalent=True)
            self._add_edge(other, one, asserted=False, equivalent=True)
        if cycles == "refuse" and len(self):
            self._refuse_unstated_cycles()

    @property
    def _graph(self) -> nx.DiGraph[str]:
        """The graph. networkx, which takes long to import, is imported when there is the first name."""
        if self._stored_graph is None:
            import networkx as nx

            self._stored_graph = nx.DiGraph()
        return self._stored_graph

    def to_json(self) -> dict[str, Any]:
        """Return plain data: the names, and each edge with its two ends and how it is known."""
        edges = [
            [child, parent, edge["asserted"], edge["inferred"], edge["equivalent"]]
            for child, parent, edge in self._graph.edges(data=True)
        ]
        return {"cycles": self._cycles, "nodes": list(self), "edges": edges}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Hierarchy:
        """Return the hierarchy that ``to_json`` wrote."""
        made = cls(nodes=data["nodes"], cycles=data["cycles"])
        for child, parent, asserted, inferred, equivalent in data["edges"]:
            made._graph.add_edge(child, parent, asserted=asserted, inferred=inferred, equivalent=equivalent)
        return made

    # --- queries -------------------------------------------------------------------------------------------

    def __contains__(self, name: object) -> bool:
        return self._stored_graph is not None and name in self._stored_graph

    def __len__(self) -> int:
        return 0 if self._stored_graph is None else len(self._stored_graph)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored_graph or ())

    def is_below(self, name: str, other: str) -> bool:
        """Return whether the two are the same or equivalent, or ``other`` is above ``name``."""
        if name == other:
            return True
        labelling = self._labelling or self._relabel()
        if name in self._unlabelled:
            return any(labelling.is_below(parent, other) for parent in self._graph.succ[name])
        return labelling.is_below(name, other)

    def equivalents(self, name: str) -> tuple[str, ...]:
        """Return all members of the name's equivalence class, or nothing if it has no other member."""
        if self._labelling is None:
            self._relabel()
        return self._equivalents.get(name, ())

    def downward(self, name: str) -> set[str]:
        """Return the name if it is known, its equivalents, and every name below them."""
        labelling = self._labelling or self._relabel()
        covered = set(labelling.covered(name))
        if self._unlabelled:
            for parent in self._unlabelled_children.keys() & covered:
                covered |= self._unlabelled_children[parent]
            if name in self._unlabelled:
                covered.add(name)
        return covered

    def upward(self, names: Iterable[str]) -> set[str]:
        """Return the known names among these, and every name above them."""
        parents = self._graph.succ
        reached = {name for name in names if name in parents}
        unexplored = list(reached)
        while unexplored:
            for parent in parents[unexplored.pop()]:
                if parent not in reached:
                    reached.add(parent)
                    unexplored.append(parent)
        return reached

    def shortest_path(self, start: str, first_steps: Iterable[str], goal: str) -> tuple[str, ...]:
        """Return a shortest path from ``start``, through one of ``first_steps``, up to ``goal``, both ends included.

        Only names below the goal are visited. The path is empty if there is none.
        """
        came_from: dict[str, str] = {}
        frontier = []
        for step in first_steps:
            if step != start and step not in came_from and self.is_below(step, goal):
                came_from[step] = start
                frontier.append(step)
        for name in frontier:  # breadth first: the list grows during the iteration
            if name == goal:
                return _traced_path(came_from, start, goal)
            if name not in self._graph:
                continue
            for parent in self._graph.succ[name]:
                if parent != start and parent not in came_from and self.is_below(parent, goal):
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
        """Add a name without edges. Return False if it was known."""
        if name in self._graph:
            return False
        self._graph.add_node(name)
        if self._labelling is not None:
            self._unlabelled.add(name)
        return True

    def add(self, child: str, parent: str) -> bool:
        """Assert an edge. Return False if it was asserted already. A self-loop only adds the name."""
        if child == parent:
            return self.declare(child)
        edge = self._graph.get_edge_data(child, parent)
        if edge is not None:
            changed = not edge["asserted"]
            edge["asserted"] = True
            return changed
        if self._cycles == "refuse":
            self._refuse_closing_a_cycle(child, parent)
        labelling = self._labelling
        new_leaf = labelling is not None and child not in labelling.positions and parent in labelling.positions
        self._add_edge(child, parent, asserted=True)
        if new_leaf:
            self._unlabelled.add(child)
            self._unlabelled_children.setdefault(parent, set()).add(child)
        else:
            self._discard_labels()
        return True

    def remove(self, child: str, parent: str) -> bool:
        """Remove an asserted edge. Return False if there was none. Both names stay known."""
        edge = self._graph.get_edge_data(child, parent)
        if edge is None or not edge["asserted"]:
            return False
        if edge["inferred"]:
            edge["asserted"] = False
            return True
        self._graph.remove_edge(child, parent)
        if child in self._unlabelled:
            self._unlabelled_children[parent].discard(child)
        else:
            self._discard_labels()
        return True

    # --- internals -------------------------------------------------------------------------------------------

    def _add_edge(self, child: str, parent: str, *, asserted: bool, equivalent: bool = False) -> None:
        if child == parent:  # every class is a subclass of itself (RDFS), and reasoners write that out
            self._graph.add_node(child)
            return
        edge = self._graph.get_edge_data(child, parent)
        if edge is None:
            self._graph.add_edge(child, parent, asserted=asserted, inferred=not asserted, equivalent=equivalent)
        else:
            edge["asserted"] |= asserted
            edge["inferred"] |= not asserted
            edge["equivalent"] |= equivalent

    def _discard_labels(self) -> None:
        self._labelling = None
        self._unlabelled = set()  # the next labelling includes every name
        self._unlabelled_children = {}

    def _relabel(self) -> Labelling:
        if self._stored_graph is None:  # no name, and no need for networkx
            self._labelling = label_graph([], [])
            return self._labelling
        import networkx as nx

        graph = self._graph
        groups = [tuple(sorted(members)) for members in nx.strongly_connected_components(graph)]
        number = {name: index for index, members in enumerate(groups) for name in members}
        parents: list[list[int]] = []
        for index, members in enumerate(groups):
            above = {number[parent] for name in members for parent in graph.succ[name]}
            above.discard(index)
            parents.append(sorted(above))
        self._equivalents = {name: members for members in groups if len(members) > 1 for name in members}
        self._labelling = label_graph(groups, parents)
        return self._labelling

    def _refuse_unstated_cycles(self) -> None:
        import networkx as nx

        graph = self._graph
        cyclic_components = [members for members in nx.strongly_connected_components(graph) if len(members) > 1]
        if not cyclic_components:
            return
        stated: nx.Graph[str] = nx.Graph()
        stated.add_edges_from(pair for pair in self.edges() if graph.edges[pair]["equivalent"])
        synonyms = {name: index for index, names in enumerate(nx.connected_components(stated)) for name in names}
        for members in cyclic_components:
            for child in sorted(members):
                for parent in graph.succ[child]:
                    if parent in members and synonyms.get(child, child) != synonyms.get(parent, parent):
                        path_back = nx.shortest_path(graph.subgraph(members), parent, child)
                        raise CyclicTaxonomy((child, *path_back[:-1]))

    def _refuse_closing_a_cycle(self, child: str, parent: str) -> None:
        import networkx as nx

        graph = self._graph
        if child not in graph or parent not in graph or not graph.pred[child] or not graph.succ[parent]:
            return  # nothing is below the child, or nothing is above the parent: the edge closes no cycle
        if self._labelling is not None and not self.is_below(parent, child):
            return
        # Without labels, a search is cheaper than labelling: building a taxonomy by edits would label at every step.
        if nx.has_path(graph, parent, child) and not nx.has_path(graph, child, parent):
            raise CyclicTaxonomy((child, *nx.shortest_path(graph, parent, child)[:-1]))


def _traced_path(came_from: dict[str, str], start: str, goal: str) -> tuple[str, ...]:
    path = [goal]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return tuple(reversed(path))
