"""Subscriptions as text: a subset of SPARQL 1.1, plus is-a and operators as function calls.

>>> from sparqlish import parse, print_query
>>> query = parse('SELECT ?item { ?item dc:creator "Ann" FILTER isA(?item, rss:item) }')
>>> parse(print_query(query)) == query
True

It knows texts and trees, not what they mean; this package imports nothing beyond the standard library.
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
