"""The data model of feeds: what every feed format says about an item and about its channel.

Every reader fills `Item` and `Channel`; `gtopss.feeds.triples` turns them into the lines of triples. Texts and dates
are kept as they were written, except that a reader has applied `gtopss.feeds.text.clean_text` or its equal to each.

These classes are not frozen, because that makes them four times as slow to create. Nothing changes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Lines = list[bytes]
"""The terms of triples, each as a line of N-Triples' text with its newline: subject, property, object, and so on."""
ModuleLines = Callable[[bytes], Lines]
"""Returns the triples of an element's module elements, given the line of the subject that they describe."""


@dataclass(slots=True)
class Person:
    """An author of an item or a channel."""

    name: str | None = None
    uri: str | None = None
    email: str | None = None


@dataclass(slots=True)
class Category:
    """A category: its term, the IRI of its scheme, and a label for readers."""

    term: str
    scheme: str | None = None
    label: str | None = None


@dataclass(slots=True)
class Link:
    """A link besides the item's own: an enclosure, or an Atom link with its `rel`."""

    href: str
    rel: str
    type: str | None = None
    length: str | None = None


@dataclass(slots=True, kw_only=True)
class Item:
    """One item of a feed."""

    guid: str | None = None
    link: str | None = None
    title: str | None = None
    description: str | None = None
    contents: tuple[str, ...] = ()
    people: tuple[Person, ...] = ()
    published: str | None = None
    updated: str | None = None
    modified: str | None = None  # `updated` again, if the format means a later change by it
    categories: tuple[Category, ...] = ()
    links: tuple[Link, ...] = ()
    language: str | None = None
    rights: str | None = None
    module_lines: ModuleLines | None = None


@dataclass(slots=True, kw_only=True)
class Channel:
    """The feed itself: what it says about all its items together."""

    id: str | None = None
    link: str | None = None
    title: str | None = None
    description: str | None = None
    people: tuple[Person, ...] = ()
    updated: str | None = None
    categories: tuple[Category, ...] = ()
    links: tuple[Link, ...] = ()
    language: str | None = None
    rights: str | None = None
    image: str | None = None
    generator: str | None = None
    module_lines: ModuleLines | None = None
