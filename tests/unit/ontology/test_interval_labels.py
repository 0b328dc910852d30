"""The labels themselves, above all where lists of runs give way to bitmaps."""

from __future__ import annotations

import random

import pytest

from ontology.interval_labels import MAX_RUNS_PER_LABEL, Bitmap, RunList, label_graph


def reached(parents: list[list[int]], start: int) -> set[int]:
    seen, stack = {start}, [start]
    while stack:
        new = set(parents[stack.pop()]) - seen
        seen |= new
        stack.extend(new)
    return seen


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("most_parents", [1, 2, 6])
def test_every_pair_of_a_random_graph(seed: int, most_parents: int) -> None:
    rng = random.Random(seed)
    size = 300
    parents = [
        sorted({rng.randrange(i) for _ in range(rng.randint(0, most_parents))}) if i else [] for i in range(size)
    ]
    groups = [tuple(f"{i}.{twin}" for twin in range(rng.choice((1, 1, 1, 3)))) for i in range(size)]
    labelling = label_graph(groups, parents)
    above = [reached(parents, i) for i in range(size)]
    for i in range(size):
        for j in range(size):
            assert labelling.is_below(groups[i][-1], groups[j][0]) == (j in above[i])
    for j in range(size):
        expected = sorted(name for i in range(size) if j in above[i] for name in groups[i])
        assert sorted(labelling.covered(groups[j][0])) == expected


def test_long_lists_give_way_to_bitmaps_and_the_answers_stay() -> None:
    rng = random.Random(7)
    size = 2000
    parents = [sorted({rng.randrange(i) for _ in range(3)}) if i else [] for i in range(size)]
    labelling = label_graph([(str(i),) for i in range(size)], parents)
    lists = [cover for cover in labelling.labels.values() if isinstance(cover, RunList)]
    assert max(len(cover.edges) for cover in lists) == 2 * MAX_RUNS_PER_LABEL
    assert any(isinstance(cover, Bitmap) for cover in labelling.labels.values())
    above = [reached(parents, i) for i in range(size)]
    for j in range(0, size, 7):
        expected = {str(i) for i in range(size) if j in above[i]}
        assert set(labelling.covered(str(j))) == expected
        assert {str(i) for i in range(size) if labelling.is_below(str(i), str(j))} == expected


def test_a_tree_needs_one_run_per_node() -> None:
    rng = random.Random(3)
    parents = [[rng.randrange(i)] if i else [] for i in range(1000)]
    labels = label_graph([(str(i),) for i in range(1000)], parents).labels.values()
    assert all(isinstance(cover, RunList) and len(cover.edges) == 2 for cover in labels)


def test_positions_are_in_preorder() -> None:
    labelling = label_graph([("a",), ("b", "c"), ("d",), ("e",)], [[], [0], [1], [0]])
    assert labelling.order == ("a", "b", "c", "d", "e")
    assert [list(labelling.labels[name].runs()) for name in "abcde"] == [
        [(0, 5)],
        [(1, 4)],
        [(1, 4)],
        [(3, 4)],
        [(4, 5)],
    ]


@pytest.mark.parametrize(("runs", "kind"), [(MAX_RUNS_PER_LABEL, RunList), (MAX_RUNS_PER_LABEL + 1, Bitmap)])
def test_a_bitmap_takes_over_above_the_longest_list(runs: int, kind: type) -> None:
    # A chain of twins: every second leaf is also below one more class, and no two of those touch.
    leaves = 2 * (runs - 1)
    groups = [("top",), ("deep",), ("also",), *((f"leaf{number}",) for number in range(leaves))]
    parents = [[], [0], [], *([1] if number % 2 else [1, 2] for number in range(leaves))]
    cover = label_graph(groups, parents).labels["also"]
    assert isinstance(cover, kind)
    assert len(list(cover.runs())) == runs


def test_positions_outside_a_bitmap_are_not_in_it() -> None:
    bitmap = Bitmap(10, bytes([0b101]))
    assert [position for position in range(40) if position in bitmap] == [10, 12]
    assert list(bitmap.runs()) == [(10, 11), (12, 13)]


def test_a_cycle_is_not_labelled() -> None:
    with pytest.raises(ValueError, match="cycle"):
        label_graph([("a",), ("b",)], [[1], [0]])
