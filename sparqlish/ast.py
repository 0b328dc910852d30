"""A subscription's text as data.

Values are immutable and compare by content; `position`, the offset in the text, is kept for error messages
and takes no part in comparison (-1: not from a text). `errors.line_column` turns it into line and column.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf

from sparqlish.prefixes import XSD

__all__ = [
    "IRI",
    "Bind",
    "BlankNode",
    "Call",
    "Element",
    "Expression",
    "Filter",
    "Group",
    "Literal",
    "Query",
    "Term",
    "Triple",
    "Union",
    "Values",
    "Variable",
]


@dataclass(frozen=True, slots=True)
class IRI:
    """An absolute IRI."""

    value: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal as written: the lexical form is not interpreted (`01` and `1` differ here).

    A literal with a language has the datatype rdf:langString; the tag keeps the case it was written in.
    """

    lexical: str
    datatype: str = XSD + "string"
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Variable:
    """`?name` or `$name`, which are the same variable."""

    name: str


@dataclass(frozen=True, slots=True)
class BlankNode:
    """`_:label`; `[]` and collections get labels that the text does not use itself."""

    label: str


Term = IRI | Literal | Variable | BlankNode


@dataclass(frozen=True, slots=True)
class Call:
    """A function applied to arguments; `function` is one spelling per function:

    - the sign for operators: `||` `&&` (two or more arguments: a chain is one call), `!`, `=`, `!=`, `<`,
      `<=`, `>`, `>=`, `+`, `-`, `*`, `/`, and `unary-`, `unary+`;
    - `in` and `not in`: the tested expression, then the list's;
    - upper case for SPARQL's built-in functions (`CONTAINS`, `SAMETERM`; `URI` is `IRI`, `ISURI` is `ISIRI`);
    - `isA`, `instanceOf`, `directlyA`, `ancestorOf`;
    - the IRI in angle brackets for casts and other functions called by IRI;
    - the caller's own spelling for operators handed to the parser.
    """

    function: str
    arguments: tuple[Expression, ...]


# A blank node is an argument only in the `instanceOf` that a path `[] a/rdfs:subClassOf* C` turns into.
Expression = IRI | Literal | Variable | BlankNode | Call


@dataclass(frozen=True, slots=True)
class Triple:
    """A triple pattern; `position` is where its text begins: after `;` the verb, after `,` the object."""

    subject: Term
    predicate: IRI | Variable
    object: Term
    position: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Filter:
    """`FILTER expression`, which tests the solutions of its whole group wherever it stands in it."""

    expression: Expression
    position: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Bind:
    """`BIND (expression AS ?variable)`."""

    expression: Expression
    variable: Variable
    position: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Values:
    """`VALUES (variables) { rows }`: inline solutions, every row as long as `variables`; None is UNDEF."""

    variables: tuple[Variable, ...]
    rows: tuple[tuple[IRI | Literal | None, ...], ...]
    position: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Union:
    """`{ } UNION { } UNION { }`: two or more branches."""

    branches: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """`{ ... }`, its elements in the written order."""

    elements: tuple[Element, ...]


Element = Triple | Filter | Bind | Values | Union | Group


@dataclass(frozen=True, slots=True)
class Query:
    """A subscription. `variables` is None for `*` and for ASK; REDUCED reads as not DISTINCT.

    A VALUES clause behind the WHERE group makes a group of the two: it is joined when the filters are done.
    """

    form: OneOf["SELECT", "ASK"]
    variables: tuple[Variable, ...] | None
    distinct: bool
    where: Group
