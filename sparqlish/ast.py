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
    "Aggregate",
    "Alternative",
    "Bind",
    "BlankNode",
    "Call",
    "Element",
    "Exists",
    "Expression",
    "Filter",
    "Graph",
    "Group",
    "GroupKey",
    "Inverse",
    "Literal",
    "Minus",
    "NegatedSet",
    "Optional",
    "OrderKey",
    "Path",
    "PathPattern",
    "Query",
    "Repeated",
    "Sequence",
    "SubSelect",
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


@dataclass(frozen=True, slots=True)
class Exists:
    """`EXISTS { ... }`, or with `negated` `NOT EXISTS { ... }`."""

    group: Group
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`COUNT(DISTINCT ?x)` and the like, by its name in upper case. `argument` is None for `COUNT(*)`.

    `separator` is that of GROUP_CONCAT, None if it is not written.
    """

    function: str
    argument: Expression | None
    distinct: bool = False
    separator: str | None = None


# A blank node is an argument only of the `instanceOf` into which a path `[] a/rdfs:subClassOf* C` is translated.
Expression = IRI | Literal | Variable | BlankNode | Call | Exists | Aggregate


@dataclass(frozen=True, slots=True)
class Inverse:
    """`^path`."""

    path: Path


@dataclass(frozen=True, slots=True)
class Sequence:
    """`path/path`: two or more steps."""

    steps: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Alternative:
    """`path|path`: two or more choices."""

    choices: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class NegatedSet:
    """`!(:p|^:q)`: any property but these, forwards and backwards."""

    forward: tuple[IRI, ...]
    backward: tuple[IRI, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """`path?`, `path*` or `path+`."""

    path: Path
    sign: OneOf["?", "*", "+"]


Path = IRI | Inverse | Sequence | Alternative | NegatedSet | Repeated


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A subject, a property path that is not a single IRI, and an object."""

    subject: Term
    path: Path
    object: Term
    position: int = field(default=-1, compare=False)


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


@dataclass(frozen=True, slots=True)
class Optional:
    """`OPTIONAL { ... }`."""

    group: Group
    position: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Minus:
    """`MINUS { ... }`."""

    group: Group
    position: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Graph:
    """`GRAPH name { ... }`."""

    name: IRI | Variable
    group: Group
    position: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class SubSelect:
    """`{ SELECT ... }`: the whole of a group."""

    query: Query
    position: int = field(default=-1, compare=False)


Element = Triple | PathPattern | Filter | Bind | Values | Union | Group | Optional | Minus | Graph | SubSelect


@dataclass(frozen=True, slots=True)
class GroupKey:
    """A key of GROUP BY: an expression, and the variable that it is given to, if any."""

    expression: Expression
    variable: Variable | None = None


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A key of ORDER BY."""

    expression: Expression
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A subscription. `variables` is None for `*`, and for the forms that select none.

    `computed` has the expressions of `SELECT (expression AS ?variable)`, in their order; their variables are among
    `variables`. `template` are the triples of CONSTRUCT, `described` the terms of DESCRIBE (None for `*`).

    A VALUES clause after the WHERE group becomes a group of the two, because it is joined after the filters; in a
    query with groups it is `values`, because it is joined with the groups. `prefixes` are those that the text declares;
    they do not count when queries are compared.
    """

    form: OneOf["SELECT", "ASK", "CONSTRUCT", "DESCRIBE"]
    variables: tuple[Variable, ...] | None
    distinct: bool
    where: Group
    reduced: bool = False
    computed: tuple[tuple[Variable, Expression], ...] = ()
    group_by: tuple[GroupKey, ...] = ()
    having: tuple[Expression, ...] = ()
    order_by: tuple[OrderKey, ...] = ()
    limit: int | None = None
    offset: int = 0
    values: Values | None = None
    template: tuple[Triple, ...] = ()
    described: tuple[IRI | Variable, ...] | None = None
    prefixes: tuple[tuple[str, str], ...] = field(default=(), compare=False)
