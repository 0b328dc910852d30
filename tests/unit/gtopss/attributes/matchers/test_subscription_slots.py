from __future__ import annotations

import numpy

from gtopss.attributes.matchers.subscription_slots import SubscriptionSlots


def test_counters_of_one_byte_widen_for_a_subscription_with_many_predicates() -> None:
    slots = SubscriptionSlots(one_byte=True)
    slots.allocate("a", 254)
    slots.allocate("b", 3)
    slots.release("b")
    assert slots.required_hits().tolist() == [254, 255]
    assert slots.count_type is numpy.uint8
    slots.allocate("c", 3)
    slots.allocate("d", 1)
    slots.release("d")
    slots.allocate("e", 300)
    slots.release("c")
    assert slots.count_type is numpy.int64
    free = numpy.iinfo(numpy.int64).max
    assert slots.required_hits().tolist() == [254, free, 300]
