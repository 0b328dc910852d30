"""Shapes of subscriptions."""

from __future__ import annotations

from gtopss.experiments.peers.subscription_shapes import group_by_shape, split_shape
from gtopss.model import Subscription


def test_a_shape_does_not_depend_on_edge_order_or_variable_names() -> None:
    one = Subscription("s", [("?x", "<urn:p>", "<urn:a>"), ("?x", "<urn:q>", "?y")])
    other = Subscription("t", [("?b", "<urn:q>", "?c"), ("?b", "<urn:p>", "<urn:z>")])
    assert split_shape(one)[0] == split_shape(other)[0]
    assert split_shape(one)[1] == ("<urn:a>",)
    ids, (group,) = group_by_shape([one, other])
    assert ids == ["s", "t"]
    assert group.rows == [(0, ("<urn:a>",)), (1, ("<urn:z>",))]
