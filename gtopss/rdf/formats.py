"""The RDF formats: names, media types and file extensions. Add a format here and nowhere else.

(`ontology.documents` has a small table of its own, because that package imports nothing from this one.)
"""

from __future__ import annotations

from enum import Enum
from pathlib import PurePath
from typing import Self

import pyoxigraph as ox

from gtopss.errors import MalformedPublication


class RdfFormat(Enum):
    """An RDF format: its accepted names (the first one is canonical), its file extensions and its pyoxigraph format."""

    TURTLE = ("turtle", "ttl"), (".ttl", ".turtle"), ox.RdfFormat.TURTLE
    N_TRIPLES = ("ntriples", "nt"), (".nt",), ox.RdfFormat.N_TRIPLES
    N3 = ("n3",), (".n3",), ox.RdfFormat.N3
    RDF_XML = ("rdfxml", "xml", "rdf"), (".rdf", ".xml", ".owl", ".rss"), ox.RdfFormat.RDF_XML
    JSON_LD = ("json-ld", "jsonld"), (".jsonld", ".json"), ox.RdfFormat.JSON_LD
    N_QUADS = ("nquads", "nq"), (".nq", ".nquads"), ox.RdfFormat.N_QUADS
    TRIG = ("trig",), (".trig",), ox.RdfFormat.TRIG

    def __init__(self, names: tuple[str, ...], extensions: tuple[str, ...], pyoxigraph: ox.RdfFormat) -> None:
        self.names, self.extensions, self.pyoxigraph = names, extensions, pyoxigraph

    def __str__(self) -> str:
        return self.names[0]

    @property
    def title(self) -> str:
        """The name for messages, such as "RDF/XML"."""
        return self.pyoxigraph.name

    @property
    def media_type(self) -> str:
        return self.pyoxigraph.media_type

    @property
    def has_named_graphs(self) -> bool:
        return self.pyoxigraph.supports_datasets

    @classmethod
    def from_name(cls, name: str) -> Self | None:
        """Return the format with this name or media type, in any case; None if there is none.

        >>> RdfFormat.from_name("TTL"), RdfFormat.from_name("text/turtle; charset=utf-8"), RdfFormat.from_name("docx")
        (<RdfFormat.TURTLE: ...>, <RdfFormat.TURTLE: ...>, None)
        """
        lower = name.lower()
        found = next((each for each in cls if lower in each.names), None)
        if found is not None:
            return found
        syntax = ox.RdfFormat.from_media_type(name)
        return next((each for each in cls if each.pyoxigraph == syntax), None)

    @classmethod
    def from_path(cls, path: PurePath | str) -> Self | None:
        """Return the format that a file's extension names, in any case; None if it names none.

        >>> RdfFormat.from_path("data/news.NQ").title, RdfFormat.from_path("README.md")
        ('N-Quads', None)
        """
        suffix = PurePath(path).suffix.lower()
        return next((each for each in cls if suffix in each.extensions), None)


FORMAT_NAMES = tuple(name for format in RdfFormat for name in format.names)
"""Every name that a caller may use for a format."""


def require_format(format: str | RdfFormat, *, publication_id: str | None = None) -> RdfFormat:
    """Return the format with this name or media type. Raise MalformedPublication if there is none."""
    found = format if isinstance(format, RdfFormat) else RdfFormat.from_name(format)
    if found is None:
        reason = f"there is no format {format!r}: use one of {', '.join(FORMAT_NAMES)}"
        raise MalformedPublication(reason, publication_id=publication_id)
    return found
