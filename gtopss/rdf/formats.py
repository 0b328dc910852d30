"""The RDF formats: names, media types and file extensions.

A new format also needs a kind in `gtopss.reading.detect` and its brackets in `gtopss.rdf.safety`. (`ontology.formats`
has a small table of its own, because that package imports nothing from this one.)
"""

from __future__ import annotations

from enum import Enum
from pathlib import PurePath

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
        self.has_named_graphs = pyoxigraph.supports_datasets

    def __str__(self) -> str:
        return self.names[0]

    @property
    def title(self) -> str:
        """The name for messages, such as "RDF/XML"."""
        return self.pyoxigraph.name

    @property
    def media_type(self) -> str:
        return self.pyoxigraph.media_type

    @classmethod
    def from_name(cls, name: str) -> RdfFormat | None:
        """Return the format with this name or media type, in any case; None if there is none.

        >>> RdfFormat.from_name("TTL"), RdfFormat.from_name("text/turtle; charset=utf-8"), RdfFormat.from_name("docx")
        (<RdfFormat.TURTLE: ...>, <RdfFormat.TURTLE: ...>, None)
        """
        return _BY_NAME.get(name.lower()) or _BY_PYOXIGRAPH.get(ox.RdfFormat.from_media_type(name))

    @classmethod
    def from_path(cls, path: PurePath | str) -> RdfFormat | None:
        """Return the format that a file's extension names, in any case; None if it names none.

        >>> RdfFormat.from_path("data/news.NQ").title, RdfFormat.from_path("README.md")
        ('N-Quads', None)
        """
        return _BY_EXTENSION.get(PurePath(path).suffix.lower())


# Tables rather than searches: the format of every publication is looked up.
_BY_NAME = {name: format for format in RdfFormat for name in format.names}
_BY_EXTENSION = {extension: format for format in RdfFormat for extension in format.extensions}
_BY_PYOXIGRAPH: dict[ox.RdfFormat | None, RdfFormat] = {format.pyoxigraph: format for format in RdfFormat}

FORMAT_NAMES = tuple(_BY_NAME)
"""Every name that a caller may use for a format."""


def require_format(format: str | RdfFormat, *, publication_id: str | None = None) -> RdfFormat:
    """Return the format with this name or media type. Raise MalformedPublication if there is none."""
    found = format if isinstance(format, RdfFormat) else RdfFormat.from_name(format)
    if found is None:
        reason = f"there is no format {format!r}: use one of {', '.join(FORMAT_NAMES)}"
        raise MalformedPublication(reason, publication_id=publication_id)
    return found
