"""Identifiers of items and channels. The same item has the same id at each fetch."""

from __future__ import annotations

import hashlib

from gtopss.feeds.iris import absolute_iri, is_global_identifier
from gtopss.feeds.namespaces import GTOPSS
from gtopss.model.terms import Term


def item_id(guid: str | None, link: str | None, channel: str, *parts: str | None) -> str:
    """Return the id of an item: its own identifier, else its link, else a digest of `channel` and `parts`.

    An identifier that is meaningful only within its feed (`12345`) is digested with the channel.
    """
    if guid:
        found = absolute_iri(guid) if is_global_identifier(guid) else None
        return found or f"{GTOPSS}item:{_digest(channel, guid)}"
    found = absolute_iri(link) if link else None
    return found or f"{GTOPSS}item:{_digest(channel, *parts)}"


def channel_node(id: str | None, link: str | None, source: str | None, title: str | None, base: str | None) -> Term:
    """Return the node of a channel: its id, its link, the document's base or source, or a digest of all of them."""
    for candidate in (id if id and is_global_identifier(id) else None, link, base, source):
        found = absolute_iri(candidate, base) if candidate else None
        if found:
            return Term(f"<{found}>")
    return Term(f"<{GTOPSS}channel:{_digest(id, link, source, title)}>")


def _digest(*parts: str | None) -> str:
    joined = "\0".join(part or "" for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:32]
