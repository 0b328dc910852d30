"""The queries of a taxonomy against a plain search over its edges."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from support.taxonomies import NAMES, Edges, PlainSearch, acyclic_edges, any_edges, assert_same_answers

from ontology import Axioms, CyclicTaxonomy, Taxonomy


@given(acyclic_edges, any_edges)
def test_queries_agree_with_a_plain_search(subclasses: Edges, instances: Edges) -> None:
    assert_same_answers(Taxonomy(subclasses, instances), PlainSearch(subclasses, instances))


@given(any_edges, any_edges)
def test_condensed_cycles_agree_with_a_plain_search(subclasses: Edges, instances: Edges) -> None:
    taxonomy = Taxonomy(subclasses, instances, cycles="condense")
    assert_same_answers(taxonomy, PlainSearch(subclasses, instances))


@given(acyclic_edges, acyclic_edges, any_edges, any_edges)
def test_inferred_edges_count_for_is_a_but_not_for_directly_a(
    stated: Edges, inferred: Edges, instances: Edges, inferred_instances: Edges
) -> None:
    taxonomy = Taxonomy.from_axioms(
        Axioms(tuple(stated), tuple(instances)), Axioms(tuple(inferred), tuple(inferred_instances))
    )
    assert_same_answers(taxonomy, PlainSearch(stated + inferred, instances + inferred_instances))
    asserted = set(stated) | set(instances)
    for x in NAMES:
        assert taxonomy.parents(x) == {parent for child, parent in asserted if child == x}
        assert taxonomy.types(x) == {c for instance, c in instances + inferred_instances if instance == x}
        for c in NAMES:
            assert taxonomy.directly_a(x, c) == ((x, c) in asserted)


@given(any_edges, any_edges)
def test_path_is_a_shortest_chain_of_edges(subclasses: Edges, instances: Edges) -> None:
    taxonomy = Taxonomy(subclasses, instances, cycles="condense")
    plain = PlainSearch(subclasses, instances)
    for x in NAMES:
        for c in NAMES:
            path = taxonomy.path(x, c)
            distance = plain.distance(x, c)
            assert (len(path) - 1 if path else None) == distance
            if path:
                assert (path[0], path[-1]) == (x, c)
                for step, (child, parent) in enumerate(itertools.pairwise(path)):
                    assert (child, parent) in plain.subclasses or (step == 0 and (child, parent) in plain.instances)


@given(any_edges)
def test_properties_agree_with_a_plain_search(subproperties: Edges) -> None:
    taxonomy = Taxonomy(subproperties=subproperties, cycles="condense")
    plain = PlainSearch(subproperties)
    for p in NAMES:
        assert taxonomy.superproperties(p) == plain.up(p) - {p}
        assert taxonomy.subproperties(p) == {q for q in NAMES if q != p and p in plain.up(q)}
        for q in NAMES:
            assert taxonomy.is_subproperty(p, q) == (q in plain.up(p))
    assert taxonomy.properties == {name for pair in subproperties for name in pair}
    assert set(taxonomy.property_edges()) == {pair for pair in subproperties if pair[0] != pair[1]}


def test_instance_of_a_class_is_not_an_instance_of_its_metaclass() -> None:
    taxonomy = Taxonomy([("DayOfWeek", "Enumeration")], [("Monday", "DayOfWeek"), ("DayOfWeek", "Class")])
    assert taxonomy.is_a("Monday", "Enumeration")
    assert taxonomy.is_a("DayOfWeek", "Class")
    assert not taxonomy.is_a("Monday", "Class")
    assert taxonomy.path("Monday", "Class") == ()


def test_figure_6_of_the_paper() -> None:
    paper = "Arno's paper 17"
    taxonomy = Taxonomy(
        [
            ("Journal", "Publication"),
            ("Conference Proceedings", "Publication"),
            ("Technical Report", "Publication"),
            ("Technical Report", "Department Publication"),
            ("Technical Report", "Jacobsen's Publication"),
            ("SIGMOD", "Conference Proceedings"),
        ],
        [(paper, "Jacobsen's Publication"), (paper, "SIGMOD")],
    )
    assert taxonomy.is_a(paper, "Publication")
    assert taxonomy.is_a(paper, "Jacobsen's Publication")
    assert not taxonomy.is_a(paper, "Department Publication")
    assert taxonomy.directly_a(paper, "SIGMOD")
    assert not taxonomy.directly_a(paper, "Publication")
    assert taxonomy.ancestor_of("Publication", "SIGMOD")


LARGE = 30_000


def random_dag(rng: random.Random) -> Edges:
    return [(f"c{child}", f"c{rng.randrange(child)}") for child in range(1, LARGE) for _ in range(rng.choice((2, 3)))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "edges"),
    [
        ("chain", [(f"c{i}", f"c{i - 1}") for i in range(1, LARGE)]),
        ("star", [(f"c{i}", "c0") for i in range(1, LARGE)]),
        ("dag", random_dag(random.Random(2005))),
    ],
)
def test_thirty_thousand_classes_agree_with_a_plain_search(shape: str, edges: Edges) -> None:
    taxonomy = Taxonomy(edges, [("x", f"c{LARGE - 1}")])
    above: dict[str, set[str]] = {}
    for child, parent in edges:
        above.setdefault(child, set()).add(parent)

    def plainly(child: str) -> set[str]:
        seen, stack = {child}, [child]
        while stack:
            new = above.get(stack.pop(), set()) - seen
            seen |= new
            stack.extend(new)
        return seen

    rng = random.Random(shape)
    for _ in range(40):
        child = f"c{rng.randrange(LARGE)}"
        reached = plainly(child)
        assert taxonomy.ancestors(child) == reached - {child}
        for _ in range(200):
            other = f"c{rng.randrange(LARGE)}"
            assert taxonomy.is_a(child, other) == (other in reached)
        for other in rng.sample(sorted(reached), min(5, len(reached))):
            assert taxonomy.is_a(child, other)
            assert child == other or child in taxonomy.descendants(other)
    assert len(taxonomy.descendants("c0")) == LARGE
    assert taxonomy.path("x", "c0")[0] == "x"
    taxonomy.add_subclass("new", f"c{LARGE - 1}")
    assert taxonomy.is_a("new", "c0")
    with pytest.raises(CyclicTaxonomy):
        taxonomy.add_subclass("c0", f"c{LARGE - 1}")


def test_subclass_queries_ignore_instance_edges() -> None:
    zoo = Taxonomy([("Cat", "Animal"), ("Animal", "Thing")], instances=[("Tom", "Cat"), ("Cat", "Species")])
    assert zoo.is_subclass("Cat", "Thing")
    assert zoo.is_subclass("Unknown", "Unknown")
    assert not zoo.is_subclass("Tom", "Cat")
    assert not zoo.is_subclass("Cat", "Species")
    assert zoo.superclasses("Cat") == {"Animal", "Thing"}
    assert zoo.superclasses("Tom") == frozenset()
