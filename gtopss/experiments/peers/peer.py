"""What a peer is: another way to answer the same question, set up as well as we know how."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Subscription
from ontology import Taxonomy


class Peer(Protocol):
    """Answers which subscriptions a publication satisfies; solutions are not asked of it."""

    @property
    def name(self) -> str: ...

    @property
    def tuning(self) -> str:
        """How it was set up, in a line that is printed beside its times."""
        ...

    def declines(self, workload: Workload) -> str | None:
        """Why it is not run on a workload of this kind and size; None if it is."""
        ...

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None) -> None:
        """Register all of them; called once."""
        ...

    def match_many(self, publications: Sequence[Publication]) -> Iterable[Iterable[str]]:
        """The ids that each publication satisfies, in the order of the publications, each id once or more."""
        ...
