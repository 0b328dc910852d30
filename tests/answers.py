"""Answers in a form that can be compared: sets of (subscription, solutions), never counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gtopss import Engine
from gtopss.model import MatchReport, Publication, Subscription
from ontology import Taxonomy


def answers(report: MatchReport) -> dict[str, Counter[frozenset[tuple[str, str]]]]:
    """Each matching subscription with its solutions as a multiset."""
    return {
        match.subscription_id: Counter(
            frozenset((name, value.n3()) for name, value in solution.items()) for solution in match.bindings
        )
        for match in report
    }


def ask(
    matcher: str, taxonomy: Taxonomy, subscriptions: Iterable[Subscription], publication: Publication
) -> dict[str, Counter[frozenset[tuple[str, str]]]]:
    engine = Engine(matcher=matcher, taxonomy=taxonomy, allow_cartesian=True)
    for subscription in subscriptions:
        engine.add(subscription)
    return answers(engine.match(publication))
