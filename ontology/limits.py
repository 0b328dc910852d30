"""The limits of documents from strangers: every reader of this project uses this one object."""

from __future__ import annotations

from dataclasses import dataclass, fields

__all__ = ["DEFAULT_LIMITS", "DocumentLimits"]


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """What a document may contain, and how much text its triples may take. Beyond these limits it is refused."""

    max_depth: int = 256
    """Brackets inside brackets, or XML elements inside elements. RDF/XML nests by two for each blank node in a blank
    node. Parsers recurse on some of these, and crash where their stack ends."""
    max_attributes: int = 1_000
    """Attributes of one XML element, and namespace declarations in scope. Parsers compare each with each."""
    max_entities: int = 256
    """Entities that a DTD declares."""
    max_entity_length: int = 1_000
    """Characters of one entity's text."""
    max_expansion: int = 8 * 2**20
    """Characters that all entity references together expand to, in a document shorter than an eighth of this."""
    max_output_bytes: int = 256 * 2**20
    """Size of the parsed triples, as N-Triples or N-Quads. A prefix can make each of a few characters a long IRI."""
    max_output_growth: int = 256
    """How many times as long as the document its triples may be. A list of digits in Turtle grows 125 times."""
    min_output_bytes: int = 8 * 2**20
    """Size of the triples that `max_output_growth` allows the shortest document."""
    max_triples: int = 1_000_000
    """Triples of one publication, repeated ones included. Two characters of Turtle, in a list, are two triples, and a
    triple takes several microseconds and a few hundred bytes to match. Ontologies may have more."""
    max_items: int = 100_000
    """Items of a feed, named graphs of an RDF document, and feeds of an OPML list. An item of two characters costs as
    much time as a short one of a real feed."""
    max_feed_elements: int = 250_000
    """Elements of a feed or list in XML, and values of a JSON Feed. An element of four characters takes a feed's parser
    30 microseconds."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if type(value) is not int or value < 1:
                raise ValueError(f"{field.name} is {value!r}: it is a number, 1 or more")

    def output_limit(self, document_bytes: int) -> tuple[int, str]:
        """Return how many bytes the triples of a document of this length may take, and the limit's name.

        >>> DocumentLimits(min_output_bytes=1000).output_limit(10)
        (2560, 'max_output_growth')
        """
        by_growth = max(self.min_output_bytes, self.max_output_growth * document_bytes)
        if by_growth < self.max_output_bytes:
            return by_growth, "max_output_growth"
        return self.max_output_bytes, "max_output_bytes"


DEFAULT_LIMITS = DocumentLimits()
