"""Divide an engine that is too large for one broadcast into several, each with part of the subscriptions."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator

from gtopss.engine import Engine
from gtopss.errors import NeverMatches
from gtopss.model import Subscription
from gtopss.model.terms import is_variable

MAX_BROADCAST_INDEX_BYTES = 512 * 2**20  # of the index's arrays in one broadcast; a larger index is divided


def shards_needed(engine: Engine) -> int:
    """Return the number of engines whose indexes each fit into a broadcast."""
    return -(-engine.index_bytes() // MAX_BROADCAST_INDEX_BYTES) or 1


def shards(engine: Engine, count: int) -> Iterator[Engine]:
    """Yield `count` engines with the same settings that share out the subscriptions: together they match the same.

    Subscriptions with the same access edge stay together, because an index stores that edge once. Subscriptions with
    operators stay together, because they share calls. Groups are assigned by size, the largest first, each to the
    engine that has the fewest subscriptions.
    """
    with_operators = set(engine.operator_subscription_ids())
    groups: dict[Hashable, list[str]] = {}
    for each in engine.subscriptions():
        groups.setdefault(None if each.id in with_operators else _access_edge(each), []).append(each.id)
    parts: list[list[str]] = [[] for _ in range(count)]
    for group in sorted(groups.values(), key=len, reverse=True):
        min(parts, key=len).extend(group)
    for ids in parts:
        part = engine.without_subscriptions()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NeverMatches)  # already reported when they were first registered
            part.add_many(map(engine.subscription, ids))
        yield part


def _access_edge(subscription: Subscription) -> Hashable:
    """Return the most selective edge of the first branch, by the number of variables, without their names."""
    edges = [
        tuple("?" if is_variable(part) else part for part in each.edge()) for each in subscription.branches[0].tuples
    ]
    return min(edges, key=lambda edge: (edge.count("?"), edge), default=())
