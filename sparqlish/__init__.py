"""The subscription language: a parser and a printer for a subset of SPARQL 1.1, plus is-a and operators as functions.

>>> from sparqlish import parse, print_query
>>> query = parse('SELECT ?item { ?item dc:creator "Ann" FILTER isA(?item, rss:item) }')
>>> parse(print_query(query)) == query
True

The package knows syntax only, not what a query means, and imports nothing but the standard library.
"""

from sparqlish.ast import (
    IRI,
    Bind,
    BlankNode,
    Call,
    Element,
    Expression,
    Filter,
    Group,
    Literal,
    Query,
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

__all__ = [
    "IRI",
    "PREFIXES",
    "Bind",
    "BlankNode",
    "Call",
    "Element",
    "Expression",
    "Filter",
    "Group",
    "LimitExceeded",
    "Literal",
    "NotSupported",
    "ParserLimits",
    "Query",
    "SparqlishError",
    "Term",
    "Triple",
    "Union",
    "UnknownFunction",
    "UnknownPrefix",
    "Values",
    "Variable",
    "WrongArity",
    "line_column",
    "parse",
    "print_query",
]
