"""Identifiers of items and channels, and digests of what items say. The same item has the same id at each fetch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from gtopss.feeds.iris import absolute_iri, is_global_identifier
from gtopss.feeds.namespaces import GTOPSS
from gtopss.feeds.vocabulary import ITEM, PART_OF
from gtopss.model.terms import RDF_TYPE, Term, Triple, is_blank


def item_id(guid: str | None, link: str | None, channel: bytes, *parts: str | None) -> str:
    """Return the id of an item: its own identifier, else its link, else a digest of `channel` and `parts`.

    `channel` is the line of the channel's node.
    An identifier that is meaningful only within its feed (`12345`) is digested with the channel.
    """
    if guid:
        found = absolute_iri(guid) if is_global_identifier(guid) else None
        return found or f"{GTOPSS}item:{_digest(channel[:-1].decode(), guid)}"
    found = absolute_iri(link) if link else None
    return found or f"{GTOPSS}item:{_digest(channel[:-1].decode(), *parts)}"


def channel_node(id: str | None, link: str | None, source: str | None, title: str | None, base: str | None) -> Term:
    """Return the node of a channel: its id, its link, the document's base or source, or a digest of all of them."""
    for candidate in (id if id and is_global_identifier(id) else None, link, base, source):
        found = absolute_iri(candidate, base) if candidate else None
        if found:
            return Term(f"<{found}>")
    return Term(f"<{GTOPSS}channel:{_digest(id, link, source, title)}>")


def content_digest(triples: Iterable[Triple]) -> bytes:
    """Return a digest of what a publication says about its item, or of all its triples if it is no item of a feed.

    What is said about the channel does not count, because it changes with every other item: the channel's date, and
    the item's place in its list. Blank nodes count as equal, because a reader may number them differently.
    """
    about: dict[Term, list[Triple]] = {}
    subject = None
    for triple in triples:
        about.setdefault(triple[0], []).append(triple)
        if triple[1] == RDF_TYPE and triple[2] == ITEM:
            subject = triple[0]
    reached = list(about) if subject is None else [subject]
    seen = set(reached)
    lines = []
    for node in reached:  # grows while it is read
        for triple in about.get(node, ()):
            lines.append(" ".join("_:" if is_blank(term) else term for term in triple))
            if triple[1] != PART_OF and triple[2] in about and triple[2] not in seen:
                seen.add(triple[2])
                reached.append(triple[2])
    return hashlib.sha256("\n".join(sorted(lines)).encode("utf-8", "replace")).digest()[:16]


def _digest(*parts: str | None) -> str:
    joined = "\0".join(part or "" for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:32]
