"""The query around the patterns, and `parse`, the entry point of the parser."""

from __future__ import annotations

from collections.abc import Mapping

from sparqlish.ast import Group, Query, Variable
from sparqlish.cursor import ParserLimits, ParserOptions
from sparqlish.errors import LimitExceeded, SparqlishError
from sparqlish.functions import REFUSED_FUNCTIONS, FunctionArities
from sparqlish.iris import IRI_TEXT, is_absolute
from sparqlish.patterns import PatternParser

__all__ = ["parse"]

_DEFAULT_LIMITS = ParserLimits()


def parse(
    text: str,
    *,
    prefixes: Mapping[str, str] | None = None,
    base: str | None = None,
    functions: FunctionArities | None = None,
    operators: FunctionArities | None = None,
    limits: ParserLimits = _DEFAULT_LIMITS,
) -> Query:
    """Parse the text of a subscription. Any text gives a `Query` or a `SparqlishError`, and no other error.

    `prefixes` add to the presets (`PREFIXES`) and override them; `base` resolves relative IRIs until a BASE does.
    `functions` maps the built-in functions that may be called, in upper case, to the number of their arguments: an
    int, a (least, most) pair, or None for any number. A text may write them in any case. Without `functions`, any
    name may be called with any number of arguments. `operators` maps further functions in the same way; their names
    are case-sensitive.

    >>> query = parse("SELECT ?x { ?x a foaf:Person ; foaf:age ?age FILTER (?age > 17) }")
    >>> query.variables
    (Variable(name='x'),)
    >>> query.where.elements[-1]
    Filter(expression=Call(function='>', arguments=(Variable(name='age'), Literal(lexical='17', \
datatype='http://www.w3.org/2001/XMLSchema#integer', language=None))), position=45)
    """
    if base is not None and (not is_absolute(base) or IRI_TEXT.fullmatch(base) is None):
        raise SparqlishError(f"the base {base!r} is not an absolute IRI")
    parser = QueryParser(text, ParserOptions(prefixes or {}, base, functions, operators or {}, limits))
    try:
        return parser.query()
    except RecursionError:
        # Only under limits far above the defaults, or if the caller itself is close to the recursion limit.
        at = parser.places[parser.i]
        reason = "the subscription is nested deeper than the interpreter can follow"
        error = LimitExceeded.at(text, at, reason, limit="depth", value=limits.depth)
    raise error


class QueryParser(PatternParser):
    """Reads one query, from its prologue to the end of the text."""

    __slots__ = ()

    def query(self) -> Query:
        self._prologue()
        kind = self.kinds[self.i]
        variables: tuple[Variable, ...] | None = None
        distinct = False
        if kind == "SELECT":
            self.i += 1
            distinct = self.kinds[self.i] == "DISTINCT"
            if distinct or self.kinds[self.i] == "REDUCED":
                self.i += 1
            variables = self._projection()
        elif kind == "ASK":
            self.i += 1
        else:
            raise self.unexpected("SELECT", "ASK", "PREFIX", "BASE")
        if self.kinds[self.i] == "WHERE":
            self.i += 1
        if self.kinds[self.i] != "{":
            raise self.unexpected("WHERE", "`{`")
        where = self.group()
        if self.kinds[self.i] == "VALUES":
            where = Group((where, self.values()))  # joined last: the group's filters do not see it
        if self.kinds[self.i] != "EOF":
            raise self.unexpected("VALUES", "the end of the text")
        return Query("ASK" if kind == "ASK" else "SELECT", variables, distinct, where)

    def _prologue(self) -> None:
        while (kind := self.kinds[self.i]) in ("PREFIX", "BASE"):
            self.i += 1
            name = ""
            if kind == "PREFIX":
                name = self.texts[self.i]
                # The tokenizer reads `ex:` and `ex:name` as the same kind of token.
                if self.kinds[self.i] != "NAME" or name.find(":") != len(name) - 1:
                    raise self.unexpected("a prefix and a colon, as in `ex:`")
                self.i += 1
            if self.kinds[self.i] != "IRI":
                raise self.unexpected("an IRI in angle brackets")
            iri = self.resolve(self.texts[self.i][1:-1], self.i)
            self.i += 1
            if kind == "PREFIX":
                self.prefixes[name[:-1]] = iri
            else:
                self.base = iri

    def _projection(self) -> tuple[Variable, ...] | None:
        """`*` (None) or variables."""
        if self.kinds[self.i] == "*":
            self.i += 1
            return None
        variables: list[Variable] = []
        while self.kinds[self.i] == "VAR":
            variables.append(self.variable())
        if self.kinds[self.i] == "(":
            function = self.texts[self.i + 1].upper()
            if self.kinds[self.i + 1] == "WORD" and function in REFUSED_FUNCTIONS:
                raise self.unsupported(self.i + 1, function, REFUSED_FUNCTIONS[function])
            raise self.unsupported(self.i, "SELECT expressions")
        if not variables:
            raise self.unexpected("a variable", "`*`")
        return tuple(variables)
