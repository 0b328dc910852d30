"""Read subscriptions that only test a title for needles: what the peers that search texts can answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gtopss.experiments.workloads import Workload
from gtopss.experiments.workloads.news_words import TITLE
from gtopss.model import Call, Publication, Subscription
from gtopss.model.terms import literal_parts

_NEEDLE_WORKLOADS = ("i", "i-contains")


class NeedleConjunction(NamedTuple):
    """A subscription to titles that contain all these needles, in lower case."""

    id: str
    needles: tuple[str, ...]


def declined_without_needles(workload: Workload) -> str | None:
    """Return why a peer that only searches texts is not run on a workload."""
    return None if workload.name in _NEEDLE_WORKLOADS else "not run: it only searches titles for needles"


def read_needles(subscriptions: Iterable[Subscription]) -> list[NeedleConjunction]:
    """Return the needles of subscriptions whose tests are CONTAINS(LCASE(?title), "needle")."""
    made = []
    for subscription in subscriptions:
        (branch,) = subscription.branches
        needles = []
        for test in branch.constraints():
            assert test.function == "CONTAINS", test
            needle = test.arguments[1]
            assert not isinstance(needle, Call)
            needles.append(literal_parts(needle)[0])
        made.append(NeedleConjunction(subscription.id, tuple(dict.fromkeys(needles))))
    return made


def title_of(publication: Publication) -> str:
    """Return the title of an item in lower case."""
    return next(literal_parts(o)[0] for _, p, o in publication.triples if p == TITLE).lower()
