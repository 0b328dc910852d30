"""News items and subscriptions to them."""

from __future__ import annotations

from gtopss.experiments.workloads import few_shapes


def test_news_items_have_twenty_triples_and_subscriptions_the_requested_edges() -> None:
    assert {len(each.triples) for each in few_shapes(1_000).publications(20)} == {20}
    assert {len(each.branches[0].edges()) for each in few_shapes(100, edges=4).subscriptions()} == {4}
