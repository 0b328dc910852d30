"""Find what nearly matched: the subscriptions nearest to an item, and the item nearest to a subscription."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.explain import Explanation
from gtopss.explain.closeness import closeness
from gtopss.feeds.entries import entry_of
from gtopss.model import Publication
from gtopss.model.term_text import escape_controls, shorten

MAX_EXPLAINED_SUBSCRIPTIONS = 1_000
"""Subscriptions of an engine for which `nearest_subscriptions` may be called: it explains all of them."""

_MAX_TITLE_CHARACTERS = 100  # of a title that is shown


def nearest_subscriptions(engine: Engine, publication: Publication, most: int) -> list[Explanation]:
    """Explain the subscriptions that an item nearly matched, the nearest first. Those that match are left out.

    A subscription is near if some part of its pattern matches. Raises GtopssError if there are too many.
    """
    if len(engine) > MAX_EXPLAINED_SUBSCRIPTIONS:
        limit = f"{MAX_EXPLAINED_SUBSCRIPTIONS:,} (MAX_EXPLAINED_SUBSCRIPTIONS)"
        raise GtopssError(f"finding the nearest subscriptions (--near) is limited to {limit} subscriptions")
    explained = _explained(engine, [publication], (each.id for each in engine.subscriptions()))
    near = [each for each in explained if not each.matched and each.branches[0].matched_edges]
    return sorted(near, key=_distance)[:most]


def nearest_item(engine: Engine, subscription_id: str, items: Sequence[Publication]) -> Explanation | None:
    """Explain the item that came nearest to a subscription; None if there is no item."""
    return next(iter(nearest_items(engine, subscription_id, items, 1)), None)


def nearest_items(engine: Engine, subscription_id: str, items: Sequence[Publication], most: int) -> list[Explanation]:
    """Explain the items that came nearest to a subscription, the nearest first."""
    return sorted(_explained(engine, items, [subscription_id]), key=_distance)[:most]


def item_title(publication: Publication) -> str:
    """Return the title of an item, for a terminal."""
    return escape_controls(shorten(entry_of(publication).title, _MAX_TITLE_CHARACTERS))


def _explained(engine: Engine, items: Sequence[Publication], ids: Iterable[str]) -> list[Explanation]:
    found = (engine.explain(item, id) for id in ids for item in items)
    return [each for each in found if each.branches]


def _distance(explanation: Explanation) -> tuple[int, ...]:
    return closeness(explanation.branches[0])[:-1]  # without the number of the branch
