"""Answers in a form that can be compared: sets of (subscription, solutions), never counts."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable

from gtopss import MATCHERS, Engine
from gtopss.errors import NeverMatches
from gtopss.model import MatchReport, Publication, Subscription
from gtopss.semantics.lenient_literals import LiteralRules
from ontology import Taxonomy


def answers(report: MatchReport) -> dict[str, Counter[frozenset[tuple[str, str]]]]:
    """Each matching subscription with its solutions as a multiset."""
    return {match.subscription_id: Counter(frozenset(row.items()) for row in match.rows) for match in report}


def ask(
    matcher: str,
    taxonomy: Taxonomy,
    subscriptions: Iterable[Subscription],
    publication: Publication,
    literals: LiteralRules = "sparql",
) -> dict[str, Counter[frozenset[tuple[str, str]]]]:
    """What the engine answers with this matcher."""
    engine = Engine(matcher=matcher, taxonomy=taxonomy, allow_cartesian=True, literals=literals)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NeverMatches)
        for subscription in subscriptions:
            engine.add(subscription)
    return answers(engine.match(publication))


def ask_directly(
    matcher: str,
    taxonomy: Taxonomy,
    subscriptions: Iterable[Subscription],
    publication: Publication,
    literals: LiteralRules = "sparql",
) -> dict[str, Counter[frozenset[tuple[str, str]]]]:
    """What the matcher itself answers, to the subscriptions as they are written: no normalising before it."""
    made = MATCHERS[matcher](taxonomy, literals=literals)
    for subscription in subscriptions:
        made.add(subscription)
    return answers(made.match(publication))
