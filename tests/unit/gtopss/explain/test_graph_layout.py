"""The layout of random graphs."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from gtopss.explain.graph_layout import lay_out


def graphs(count: int) -> st.SearchStrategy[tuple[list[tuple[float, float]], list[tuple[int, int]]]]:
    """Sizes of so many nodes, and edges between different ones."""
    sizes = st.tuples(st.floats(20, 300), st.floats(20, 90))
    node = st.integers(0, count - 1)
    edges = st.tuples(node, node).filter(lambda edge: edge[0] != edge[1])
    return st.tuples(st.lists(sizes, min_size=count, max_size=count), st.lists(edges, max_size=10))


@given(st.integers(2, 8).flatmap(graphs))
def test_nodes_and_labels_never_overlap(graph: tuple[list[tuple[float, float]], list[tuple[int, int]]]) -> None:
    sizes, edges = graph
    placed = lay_out(sizes, edges, [(60.0, 17.0)] * len(edges))
    boxes = [*placed.nodes, *(route.label for route in placed.routes)]
    for one, other in combinations(boxes, 2):
        apart_x = abs(one.x - other.x) - (one.width + other.width) / 2
        apart_y = abs(one.y - other.y) - (one.height + other.height) / 2
        assert max(apart_x, apart_y) >= 8
    assert all(-0.1 <= box.left <= box.right <= placed.width + 0.1 for box in boxes)
    assert all(box.y - box.height / 2 >= -0.1 and box.y + box.height / 2 <= placed.height + 0.1 for box in boxes)
