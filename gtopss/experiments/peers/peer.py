"""The protocol of peers: other systems that answer the same subscriptions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Subscription
from ontology import Taxonomy


class Peer(Protocol):
    """Find the subscriptions that match a publication, without bindings."""

    @property
    def name(self) -> str: ...

    @property
    def tuning(self) -> str:
        """How the peer is set up, in one line that is printed with its times."""
        ...

    def declines(self, workload: Workload) -> str | None:
        """Return why the peer is not run on a workload of this kind and size, or None if it is run."""
        ...

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy) -> None:
        """Register all subscriptions. Called once."""
        ...

    def match_many(self, publications: Sequence[Publication]) -> Iterable[Iterable[str]]:
        """Return the matching ids of each publication, in the order of the publications; ids may repeat."""
        ...
