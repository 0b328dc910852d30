"""The memory of graph matchers."""

from __future__ import annotations

from gtopss.experiments.papers.matcher_footprint import matcher_footprint
from gtopss.matching.table import MATCHERS
from gtopss.model import Subscription
from ontology import Taxonomy


def test_a_footprint_grows_and_shrinks_with_the_subscriptions() -> None:
    matcher = MATCHERS["reference"](Taxonomy([(f"c{i}", "top") for i in range(1_000)]))
    empty = matcher_footprint(matcher)
    for number in range(100):
        matcher.add(Subscription(f"s{number}", [("?x", "<urn:p>", f"<urn:{number}>")]))
    full = matcher_footprint(matcher)
    assert empty.whole < 3_000  # the taxonomy is everybody's
    assert empty.index < full.index < full.whole
    for number in range(100):
        matcher.remove(f"s{number}")
    assert matcher_footprint(matcher).index < full.index / 4
