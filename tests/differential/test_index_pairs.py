"""Many subscriptions in one index, many publications through it in one batch, against pyoxigraph's SPARQL.

Small cases (`test_matchers_agree`) find mistakes of meaning; what they cannot find is one subscription in the way of
another: shared patterns, split lists, trees of bounds, batches. Here all pairs of forty subscriptions and ten
publications are compared at once, 200,000 pairs in the long run.
"""

from __future__ import annotations

from collections import Counter

from conftest import SOAK
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.answers import answers
from support.strategies import CANONICAL, publications, subscriptions, taxonomies

from gtopss import MATCHERS, Publication, Subscription
from gtopss.matching.index.matcher import IndexMatcher
from ontology import Taxonomy

PUBLICATIONS, SUBSCRIPTIONS = 10, 40


@st.composite
def crowds(draw: st.DrawFn) -> tuple[Taxonomy, list[Subscription], list[Publication]]:
    taxonomy = draw(taxonomies())
    events = [
        Publication.trusted(f"p{i}", draw(publications(CANONICAL)).triples, published_at=None)
        for i in range(PUBLICATIONS)
    ]
    interests = [draw(subscriptions(events[i % PUBLICATIONS], f"s{i}", CANONICAL)) for i in range(SUBSCRIPTIONS)]
    return taxonomy, interests, events


def test_all_pairs_agree_with_oxigraph() -> None:
    tally: Counter[str] = Counter()

    @settings(max_examples=500 if SOAK else 25, suppress_health_check=list(HealthCheck), deadline=None)
    @given(crowds())
    def agree(crowd: tuple[Taxonomy, list[Subscription], list[Publication]]) -> None:
        taxonomy, interests, events = crowd
        fast, slow = IndexMatcher(taxonomy), MATCHERS["sparql"](taxonomy)
        for interest in interests:
            fast.add(interest)
            slow.add(interest)
        for event, report in zip(events, fast.match_many(events), strict=True):
            expected = answers(slow.match(event))
            assert answers(report) == expected
            tally["pairs"] += len(interests)
            tally["matching"] += len(expected)

    agree()
    assert tally["pairs"] >= (200_000 if SOAK else 10_000)
    assert tally["matching"] >= tally["pairs"] // 100, tally
