"""Our own matchers as peers of each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gtopss.engine import Engine
from gtopss.experiments.workloads import Workload
from gtopss.matching.table import MATCHERS
from gtopss.model import Publication, Subscription
from ontology import Taxonomy

MAX_SUBSCRIPTIONS = {"reference": 100_000, "naive": 10_000, "sparql": 10_000}
"""Sizes above which our slower matchers are not run."""

TUNING = {
    "gm": "this project, through Engine.match_batch, one thread; merged into one segment before the first item",
    "sparql": "Oxigraph, in memory; one query per subscription, which stops at its first solution",
}


class GtopssPeer:
    """An engine with the matcher of that name, without bindings."""

    def __init__(self, matcher: str) -> None:
        self.name = matcher
        self.tuning = TUNING.get(matcher, "this project, through Engine.match_batch")

    def declines(self, workload: Workload) -> str | None:
        largest = MAX_SUBSCRIPTIONS.get(self.name)
        if largest is None or workload.size <= largest:
            return None
        return f"not run above {largest:,}: time or memory grows with the number of subscriptions"

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy) -> None:
        self.engine = Engine(matcher=self.name, taxonomy=taxonomy, allow_cartesian=True, threads=1)
        for refused in self.engine.add_many(subscriptions):
            raise refused
        if MATCHERS[self.name].capabilities.segments:
            self.engine.optimise()

    def match_many(self, publications: Sequence[Publication]) -> Iterator[tuple[str, ...]]:
        return self.engine.match_batch(publications, bindings=False).ids()

    def match_documents(self, documents: Sequence[bytes]) -> Iterator[tuple[str, ...]]:
        return self.engine.match_batch(documents, "nt", bindings=False).ids()

    def match_to_arrays(self, documents: Sequence[bytes]) -> list[Any]:
        """Return the numbers of publications and subscriptions, and the ids of the subscriptions."""
        found = self.engine.match_batch(documents, "nt", bindings=False)
        return [found.publication, found.subscription, found.subscription_ids]

    def rows_of_documents(self, documents: Sequence[bytes]) -> list[object]:
        """Return the solutions of all matches."""
        reports = self.engine.match_batch(documents, "nt").reports()
        return [match.rows for report in reports for match in report]


def document_of(publication: Publication) -> bytes:
    """Return a publication as an N-Triples document."""
    return "".join([f"{' '.join(triple)} .\n" for triple in publication.triples]).encode()
