"""Values, operators and orders of the four kinds of domain."""

from __future__ import annotations

import pytest

from gtopss.attributes import EnumeratedDomain, HierarchicalDomain, InvalidSchema, NumericDomain, Operator, StringDomain
from ontology import Axioms, Taxonomy


@pytest.mark.parametrize("value", [True, "1", None, float("nan"), float("inf"), 2**53 + 1, 10**400])
def test_numbers_that_no_double_holds_exactly_are_outside_the_domain(value: object) -> None:
    assert value not in NumericDomain("n")


def test_a_numeric_domain_checks_bounds_and_whole_numbers() -> None:
    dice = NumericDomain("dice", 1, 6, whole=True)
    assert [value for value in (0, 1, 1.0, 2.5, 6, 7) if value in dice] == [1, 1.0, 6]
    assert dice.values() == range(1, 7)
    assert NumericDomain("n", 1, 6).values() is None
    assert StringDomain("s").values() is None


def test_a_partial_order_is_transitive_and_has_incomparable_values() -> None:
    sizes = EnumeratedDomain("size", ["S", "M", "L", "one"], [("S", "M"), ("M", "L")])
    assert sizes.above("S") == {"S", "M", "L"}
    assert sizes.below("L") == {"S", "M", "L"}
    assert not sizes.holds("one", Operator.AT_MOST, "L")
    assert sizes.holds("one", Operator.AT_MOST, "one")


def test_an_enumerated_domain_without_an_order_has_no_order_operators() -> None:
    assert Operator.BELOW not in EnumeratedDomain("colour", ["red"]).operators


@pytest.mark.parametrize("order", [[("a", "b"), ("b", "a")], [("a", "a")], [("a", "c")]], ids=str)
def test_cyclic_and_unknown_orders_are_refused(order: list[tuple[str, str]]) -> None:
    with pytest.raises(InvalidSchema):
        EnumeratedDomain("e", ["a", "b"], order)


def test_equivalent_classes_are_refused() -> None:
    with pytest.raises(InvalidSchema, match="equivalent"):
        HierarchicalDomain("h", Taxonomy.from_axioms(Axioms((("a", "b"),), equivalent_classes=(("b", "c"),))))


def test_later_changes_of_the_taxonomy_do_not_affect_the_domain() -> None:
    taxonomy = Taxonomy([("cat", "animal")])
    domain = HierarchicalDomain("zoo", taxonomy)
    taxonomy.add_subclass("dog", "animal")
    assert "dog" not in domain


@pytest.mark.parametrize(
    "operator", [Operator.BELOW, Operator.AT_MOST, Operator.IS_A, Operator.ABOVE, Operator.AT_LEAST]
)
def test_satisfied_constants_are_those_for_which_the_operator_holds(operator: Operator) -> None:
    zoo = Taxonomy([("cat", "mammal"), ("bat", "mammal"), ("bat", "flier"), ("mammal", "animal")], [("tom", "cat")])
    domain = HierarchicalDomain("zoo", zoo)
    for value in map(str, domain.values()):
        expected = {str(each) for each in domain.values() if domain.holds(value, operator, each)}
        assert set(domain.satisfied_constants(value, operator)) == expected
