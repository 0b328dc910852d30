"""What a workload is: subscriptions and publications that a seed fixes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gtopss.model import Publication, Subscription
from ontology import Taxonomy

SEED = 2005


@dataclass(frozen=True, slots=True)
class Workload:
    """Subscriptions are made anew at each call: a million of them need not be kept for those who come later."""

    name: str
    title: str
    size: int
    subscriptions: Callable[[], Iterator[Subscription]]
    publications: Callable[[int], list[Publication]]
    taxonomy: Taxonomy | None = None


def generator(workload: str, size: int, part: str) -> random.Random:
    """The source of chance for one part of a workload, the same in every process."""
    return random.Random(f"{SEED} {workload} {size} {part}")
