"""The syntax tree of a subscription.

Nodes are immutable and compare by content. `position`, the offset in the text, is for error messages and is ignored by
comparison (-1: not from a text); `errors.line_column` converts it to line and column.
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
    """A literal as written: the lexical form is not interpreted, so that `01` and `1` differ.

    A literal with a language has the datatype rdf:langString; the tag keeps its case.
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
    """`_:label`; `[]` and collections get labels that the text does not use."""

    label: str


Term = IRI | Literal | Variable | BlankNode


@dataclass(frozen=True, slots=True)
class Call:
    """A function applied to arguments. `function` has one spelling per function:

    - the sign for operators: `||` `&&` (two or more arguments: a chain is one call), `!`, `=`, `!=`, `<`,
      `<=`, `>`, `>=`, `+`, `-`, `*`, `/`, and `unary-`, `unary+`;
    - `in` and `not in`: the tested expression, then the list's;
    - upper case for built-in functions (`CONTAINS`, `SAMETERM`; `URI` is `IRI`, `ISURI` is `ISIRI`);
    - `isA`, `instanceOf`, `directlyA`, `ancestorOf`, `descendantOf`;
    - the IRI in angle brackets for casts and other functions called by IRI;
    - the caller's spelling for operators given to the parser.
    """

    function: str
    arguments: tuple[Expression, ...]


# A blank node is an argument only of the `instanceOf` into which a path `[] a/rdfs:subClassOf* C` is translated.
Expression = IRI | Literal | Variable | BlankNode | Call


@dataclass(frozen=True, slots=True)
class Triple:
    """A triple pattern; `position` is that of its subject, or after `;` of its verb, or after `,` of its object."""

    subject: Term
    predicate: IRI | Variable
    object: Term
    position: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Filter:
    """`FILTER expression`, which applies to the solutions of its whole group, wherever it stands in the group."""

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
    """`VALUES (variables) { rows }`: inline solutions. Each row has one value per variable; None is UNDEF."""

    variables: tuple[Variable, ...]
    rows: tuple[tuple[IRI | Literal | None, ...], ...]
    position: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Union:
    """`{ } UNION { } UNION { }`: two or more branches."""

    branches: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """`{ ... }`, with its elements in the written order."""

    elements: tuple[Element, ...]


Element = Triple | Filter | Bind | Values | Union | Group


@dataclass(frozen=True, slots=True)
class Query:
    """A subscription. `variables` is None for `*` and for ASK; REDUCED is treated as not DISTINCT.

    A VALUES clause after the WHERE group becomes a group of the two, because it is joined after the filters.
    """

    form: OneOf["SELECT", "ASK"]
    variables: tuple[Variable, ...] | None
    distinct: bool
    where: Group
