"""Choose one item of a document by its id, its link or its number."""

from __future__ import annotations

from collections.abc import Sequence

from gtopss.errors import MalformedPublication
from gtopss.feeds.entries import entry_of
from gtopss.feeds.vocabulary import IDENTIFIER
from gtopss.model import Publication
from gtopss.model.term_text import escape_controls, shorten
from gtopss.model.terms import literal

MAX_LISTED_ITEMS = 10
"""Items that an error lists, to choose from."""
_MAX_TITLE_CHARACTERS = 70  # of an item in that list


def choose_item(items: Sequence[Publication], wanted: str | None, name: str) -> Publication:
    """Return the item that `wanted` names: its id, guid, link, or its number in the document, from 1.

    The only item of a document needs no name. Raises MalformedPublication, which lists some items to choose from.
    """
    if wanted is None:
        if len(items) == 1:
            return items[0]
        reason = f"it has {len(items)} items: choose one with --item NUMBER, ID or LINK" if items else "it has no items"
        raise MalformedPublication(reason + _listed(items), publication_id=name)
    found = [item for item in items if wanted in (item.id, entry_of(item).link)]
    found = found or [
        item for item in items if any(p == IDENTIFIER and o == literal(wanted) for _, p, o in item.triples)
    ]
    if found:
        return found[0]
    if wanted.isdecimal() and 1 <= int(wanted[:9]) <= len(items):
        return items[int(wanted[:9]) - 1]
    reason = f"none of its {len(items)} items has the id, link or number {wanted[:200]!r}"
    raise MalformedPublication(reason + _listed(items), publication_id=name)


def _listed(items: Sequence[Publication]) -> str:
    lines = [
        f"\n  {number}  {escape_controls(shorten(entry_of(item).title, _MAX_TITLE_CHARACTERS))}"
        for number, item in enumerate(items[:MAX_LISTED_ITEMS], start=1)
    ]
    return "".join(lines) + (f"\n  ... and {len(items) - MAX_LISTED_ITEMS} more" if items[MAX_LISTED_ITEMS:] else "")
