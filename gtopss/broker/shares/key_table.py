"""The routing keys of all subscriptions, with the shares that each fires in: 24 bytes for each distinct key.

Keys are added, and never removed: a table that has more than the subscriptions require routes more publications, and
loses none. The router builds a new table now and then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import chain

import numpy as np
import numpy.typing as npt

from gtopss.broker.shares.routing_keys import NO_FEATURE, Keys, RoutingKey

MAX_ADDED = 4_096
"""Keys that are added one by one before they are merged into the arrays."""
_Array = npt.NDArray[np.uint64]


class KeyTable:
    """A set of (key, share). Not thread-safe."""

    def __init__(self, rows: Iterable[tuple[int, Keys | None]] = ()) -> None:
        """`rows` are bits of shares, and keys of which one must be satisfied; None for no condition."""
        self.always = 0
        """Bits of the shares that every publication is routed to."""
        self._added: dict[int, dict[int, int]] = {}
        self._added_count = 0
        flat = chain.from_iterable(self._flat(bits, keys) for bits, keys in rows)
        self._firsts, self._seconds, self._bits = _merged(np.fromiter(flat, dtype=np.uint64).reshape(-1, 3))

    def _flat(self, bits: int, keys: Keys | None) -> Iterable[int]:
        if keys is None:
            self.always |= bits
            return ()
        return chain.from_iterable((first, second, bits) for first, second in keys)

    def __len__(self) -> int:
        """Return how many distinct keys there are, those that were added last maybe twice."""
        return len(self._firsts) + self._added_count

    def add(self, bits: int, keys: Keys | None) -> None:
        """Add the keys of a subscription in the shares of these bits."""
        if keys is None:
            self.always |= bits
            return
        for first, second in keys:
            seconds = self._added.setdefault(first, {})
            self._added_count += second not in seconds
            seconds[second] = seconds.get(second, 0) | bits
        if self._added_count > MAX_ADDED:
            self._merge()

    def bits_of_key(self, key: RoutingKey) -> int:
        """Return the bits of the shares that have this very key."""
        bits = self._added.get(key.first, {}).get(key.second, 0)
        start, end = np.searchsorted(self._firsts, np.array([key.first, key.first + 1], dtype=np.uint64))
        for place in range(start, end):
            if int(self._seconds[place]) == key.second:
                bits |= int(self._bits[place])
        return bits

    def bits_of(self, features: Collection[int]) -> int:
        """Return the bits of the shares in which a publication with these features may fire."""
        bits = self.always
        if self._added:
            for first in self._added.keys() & features:
                for second, of_key in self._added[first].items():
                    if second == NO_FEATURE or second in features:
                        bits |= of_key
        if not len(self._firsts):
            return bits
        asked = np.fromiter(features, dtype=np.uint64, count=len(features))
        starts = np.searchsorted(self._firsts, asked)
        inside = starts < len(self._firsts)
        hit = self._firsts[starts[inside]] == asked[inside]
        for start, first in zip(starts[inside][hit].tolist(), asked[inside][hit].tolist(), strict=True):
            end = start
            while end < len(self._firsts) and int(self._firsts[end]) == first:
                second = int(self._seconds[end])
                if second == NO_FEATURE or second in features:
                    bits |= int(self._bits[end])
                end += 1
        return bits

    def nbytes(self) -> int:
        """Return the bytes of the arrays."""
        return self._firsts.nbytes + self._seconds.nbytes + self._bits.nbytes

    def _merge(self) -> None:
        added = [(first, second, bits) for first, seconds in self._added.items() for second, bits in seconds.items()]
        old = np.stack([self._firsts, self._seconds, self._bits], axis=1)
        self._firsts, self._seconds, self._bits = _merged(np.concatenate([old, np.array(added, dtype=np.uint64)]))
        self._added, self._added_count = {}, 0


def _merged(rows: _Array) -> tuple[_Array, _Array, _Array]:
    """Return firsts, seconds and bits, in the order of keys, each key once."""
    if not len(rows):
        empty = np.zeros(0, dtype=np.uint64)
        return empty, empty, empty
    rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    is_new = np.ones(len(rows), dtype=bool)
    is_new[1:] = np.any(rows[1:, :2] != rows[:-1, :2], axis=1)
    starts = np.flatnonzero(is_new)
    bits = np.bitwise_or.reduceat(rows[:, 2], starts)
    return rows[starts, 0].copy(), rows[starts, 1].copy(), bits
