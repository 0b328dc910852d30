"""Our own matchers as peers of each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gtopss.engine import MATCHERS, Engine
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Subscription
from ontology import Taxonomy

MAX_SUBSCRIPTIONS = {"reference": 100_000, "naive": 10_000, "sparql": 10_000}
"""Sizes above which our slower matchers are not run."""

TUNING = {
    "gm": "this project, through Engine.match_many; merged into one segment before the first item",
    "sparql": "Oxigraph, in memory; one query per subscription, which stops at its first solution",
}


class GtopssPeer:
    """An engine with the matcher of that name, without bindings."""

    def __init__(self, matcher: str) -> None:
        self.name = matcher
        self.tuning = TUNING.get(matcher, "this project, through Engine.match_many")

    def declines(self, workload: Workload) -> str | None:
        largest = MAX_SUBSCRIPTIONS.get(self.name)
        if largest is None or workload.size <= largest:
            return None
        return f"not run above {largest:,}: time or memory grows with the number of subscriptions"

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy) -> None:
        self.engine = Engine(matcher=self.name, taxonomy=taxonomy, allow_cartesian=True)
        for refused in self.engine.add_many(subscriptions):
            raise refused
        if MATCHERS[self.name].capabilities.segments:
            self.engine.optimise()

    def match_many(self, publications: Sequence[Publication]) -> Iterator[tuple[str, ...]]:
        return (report.subscription_ids for report in self.engine.match_many(publications, bindings=False))


class GtopssPeerOnBytes(GtopssPeer):
    """The same, from N-Triples documents: reading them is part of the time, as it is in a stream."""

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy) -> None:
        super().prepare(subscriptions, taxonomy)
        self._documents: dict[str, bytes] = {}

    def match_many(self, publications: Sequence[Publication]) -> Iterator[tuple[str, ...]]:
        documents = [self._document(each) for each in publications]
        return (report.subscription_ids for report in self.engine.match_many(documents, "nt", bindings=False))

    def _document(self, publication: Publication) -> bytes:
        """Return the document of a publication, which is written when it is first matched."""
        document = self._documents.get(publication.id)
        if document is None:
            lines = (f"{' '.join(triple)} .\n" for triple in publication.triples)
            document = self._documents[publication.id] = "".join(lines).encode()
        return document
