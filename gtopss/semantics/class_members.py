"""List what an is-a test can be true of: one closure for the index and for Spark's plans (`is_a.py` tests one term).

A term passes the test if it is one of `names`, or if the publication states one of `types` as its type.

| relation     | names                                                | types                        |
|--------------|------------------------------------------------------|------------------------------|
| `isA`        | the class, its subclasses and instances at any depth | the class and its subclasses |
| `instanceOf` | its instances at any depth                           | the class and its subclasses |
| `directlyA`  | its asserted subclasses and instances                | the class                    |
"""

from __future__ import annotations

from typing import NamedTuple

from ontology import Taxonomy

RELATIONS = ("isA", "instanceOf", "directlyA")
"""The is-a functions whose members can be listed. The index numbers them in this order."""


class ClassMembers(NamedTuple):
    """IRIs without brackets. Blank nodes are left out: they are the taxonomy's own, and no publication names them."""

    names: frozenset[str]
    types: frozenset[str]


def class_members(taxonomy: Taxonomy, relation: str, cls: str) -> ClassMembers:
    """Return the members of a class under one of RELATIONS."""
    if relation == "directlyA":
        return _without_blank_nodes(taxonomy.children(cls), frozenset({cls}))
    types = taxonomy.subclasses(cls) | {cls}
    if relation == "instanceOf":
        return _without_blank_nodes(taxonomy.instances(cls), types)
    assert relation == "isA", relation
    return _without_blank_nodes(taxonomy.descendants(cls) | {cls}, types)


def _without_blank_nodes(names: frozenset[str], types: frozenset[str]) -> ClassMembers:
    return ClassMembers(*(frozenset(each for each in some if not each.startswith("_:")) for some in (names, types)))
