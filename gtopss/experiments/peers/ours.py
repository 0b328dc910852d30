"""Our own matchers, by name, as peers of each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gtopss.engine import Engine
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Subscription
from ontology import Taxonomy

LARGEST = {"reference": 100_000, "naive": 10_000, "sparql": 10_000}
"""Subscriptions beyond which our slower matchers are not asked."""

TUNING = {
    "gm": "this project's, through Engine.match_many; merged into one segment before the first item",
    "sparql": "Oxigraph, in memory; one query per subscription, which stops at its first solution",
}


class Ours:
    """An engine with the matcher of that name, asked for the fact alone."""

    def __init__(self, matcher: str) -> None:
        self.name = matcher
        self.tuning = TUNING.get(matcher, "this project's, through Engine.match_many")

    def declines(self, workload: Workload) -> str | None:
        largest = LARGEST.get(self.name)
        if largest is None or workload.size <= largest:
            return None
        return f"not run above {largest:,}: time or memory grows with every subscription"

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None) -> None:
        self.engine = Engine(matcher=self.name, taxonomy=taxonomy, allow_cartesian=True)
        for refused in self.engine.add_many(subscriptions):
            raise refused
        if self.name == "gm":
            self.engine.optimise()

    def match_many(self, publications: Sequence[Publication]) -> Iterator[tuple[str, ...]]:
        return (report.subscription_ids for report in self.engine.match_many(publications, bindings=False))
