"""The query around the patterns, and `parse`, the entry point of the parser."""

from __future__ import annotations

from collections.abc import Mapping

from sparqlish.ast import IRI, Group, Query, Triple, Variable
from sparqlish.cursor import ParserLimits, ParserOptions
from sparqlish.errors import LimitExceeded, SparqlishError
from sparqlish.functions import FunctionArities
from sparqlish.iris import IRI_TEXT, is_absolute
from sparqlish.solutions import SolutionParser
from sparqlish.terms import NAMED_KINDS

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


class QueryParser(SolutionParser):
    """Reads one query, from its prologue to the end of the text."""

    __slots__ = ()

    def query(self) -> Query:
        self._prologue()
        kind = self.kinds[self.i]
        if kind == "SELECT":
            made = self.select_query()
        elif kind == "ASK":
            self.i += 1
            made = self.solutions(Query("ASK", None, False, self.where()))
        elif kind == "CONSTRUCT":
            made = self._construct()
        elif kind == "DESCRIBE":
            made = self._describe()
        else:
            raise self.unexpected("SELECT", "ASK", "CONSTRUCT", "DESCRIBE", "PREFIX", "BASE")
        if self.kinds[self.i] != "EOF":
            raise self.unexpected(*self.expected_after(made), "the end of the text")
        if self.prefixes:
            object.__setattr__(made, "prefixes", tuple(self.prefixes.items()))  # nobody has seen the query yet
        return made

    def _construct(self) -> Query:
        """Parse `CONSTRUCT { template } WHERE { ... }`, or `CONSTRUCT WHERE { triples }`."""
        at = self.i
        self.i = at + 1
        if self.kinds[self.i] == "{":
            template = self._template()
            return self.solutions(Query("CONSTRUCT", None, False, self.where(), template=template))
        if self.kinds[self.i] != "WHERE":
            raise self.unexpected("`{`", "WHERE")
        where = self.where()
        triples = tuple(each for each in where.elements if isinstance(each, Triple))
        if len(triples) < len(where.elements):
            raise self.error(at, "CONSTRUCT WHERE takes only triples: write CONSTRUCT { ... } WHERE { ... }")
        return self.solutions(Query("CONSTRUCT", None, False, where, template=triples))

    def _template(self) -> tuple[Triple, ...]:
        """Parse the template of CONSTRUCT. Its blank nodes are its own."""
        at = self.i
        labels, self.labels = self.labels, {}
        template = self.group().elements
        self.labels = labels
        if not all(isinstance(each, Triple) for each in template):
            raise self.error(at, "the template of CONSTRUCT has only triples")
        return template  # type: ignore[return-value]  # checked before

    def _describe(self) -> Query:
        """Parse `DESCRIBE ?x <iri> ... WHERE { ... }`."""
        self.i += 1
        described: list[IRI | Variable] | None = None
        if self.kinds[self.i] == "*":
            self.i += 1
        else:
            described = []
            while self.kinds[self.i] in NAMED_KINDS:
                described.append(self.named(self.i))
                self.i += 1
            if not described:
                raise self.unexpected("a variable", "an IRI", "`*`")
        has_pattern = self.kinds[self.i] in ("WHERE", "{")
        where = self.where() if has_pattern else Group(())
        terms = None if described is None else tuple(described)
        return self.solutions(Query("DESCRIBE", None, False, where, described=terms))

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
