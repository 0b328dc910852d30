"""An Aho-Corasick automaton with a dict: what a programmer would build for keywords in forty lines of Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from gtopss.experiments.peers.needle_conjunctions import declined_without_needles, read_needles, title_of
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Subscription
from ontology import Taxonomy

LIBRARY = "ahocorasick_rs"


class AhoCorasickWithDict:
    """Find all needles of a title in one pass, and test the subscriptions whose rarest needle is among them."""

    name = "Aho-Corasick with a dict"
    tuning = f"{LIBRARY}, all needles in one automaton; a dict of the subscriptions by their rarest needle; titles only"

    def declines(self, workload: Workload) -> str | None:
        if find_spec(LIBRARY) is None:
            return f"not run: {LIBRARY} is not installed"
        return declined_without_needles(workload)

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy) -> None:
        import ahocorasick_rs

        read = read_needles(subscriptions)
        uses = Counter(needle for each in read for needle in each.needles)
        numbers = {needle: number for number, needle in enumerate(uses)}
        self._automaton: Any = ahocorasick_rs.AhoCorasick(list(numbers))
        by_rarest = defaultdict[int, list[tuple[str, tuple[int, ...]]]](list)
        for each in read:
            rarest, *others = sorted(each.needles, key=uses.__getitem__)
            by_rarest[numbers[rarest]].append((each.id, tuple(numbers[other] for other in others)))
        self._by_rarest = dict(by_rarest)

    def match_many(self, publications: Sequence[Publication]) -> Iterator[list[str]]:
        return map(self._match, publications)

    def _match(self, publication: Publication) -> list[str]:
        hits = self._automaton.find_matches_as_indexes(title_of(publication), overlapping=True)
        found = {number for number, _, _ in hits}
        candidates = (each for number in found for each in self._by_rarest.get(number, ()))
        return [id for id, others in candidates if all(other in found for other in others)]
