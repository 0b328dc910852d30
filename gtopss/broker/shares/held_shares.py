"""The shares that this broker holds: an engine for each.

A broker takes a share that nobody holds, or else the one with the fewest holders, and says in the store that it holds
it until a time, which it extends. The share of a broker that ended is free when its time is over. A broker takes more
than one share only if `max_shares` allows it; a share that nobody holds keeps its publications until somebody does.
Holding is no lock: two brokers may hold a share, and share its publications by lease.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection
from typing import NamedTuple

from sqlalchemy import Connection

from gtopss.broker.engine_follower import EngineFollower, FollowedShare
from gtopss.broker.store import route_rows, share_rows
from gtopss.broker.store.share_rows import Division, Holder
from gtopss.broker.store.store import Store

BEATS_PER_LEASE = 3
"""How often a broker says that it holds its shares before its time would be over."""
_log = logging.getLogger(__name__)


class HeldShare(NamedTuple):
    """A share of the current division, and the engine with its subscriptions."""

    epoch: int
    share: int
    follower: EngineFollower


class ShareStatus(NamedTuple):
    """What is known about a share."""

    share: int
    subscriptions: int
    holders: tuple[str, ...]
    waiting: int
    """Publications that are routed to it and not matched yet."""


class HeldShares:
    """Holds shares for a broker. Thread-safe."""

    def __init__(
        self,
        store: Store,
        clock: Callable[[], float],
        *,
        broker_id: str,
        whole: EngineFollower,
        new_follower: Callable[[FollowedShare], EngineFollower],
        max_shares: int,
        lease: float,
    ) -> None:
        """`whole` has all subscriptions, and is used while there is one share."""
        self._store, self._clock, self._broker_id = store, clock, broker_id
        self._whole, self._new_follower, self._max_shares, self._lease = whole, new_follower, max_shares, lease
        self._lock = threading.Lock()
        self._division: Division | None = None
        self._held: tuple[HeldShare, ...] = (HeldShare(0, 0, whole),)
        self._refreshed_at = -lease
        self._uncovered: frozenset[int] = frozenset()
        self._has_warned = False

    def current(self) -> tuple[HeldShare, ...]:
        """Return the shares that this broker holds, as of the last refresh."""
        if self._division is None:
            self.refresh()
        return self._held

    def known(self) -> tuple[HeldShare, ...]:
        """Return the same without asking the store, which may be away."""
        return self._held

    def refresh_if_due(self) -> int:
        """Refresh after a part of the lease, or if the division has changed. Return 0: one call does all."""
        due = self._clock() - self._refreshed_at >= self._lease / BEATS_PER_LEASE
        if due or self._division is None or self._store.read(share_rows.division)[:2] != self._division[:2]:
            self.refresh()
        return 0

    def refresh(self) -> None:
        """Hold shares for another while, take free ones, and notice that another broker or division has come."""
        with self._lock:
            division, mine, uncovered = self._store.write(self._hold)
            self._refreshed_at = self._clock()
            before = {each[:2]: each for each in self._held}
            if division.shares == 1:
                self._held = (HeldShare(division.epoch, 0, self._whole),)
            else:
                held = [before.get((division.epoch, share)) for share in sorted(mine)]
                self._held = tuple(
                    each or self._new_share(division, share) for each, share in zip(held, sorted(mine), strict=True)
                )
                self._whole.reset()
            if {each[:2] for each in self._held} != before.keys():
                _log.info("holding shares %s of %d", sorted(mine), division.shares, extra={"broker": self._broker_id})
            self._warn_of(uncovered, division)
            self._division = division

    def _new_share(self, division: Division, share: int) -> HeldShare:
        return HeldShare(division.epoch, share, self._new_follower(FollowedShare(division, share)))

    def is_divided(self) -> bool:
        """Return whether there are several shares, or have been: publications may wait to be routed."""
        return self._division is not None and self._division.epoch > 0

    def _warn_of(self, uncovered: frozenset[int], division: Division) -> None:
        """Warn once of shares that nobody has held for a while; after a division, others take theirs a little later."""
        if uncovered and uncovered == self._uncovered and not self._has_warned:
            self._has_warned = True
            _log.warning(
                "no broker holds the shares %s of %d: their publications wait. Start another broker, or raise "
                "max_shares of one",
                sorted(uncovered),
                division.shares,
            )
        elif uncovered != self._uncovered:
            self._has_warned = False
        self._uncovered = uncovered

    def release(self) -> None:
        """Let others take the shares at once."""
        if self._division is not None and self._division.shares > 1:
            self._store.write(lambda connection: share_rows.set_held(connection, 0, self._broker_id, (), 0.0))

    def status(self) -> list[ShareStatus]:
        """Return what is known about each share."""
        return self._store.read(lambda connection: read_status(connection, self._clock()))

    def _hold(self, connection: Connection) -> tuple[Division, frozenset[int], frozenset[int]]:
        now = self._clock()
        division = share_rows.division(connection)
        if division.epoch:
            route_rows.reroute_stale(connection, division.epoch, now)
            # The last epoch is kept: a broker that has not noticed the new one may still use it.
            share_rows.delete_epochs_before(connection, division.epoch - 1)
        if division.shares == 1:
            return division, frozenset({0}), frozenset()
        division = share_rows.division(connection, lock=True)  # two brokers do not take the same share
        share_rows.forget_holders(connection, now)
        known = share_rows.holders(connection, division.epoch, now)
        others = [each for each in known if each.broker != self._broker_id]
        held = {each.share for each in known if each.broker == self._broker_id}
        mine = chosen_shares(division.shares, held, others, self._max_shares)
        share_rows.set_held(connection, division.epoch, self._broker_id, mine, now + self._lease)
        covered = mine | {each.share for each in others}
        return division, frozenset(mine), frozenset(set(range(division.shares)) - covered)


def read_status(connection: Connection, now: float) -> list[ShareStatus]:
    """Return what is known about each share."""
    division = share_rows.division(connection)
    holders = share_rows.holders(connection, division.epoch, now)
    loads, waiting = share_rows.loads(connection, division), share_rows.waiting(connection)
    return [
        ShareStatus(
            share, loads[share], tuple(each.broker for each in holders if each.share == share), waiting.get(share, 0)
        )
        for share in range(division.shares)
    ]


def chosen_shares(count: int, held: Collection[int], others: Collection[Holder], max_shares: int) -> set[int]:
    """Return the shares that a broker holds from now on, by those that it held and those of others.

    >>> chosen_shares(3, {0}, [Holder(0, "b", 9.0), Holder(1, "b", 9.0)], 1)
    {2}
    """
    counts = [sum(each.share == share for each in others) for share in range(count)]
    mine = set(held)
    while uncovered := [share for share in range(count) if not counts[share] and share not in mine]:
        spare = [share for share in sorted(mine) if counts[share]]
        if len(mine) >= max_shares and not spare:
            break
        if len(mine) >= max_shares:
            mine.remove(spare[0])
        mine.add(uncovered[0])
    if not mine:
        mine.add(counts.index(min(counts)))
    return mine
