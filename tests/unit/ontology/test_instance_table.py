from __future__ import annotations

import json

from ontology.instance_table import InstanceTable


def table() -> InstanceTable:
    made = InstanceTable()
    made.add("tom", "Cat", asserted=True)
    made.add("tom", "Pet", asserted=False)
    made.add("rex", "Dog", asserted=True)
    made.add("rex", "Dog", asserted=False)
    return made


def test_an_edge_is_added_once_for_each_way_of_knowing_it() -> None:
    made = InstanceTable()
    assert [made.add("tom", "Cat", asserted=each) for each in (True, True, False, False)] == [True, False, True, False]
    assert len(made) == 1


def test_asserted_and_inferred_edges_are_told_apart() -> None:
    made = table()
    assert set(made.types("tom")) == {"Cat", "Pet"}
    assert list(made.asserted_types("tom")) == ["Cat"]
    assert (made.is_asserted("tom", "Pet"), made.is_asserted("rex", "Dog")) == (False, True)
    assert list(made.asserted_members("Pet")) == []
    assert set(made.edges()) == {("tom", "Cat"), ("tom", "Pet"), ("rex", "Dog")}
    assert set(made.edges(asserted_only=True)) == {("tom", "Cat"), ("rex", "Dog")}
    assert made.members_of_any({"Pet", "Dog", "Bat"}) == {"tom", "rex"}


def test_an_inferred_edge_survives_the_removal_of_the_asserted_one() -> None:
    made = table()
    assert made.remove_asserted("rex", "Dog")
    assert not made.remove_asserted("rex", "Dog")
    assert "Dog" in made.types("rex")
    assert not made.remove_asserted("tom", "Pet")


def test_an_instance_without_types_is_forgotten() -> None:
    made = table()
    made.add("it", "Thing", asserted=True)
    made.remove_asserted("it", "Thing")
    assert "it" not in made
    assert made.types("it") == {}
    assert made.members_of_any({"Thing"}) == frozenset()


def test_json_gives_back_the_table() -> None:
    again = InstanceTable.from_json(json.loads(json.dumps(table().to_json())))
    assert again.to_json() == table().to_json()
    assert set(again) == {"tom", "rex"}
