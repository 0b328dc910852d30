"""The subscription language: a parser and a printer for a subset of SPARQL 1.1, plus is-a and operators as functions.

>>> from sparqlish import parse, print_query
>>> query = parse('SELECT ?item { ?item dc:creator "Ann" FILTER isA(?item, rss:item) }')
>>> parse(print_query(query)) == query
True

The package knows syntax only, not what a query means, and imports nothing but the standard library.
"""

from sparqlish.ast import (
    IRI,
    Aggregate,
    Alternative,
    Bind,
    BlankNode,
    Call,
    Element,
    Exists,
    Expression,
    Filter,
    Graph,
    Group,
    GroupKey,
    Inverse,
    Literal,
    Minus,
    NegatedSet,
    Optional,
    OrderKey,
    Path,
    PathPattern,
    Query,
    Repeated,
    Sequence,
    SubSelect,
    Term,
    Triple,
    Union,
    Values,
    Variable,
)
from sparqlish.cursor import ParserLimits
from sparqlish.errors import (
    LimitExceeded,
    NotSupported,
    SparqlishError,
    UnknownFunction,
    UnknownPrefix,
    WrongArity,
    line_column,
)
from sparqlish.parser import parse
from sparqlish.prefixes import PREFIXES
from sparqlish.printer import print_query
from sparqlish.scopes import selected_variables, visible_variables
from sparqlish.solutions import is_grouped

__all__ = [
    "IRI",
    "PREFIXES",
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
    "LimitExceeded",
    "Literal",
    "Minus",
    "NegatedSet",
    "NotSupported",
    "Optional",
    "OrderKey",
    "ParserLimits",
    "Path",
    "PathPattern",
    "Query",
    "Repeated",
    "Sequence",
    "SparqlishError",
    "SubSelect",
    "Term",
    "Triple",
    "Union",
    "UnknownFunction",
    "UnknownPrefix",
    "Values",
    "Variable",
    "WrongArity",
    "is_grouped",
    "line_column",
    "parse",
    "print_query",
    "selected_variables",
    "visible_variables",
]
