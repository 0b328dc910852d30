from __future__ import annotations

from random import Random

import numpy
import pytest

from gtopss.attributes import AttributeCounters
from gtopss.attributes.matchers.associations import Association, BitMatrix, ByteMatrix
from gtopss.attributes.matchers.subscription_lists import SubscriptionLists

ASSOCIATIONS: list[Association] = [
    ByteMatrix(),
    BitMatrix(),
    SubscriptionLists(),
    SubscriptionLists(growth=1),
    SubscriptionLists(growth=16),
    SubscriptionLists(deletion_table=False),
]


@pytest.mark.parametrize("association", ASSOCIATIONS, ids=lambda each: type(each).__name__)
def test_every_association_is_a_map_from_slots_to_predicates(association: Association) -> None:
    random, plain = Random(2), dict[int, list[int]]()
    for _ in range(600):
        slot = random.randrange(100)
        if slot in plain:
            assert sorted(association.clear(slot)) == sorted(plain.pop(slot))
        else:
            plain[slot] = random.sample(range(20), random.randrange(1, 5))
            association.add(plain[slot], slot)
    satisfied = [random.sample(range(20), 8)]
    hits = association.count([satisfied], 100, numpy.uint8, AttributeCounters())
    assert hits.dtype == numpy.uint8
    assert hits.tolist() == [len({*plain.get(slot, ())} & {*satisfied[0]}) for slot in range(100)]


def test_lists_grow_by_a_constant_amount_or_double() -> None:
    sizes = {}
    for growth in (1, 16, "double"):
        lists = SubscriptionLists(growth=growth)  # type: ignore[arg-type]
        for slot in range(20):
            lists.add([0], slot)
        sizes[growth] = len(lists._slots[0])
    assert sizes == {1: 20, 16: 32, "double": 32}
