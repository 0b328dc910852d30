"""The errors that this package raises.

::

    ValueError
    └── OntologyError
        ├── CyclicTaxonomy          .cycle .reason
        ├── MalformedOntology       .reason .source .line .column
        │   ├── RemoteContextRefused    .context
        │   └── MalformedXML
        │       └── UnsafeXML
        ├── ReasonerFailed          .reasoner
        └── InconsistentOntology    .reasoner

A missing file raises the ``OSError`` of the file system. All errors can be pickled with their attributes, so they can
cross process boundaries.
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

_MAX_NAMES_AT_EACH_END = 8
"""Names of a cycle shown at each end of a message. The middle of a longer cycle is left out; ``.cycle`` has it all."""


class OntologyError(ValueError):
    """An ontology cannot be used as it is."""

    def __reduce__(self) -> tuple[Any, ...]:
        # By default an exception is copied by calling its class with its message, which these classes do not accept.
        return _restore, (type(self), self.args), self.__dict__


def _restore(cls: type[OntologyError], arguments: tuple[Any, ...]) -> OntologyError:
    return cls.__new__(cls, *arguments)


class CyclicTaxonomy(OntologyError):
    """The is-a edges form a cycle, which section 3.4 of the paper excludes.

    >>> print(CyclicTaxonomy(("Cat", "Feline")))
    is-a cycle: Cat -> Feline -> Cat; remove one of these edges, or pass cycles="condense" to treat the \
members as equivalent
    """

    def __init__(self, cycle: tuple[str, ...]) -> None:
        self.cycle = cycle
        """The members, each below the next one, and the last below the first."""
        shown = cycle
        if len(cycle) > 2 * _MAX_NAMES_AT_EACH_END:
            left_out = f"... {len(cycle) - 2 * _MAX_NAMES_AT_EACH_END} more ..."
            shown = (*cycle[:_MAX_NAMES_AT_EACH_END], left_out, *cycle[-_MAX_NAMES_AT_EACH_END:])
        self.reason = f"is-a cycle: {' -> '.join((*shown, cycle[0]))}"
        """What is wrong, without the remedy that the message adds."""
        super().__init__(
            f'{self.reason}; remove one of these edges, or pass cycles="condense" to treat the members as equivalent'
        )


class MalformedOntology(OntologyError):
    """A document could not be parsed.

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
        remedy: str = "correct the document, or name its format if it was detected wrongly",
    ) -> None:
        self.reason = reason
        """What is wrong, without the position and the remedy that the message adds."""
        self.source = source
        self.line = line
        """Counted from 1; None if the parser does not report it."""
        self.column = column
        position = source
        if line is not None:
            position += f", line {line}"
        if column is not None:
            position += f", column {column}"
        super().__init__(f"{position}: {reason}; {remedy}")


class RemoteContextRefused(MalformedOntology):
    """A JSON-LD document refers to a context outside itself.

    Fetching it would let a document choose which host, or which local file, this process opens.
    """

    def __init__(self, context: str, *, source: str) -> None:
        self.context = context
        """The address of the context, which was not opened."""
        super().__init__(
            f"the JSON-LD context {context!r} lies outside the document and is never fetched",
            source=source,
            remedy="write the context out inside the document, or convert it to Turtle",
        )


class MalformedXML(MalformedOntology):
    """The bytes are not one complete, well-formed XML document."""


class UnsafeXML(MalformedXML):
    """An XML document would make its parser open other resources, or expand it to an excessive size.

    :mod:`ontology.xml_safety` lists what is refused and why.
    """


class ReasonerFailed(OntologyError):
    """The reasoner could not be started, or stopped before it finished."""

    def __init__(self, reasoner: str, reason: str, *, remedy: str) -> None:
        self.reasoner = reasoner
        super().__init__(f"{reasoner}: {reason}; {remedy}")


class InconsistentOntology(OntologyError):
    """The ontology contradicts itself: everything follows from it, so is-a answers have no meaning."""

    def __init__(self, reasoner: str, *, source: str) -> None:
        self.reasoner = reasoner
        self.source = source
        super().__init__(
            f"{source}: {reasoner} finds the ontology inconsistent; remove the contradiction "
            "(Protégé explains it), or load without a reasoner to use only what is asserted"
        )
