"""Construction, cycles, contents and edits of a taxonomy."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rdflib import BNode, URIRef
from support.taxonomies import NAMES, Edges, PlainSearch, acyclic_edges, any_edges, assert_same_answers, names

from ontology import Axioms, CyclePolicy, CyclicTaxonomy, Taxonomy


@given(any_edges)
def test_exactly_the_cyclic_edges_are_refused_with_a_real_cycle(subclasses: Edges) -> None:
    plain = PlainSearch(subclasses)
    cyclic = any(plain.equivalent(x, y) for x in NAMES for y in NAMES)
    if not cyclic:
        Taxonomy(subclasses)
        return
    with pytest.raises(CyclicTaxonomy) as caught:
        Taxonomy(subclasses)
    cycle = caught.value.cycle
    assert len(set(cycle)) == len(cycle) >= 2
    for child, parent in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
        assert (child, parent) in plain.subclasses
        assert child in str(caught.value)


@given(acyclic_edges, any_edges)
def test_stated_equivalence_is_no_cycle_unless_other_edges_form_one(subclasses: Edges, equivalent: Edges) -> None:
    both_ways = [*equivalent, *((b, a) for a, b in equivalent)]
    synonyms = PlainSearch(both_ways)
    everything = PlainSearch([*subclasses, *both_ways])
    tangled = any(everything.equivalent(x, y) and not synonyms.equivalent(x, y) for x in NAMES for y in NAMES)
    if tangled:
        with pytest.raises(CyclicTaxonomy) as caught:
            Taxonomy.from_axioms(Axioms(tuple(subclasses), equivalent_classes=tuple(equivalent)))
        assert len(caught.value.cycle) >= 2
        for x, y in zip(caught.value.cycle, caught.value.cycle[1:], strict=False):
            assert (x, y) in everything.subclasses
    else:
        assert_same_answers(
            Taxonomy.from_axioms(Axioms(tuple(subclasses), equivalent_classes=tuple(equivalent))), everything
        )


edits = st.lists(
    st.tuples(
        st.sampled_from(["add_subclass", "remove_subclass", "add_instance", "remove_instance"]),
        names,
        names,
        st.booleans(),  # ask before: labels are made by questions, and edits must be right with and without
        st.integers(0, 20),  # which edge to remove; edges drawn at random would seldom be there
    ),
    max_size=25,
)


@pytest.mark.parametrize("cycles", ["refuse", "condense"])
@settings(max_examples=300, deadline=None)
@given(start=st.lists(st.sampled_from([("n1", "n0"), ("n2", "n1"), ("n3", "n0")]), max_size=3), edits=edits)
@example(
    start=[],
    edits=[
        ("add_subclass", "n0", "n0", True, 0),
        ("add_subclass", "n0", "n1", False, 0),
        ("remove_subclass", "n0", "n1", False, 0),
    ],
)
def test_edits_in_any_order_equal_a_rebuilt_taxonomy(
    cycles: CyclePolicy, start: Edges, edits: list[tuple[str, str, str, bool, int]]
) -> None:
    taxonomy = Taxonomy(start, cycles=cycles)
    subclasses, instances = set(start), set[tuple[str, str]]()
    for edit, child, parent, ask_before, which in edits:
        if ask_before:
            taxonomy.is_a(NAMES[0], NAMES[1])
        version = taxonomy.version
        edges = subclasses if edit.endswith("subclass") else instances
        if edit.startswith("remove"):
            if which < 2 * len(edges):
                child, parent = sorted(edges)[which // 2]
            changed = (child, parent) in edges
            edges.discard((child, parent))
        elif edit == "add_subclass" and child == parent:
            changed = child not in taxonomy.classes
        elif edit == "add_subclass" and cycles == "refuse" and child in PlainSearch(list(edges)).up(parent):
            with pytest.raises(CyclicTaxonomy) as caught:
                taxonomy.add_subclass(child, parent)
            assert caught.value.cycle[:2] == (child, parent)
            assert taxonomy.version == version
            continue
        else:
            changed = (child, parent) not in edges
            edges.add((child, parent))
        assert getattr(taxonomy, edit)(child, parent) == changed
        assert taxonomy.version == version + changed
        if ask_before:
            assert_same_answers(taxonomy, PlainSearch(list(subclasses), instances), {child, parent, "n0"})
    assert_same_answers(taxonomy, PlainSearch(list(subclasses), instances))


def test_new_leaf_can_be_moved_and_removed() -> None:
    taxonomy = Taxonomy([("Cat", "Animal"), ("Dog", "Animal")])
    assert taxonomy.is_a("Cat", "Animal")
    taxonomy.add_subclass("Lynx", "Dog")
    assert taxonomy.subclasses("Animal") == {"Cat", "Dog", "Lynx"}
    taxonomy.add_subclass("Lynx", "Cat")
    taxonomy.remove_subclass("Lynx", "Dog")
    assert taxonomy.subclasses("Dog") == frozenset()
    assert taxonomy.subclasses("Cat") == {"Lynx"}
    taxonomy.remove_subclass("Lynx", "Cat")
    assert taxonomy.descendants("Animal") == {"Cat", "Dog"}
    taxonomy.add_subclass("Kitten", "Lynx")
    assert taxonomy.subclasses("Lynx") == {"Kitten"}


@given(acyclic_edges, any_edges, acyclic_edges)
def test_asserted_edges_are_exactly_the_given_ones(subclasses: Edges, instances: Edges, inferred: Edges) -> None:
    taxonomy = Taxonomy.from_axioms(Axioms(tuple(subclasses), tuple(instances)), Axioms(tuple(inferred)))
    asserted = list(taxonomy.asserted_edges())
    assert set(asserted) == {(c, p, "subclass") for c, p in subclasses} | {(x, c, "instance") for x, c in instances}
    assert len(asserted) == len(set(asserted))
    assert set(taxonomy.edges()) == set(asserted) | {(c, p, "subclass") for c, p in inferred}


def test_cyclic_subproperties_are_refused_too() -> None:
    with pytest.raises(CyclicTaxonomy, match="p -> q -> p"):
        Taxonomy(subproperties=[("p", "q"), ("q", "p")])


def test_class_below_itself_is_no_cycle() -> None:
    taxonomy = Taxonomy([("A", "A"), ("B", "A")])
    assert taxonomy.classes == {"A", "B"}
    assert not taxonomy.ancestor_of("A", "A")
    assert not taxonomy.directly_a("A", "A")


def test_long_cycle_is_complete_in_the_error_and_shortened_in_its_message() -> None:
    ring = [(f"c{i}", f"c{(i + 1) % 5000}") for i in range(5000)]
    with pytest.raises(CyclicTaxonomy) as caught:
        Taxonomy(ring)
    assert len(caught.value.cycle) == 5000
    assert "4984 more" in str(caught.value)
    assert 'cycles="condense"' in str(caught.value)
    assert len(str(caught.value)) < 1000
    assert len(Taxonomy(ring, cycles="condense").equivalents("c7")) == 4999


def test_rdflib_terms_are_equal_to_their_text() -> None:
    cat, animal, blank = URIRef("http://e/Cat"), URIRef("http://e/Animal"), BNode("tom")
    taxonomy = Taxonomy([(cat, animal)], [(blank, cat)])
    assert taxonomy.is_a(blank, "http://e/Animal")
    assert taxonomy.is_a("_:tom", animal)
    assert taxonomy.ancestors("_:tom") == {"http://e/Cat", "http://e/Animal"}
    assert cat in taxonomy
    assert blank in taxonomy
    assert {type(name) for name in taxonomy.classes} == {str}
    assert taxonomy.add_instance(URIRef("http://e/Rex"), animal)
    assert taxonomy.remove_instance("http://e/Rex", "http://e/Animal")


def test_contents_and_length() -> None:
    taxonomy = Taxonomy.from_axioms(
        Axioms((("B", "A"),), (("x", "B"), ("B", "Meta")), (("p", "q"),), classes=("Lone",), properties=("r",))
    )
    assert taxonomy.classes == {"A", "B", "Meta", "Lone"}
    assert taxonomy.properties == {"p", "q", "r"}
    assert all(name in taxonomy for name in ["A", "x", "p", "Lone"])
    assert "y" not in taxonomy
    assert 7 not in taxonomy
    assert len(taxonomy) == 5
    assert repr(taxonomy) == "<Taxonomy: 4 classes, 2 instances, 3 properties, version 0>"
    assert Taxonomy()


def test_unknown_cycle_policy_is_refused() -> None:
    with pytest.raises(ValueError, match='"refuse" or "condense"'):
        Taxonomy(cycles="ignore")  # type: ignore[arg-type]


def test_removing_half_an_equivalence_leaves_a_subclass_edge() -> None:
    taxonomy = Taxonomy.from_axioms(Axioms(equivalent_classes=(("A", "B"),)))
    assert taxonomy.equivalents("A") == {"B"}
    assert taxonomy.directly_a("A", "B")
    taxonomy.remove_subclass("A", "B")
    assert taxonomy.is_a("B", "A")
    assert not taxonomy.is_a("A", "B")
    with pytest.raises(CyclicTaxonomy):
        taxonomy.add_subclass("A", "B")


def test_removed_asserted_edge_may_still_be_inferred() -> None:
    taxonomy = Taxonomy.from_axioms(Axioms((("B", "A"),), (("x", "B"),)), Axioms((("B", "A"),), (("x", "B"),)))
    assert taxonomy.remove_subclass("B", "A")
    assert taxonomy.remove_instance("x", "B")
    assert taxonomy.is_a("x", "A")
    assert not taxonomy.directly_a("x", "B")
    assert not taxonomy.remove_instance("x", "B")


def test_labels_are_edited_counted_and_saved() -> None:
    taxonomy = Taxonomy([("http://e/Cat", "http://e/Animal")])
    assert taxonomy.add_label(URIRef("http://e/Cat"), "Katze", "de")
    assert not taxonomy.add_label("http://e/Cat", "Katze", "de")
    assert taxonomy.version == 1
    assert taxonomy.labelled("KATZE", "http://e/Animal") == ("http://e/Cat",)
    assert taxonomy.labelled("katze", "http://e/Plant") == ()
    copy = Taxonomy.from_json(json.loads(json.dumps(taxonomy.to_json())))
    assert copy.labelled("katze", "http://e/Animal") == ("http://e/Cat",)
    assert taxonomy.remove_label("http://e/Cat", "Katze", "de")
    assert (taxonomy.version, taxonomy.labelled("katze", "http://e/Animal")) == (2, ())
    with pytest.raises(ValueError, match="gives no labels; use one of"):
        taxonomy.add_label("http://e/Cat", "cat", property="urn:comment")
