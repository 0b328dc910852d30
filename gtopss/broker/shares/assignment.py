"""Choose the share of a subscription, so that shares have about as many and publications go to few of them.

The papers leave open how subscriptions are divided among brokers. Here it is streaming graph partitioning:
subscriptions are the nodes, and two are adjacent if a publication of a sample fires both. A subscription gets the share
in which the most of its publications fire already, each counted less the fuller the share is: linear deterministic
greedy (Stanton and Kliot, KDD 2012). When all subscriptions are divided anew, the division is repeated once with what
the first one has found (restreaming; Nishimura and Ugander, KDD 2013).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gtopss.broker.shares.routing_keys import NO_FEATURE, Keys

SAMPLE_PUBLICATIONS = 512
"""Publications whose features are known; a new one takes the place of the oldest."""
SLACK = 1.1
"""How many times the average number of subscriptions a share may have."""
FREE_ROOM = 64
"""Subscriptions that a share may have besides, so that few subscriptions may be together."""
Places: TypeAlias = npt.NDArray[np.int16]
"""Places of publications in a sample."""


class PublicationSample:
    """The features of recent publications. Not thread-safe."""

    def __init__(self, given: Iterable[Collection[int]] = ()) -> None:
        self._features: list[Collection[int]] = []
        self._places: defaultdict[int, set[int]] = defaultdict(set)
        self._next = 0
        for features in given:
            self.add(features)

    def __len__(self) -> int:
        return len(self._features)

    def add(self, features: Collection[int]) -> int:
        """Add a publication, and return its place: that of the oldest one if there are enough."""
        place = self._next
        self._next = (place + 1) % SAMPLE_PUBLICATIONS
        if place < len(self._features):
            for each in self._features[place]:
                places = self._places[each]
                places.discard(place)
                if not places:
                    del self._places[each]
            self._features[place] = features
        else:
            self._features.append(features)
        for each in features:
            self._places[each].add(place)
        return place

    def features(self) -> Sequence[Collection[int]]:
        """Return the features of each publication, by their places."""
        return self._features

    def frequency(self, feature: int) -> float:
        """Return the part of the publications that have a feature."""
        return len(self._places.get(feature, ())) / max(1, len(self._features))

    def fired(self, keys: Keys | None) -> Places:
        """Return the places of the publications that satisfy one of the keys."""
        if keys is None:
            return np.arange(len(self._features), dtype=np.int16)
        found: set[int] = set()
        for first, second in keys:
            places = self._places.get(first, set())
            found |= places if second == NO_FEATURE else places & self._places.get(second, set())
        return np.fromiter(found, np.int16, len(found))


class Assignment:
    """Counts which publications of a sample fire in which share, and assigns subscriptions. Not thread-safe."""

    def __init__(self, count: int) -> None:
        """Begin with `count` shares that are empty."""
        self._count = count
        self.loads = [0] * count
        """Subscriptions of each share."""
        self._fired = np.zeros((count, SAMPLE_PUBLICATIONS), dtype=np.int32)

    def replace_publication(self, place: int, bits: int) -> None:
        """Note the shares that a publication fires in that has taken a place in the sample."""
        self._fired[:, place] = [bits >> share & 1 for share in range(self._count)]

    def choose(self, fired: Places, total: int, same_key: Callable[[], int] = lambda: 0) -> int:
        """Return the share for a subscription that these publications of the sample fire, of `total` in all.

        `same_key` returns the bits of shares that have one of its keys; it is asked if no publication decides.
        """
        capacity = SLACK * total / self._count + FREE_ROOM
        room = [max(0.0, 1.0 - load / capacity) for load in self.loads]
        if len(fired):
            gains = np.count_nonzero(self._fired[:, fired], axis=1)
            scores = [float(gain) * free for gain, free in zip(gains, room, strict=True)]
        else:
            bits = same_key()
            scores = [(bits >> share & 1) * free for share, free in enumerate(room)]
        best = max(scores)
        if best > 0:
            return scores.index(best)
        return self.loads.index(min(self.loads))

    def add(self, share: int, fired: Places, by: int = 1) -> None:
        """Count a subscription that these publications fire in a share; with `by` of -1, count it no longer."""
        self.loads[share] += by
        self._fired[share, fired] += by


def divide(all_keys: Sequence[Keys | None], count: int, sample: PublicationSample) -> list[int]:
    """Return the share of each subscription, when all are divided anew."""
    assignment, shares = Assignment(count), [-1] * len(all_keys)
    all_fired = [sample.fired(keys) for keys in all_keys]
    by_key: dict[int, int] = {}
    # Those that fire most first: they decide where publications go anyway, and the others follow them.
    order = sorted(range(len(all_keys)), key=lambda place: -len(all_fired[place]))
    for _ in range(2):
        for place in order:
            keys, fired = all_keys[place], all_fired[place]
            if shares[place] >= 0:
                assignment.add(shares[place], fired, -1)
            share = assignment.choose(fired, len(all_keys), lambda keys=keys: _known_bits(by_key, keys))  # type: ignore[misc]
            assignment.add(share, fired)
            shares[place] = share
            for key in keys or ():
                by_key[key.first] = by_key.get(key.first, 0) | 1 << share
    return shares


def _known_bits(by_key: dict[int, int], keys: Keys | None) -> int:
    bits = 0
    for key in keys or ():
        bits |= by_key.get(key.first, 0)
    return bits
