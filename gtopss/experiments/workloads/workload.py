"""A workload: subscriptions and publications that are determined by a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from gtopss.model import Publication, Subscription
from ontology import Taxonomy

SEED = 2005


@dataclass(frozen=True, slots=True)
class Workload:
    """Subscriptions and publications for one experiment.

    `subscriptions()` generates the same subscriptions at each call, so a million of them need not stay in memory.
    `publications(count)` returns the first `count` publications, always the same.
    """

    name: str
    title: str
    size: int  # number of subscriptions
    subscriptions: Callable[[], Iterator[Subscription]]
    publications: Callable[[int], list[Publication]]
    taxonomy: Taxonomy = field(default_factory=Taxonomy)
    has_text: bool = False
    """Whether it is about words: then it has peers of its own, which get titles, and our engine gets bytes."""

    @property
    def first_publication(self) -> Publication:
        """The first publication, for experiments that match one publication repeatedly."""
        return self.publications(1)[0]


def random_generator(workload: str, size: int, part: str) -> random.Random:
    """Return the random generator for one part of a workload. It is the same in every process."""
    return random.Random(f"{SEED} {workload} {size} {part}")
