"""Everything this package raises on purpose.

::

    ValueError
    └── OntologyError
        ├── CyclicTaxonomy          .cycle
        ├── MalformedOntology       .reason .source .line .column
        │   ├── RemoteContextRefused    .context
        │   └── MalformedXML
        │       └── UnsafeXML
        ├── ReasonerFailed          .reasoner
        └── InconsistentOntology    .reasoner

A missing file stays the ``OSError`` it is: the file system says it better than we could. All of these can be
pickled, and so cross from one process to another with what they carry.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "CyclicTaxonomy",
    "InconsistentOntology",
    "MalformedOntology",
    "MalformedXML",
    "OntologyError",
    "ReasonerFailed",
    "RemoteContextRefused",
    "UnsafeXML",
]

_SHOWN_AT_EACH_END = 8
"""A cycle longer than twice this is elided in the middle of its message; ``.cycle`` keeps all of it."""


class OntologyError(ValueError):
    """An ontology that cannot be used as given."""

    def __reduce__(self) -> tuple[Any, ...]:
        # An exception is copied by calling its class with its message, which these classes do not take.
        return _remade, (type(self), self.args), self.__dict__


def _remade(cls: type[OntologyError], arguments: tuple[Any, ...]) -> OntologyError:
    return cls.__new__(cls, *arguments)


class CyclicTaxonomy(OntologyError):
    """The is-a edges lead back to where they began, which section 3.4 of the paper rules out.

    >>> print(CyclicTaxonomy(("Cat", "Feline")))
    is-a cycle: Cat -> Feline -> Cat; remove one of these edges, or pass cycles="condense" to treat the \
members as equivalent
    """

    def __init__(self, cycle: tuple[str, ...]) -> None:
        self.cycle = cycle
        """The members, child before parent; the last one is below the first."""
        shown = cycle
        if len(cycle) > 2 * _SHOWN_AT_EACH_END:
            left_out = f"... {len(cycle) - 2 * _SHOWN_AT_EACH_END} more ..."
            shown = (*cycle[:_SHOWN_AT_EACH_END], left_out, *cycle[-_SHOWN_AT_EACH_END:])
        super().__init__(
            f"is-a cycle: {' -> '.join((*shown, cycle[0]))}; remove one of these edges, "
            'or pass cycles="condense" to treat the members as equivalent'
        )


class MalformedOntology(OntologyError):
    """A document that its parser could not read.

    >>> print(MalformedOntology("expected '.'", source="zoo.ttl", line=3, column=9, remedy="add the dot"))
    zoo.ttl, line 3, column 9: expected '.'; add the dot
    """

    def __init__(
        self,
        reason: str,
        *,
        source: str,
        line: int | None = None,
        column: int | None = None,
        remedy: str = "correct the document, or name its format if it was guessed wrongly",
    ) -> None:
        self.reason = reason
        """What is wrong, without the place and the remedy that the message adds."""
        self.source = source
        self.line = line
        """Counted from 1; None where the parser does not say."""
        self.column = column
        place = source
        if line is not None:
            place += f", line {line}"
        if column is not None:
            place += f", column {column}"
        super().__init__(f"{place}: {reason}; {remedy}")


class RemoteContextRefused(MalformedOntology):
    """A JSON-LD document that asks its reader to fetch a context from elsewhere.

    Fetching would let a document choose which host, or which local file, this process opens.
    """

    def __init__(self, context: str, *, source: str) -> None:
        self.context = context
        """The address that would have been opened."""
        super().__init__(
            f"the JSON-LD context {context!r} lies outside the document and is never fetched",
            source=source,
            remedy="write the context out inside the document, or convert it to Turtle",
        )


class MalformedXML(MalformedOntology):
    """Bytes that are not one whole, well-formed XML document."""


class UnsafeXML(MalformedXML):
    """An XML document that asks its reader to open something else, or to grow it out of all proportion.

    :mod:`ontology.xml_safety` lists what is refused, and why.
    """


class ReasonerFailed(OntologyError):
    """The reasoner could not be run, or stopped before it had an answer."""

    def __init__(self, reasoner: str, reason: str, *, remedy: str) -> None:
        self.reasoner = reasoner
        super().__init__(f"{reasoner}: {reason}; {remedy}")


class InconsistentOntology(OntologyError):
    """The ontology contradicts itself: everything follows from it, so no is-a answer means anything."""

    def __init__(self, reasoner: str, *, source: str) -> None:
        self.reasoner = reasoner
        self.source = source
        super().__init__(
            f"{source}: {reasoner} finds the ontology inconsistent; remove the contradiction "
            "(Protégé explains it), or load without a reasoner to use only what is asserted"
        )
