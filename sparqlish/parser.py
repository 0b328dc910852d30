"""The query around the patterns, and the door to the parser: `parse`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sparqlish.ast import Group, Query, Variable
from sparqlish.cursor import ParserLimits
from sparqlish.errors import LimitExceeded, SparqlishError
from sparqlish.functions import REFUSED_FUNCTIONS, OperatorArities
from sparqlish.iris import IRI_TEXT, is_absolute
from sparqlish.patterns import PatternParser

__all__ = ["parse"]

_NONE: Mapping[str, str] = MappingProxyType({})
_NO_OPERATORS: OperatorArities = MappingProxyType({})
_DEFAULT_LIMITS = ParserLimits()


def parse(
    text: str,
    *,
    prefixes: Mapping[str, str] | None = None,
    base: str | None = None,
    operators: OperatorArities | None = None,
    limits: ParserLimits = _DEFAULT_LIMITS,
) -> Query:
    """Read a subscription; whatever the text, the result is a `Query` or a `SparqlishError`.

    `prefixes` add to and hide the presets (`PREFIXES`); `base` resolves relative IRIs until a BASE does.
    `operators` names the functions beyond SPARQL's that may be called, each with the number of its arguments:
    an int, a (least, most) pair, or None for any number.

    >>> query = parse("SELECT ?x { ?x a foaf:Person ; foaf:age ?age FILTER (?age > 17) }")
    >>> query.variables
    (Variable(name='x'),)
    >>> query.where.elements[-1]
    Filter(expression=Call(function='>', arguments=(Variable(name='age'), Literal(lexical='17', \
datatype='http://www.w3.org/2001/XMLSchema#integer', language=None))), position=45)
    """
    if base is not None and (not is_absolute(base) or IRI_TEXT.fullmatch(base) is None):
        raise SparqlishError(f"the base {base!r} is not an absolute IRI")
    parser = QueryParser(
        text,
        _NONE if prefixes is None else prefixes,
        base,
        _NO_OPERATORS if operators is None else operators,
        limits,
    )
    try:
        return parser.query()
    except RecursionError:
        # Only under limits far above the defaults, or a caller that is itself close to the interpreter's.
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
