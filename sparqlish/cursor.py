"""The parser's position in the tokens, its limits, and its error messages.

The grammar is spread over four classes, each built on the one before: `TermParser`, `ExpressionParser`,
`PatternParser` and `QueryParser`. `Cursor` is their base class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparqlish.ast import IRI, Variable
from sparqlish.errors import LimitExceeded, NotSupported, SparqlishError
from sparqlish.functions import REFUSED_WORDS, FunctionArities
from sparqlish.source import decode_escapes
from sparqlish.tokens import bad_token, tokenize

__all__ = ["Cursor", "ParserLimits", "ParserOptions"]

OPERATOR_SLIPS = {"=>": ">=", "=<": "<=", "==": "=", "<>": "!=", "AND": "&&", "OR": "||", "NOT": "!"}
"""Operators of other languages, and those of SPARQL that mean the same."""
_AFTER_AN_EXPRESSION = frozenset({"an operator", "`AS`"})
_EXPECTED_AT_SLIP = {  # what the parser expects where a token of this kind may be such an operator
    "NOT": frozenset({"an expression", "a function call"}),
    "WORD": _AFTER_AN_EXPRESSION,
    "IRI": _AFTER_AN_EXPRESSION,  # `<>` is an empty IRI
}


@dataclass(frozen=True, slots=True)
class ParserLimits:
    """Limits that keep the text of an untrusted subscription cheap to parse.

    `length` counts characters. `depth` limits nested brackets of all kinds and the height of an expression's tree, so
    that recursion over the result cannot overflow the stack. `patterns` counts triple patterns (those of collections
    and property lists too), filters, binds, and rows of values.
    """

    length: int = 100_000
    depth: int = 64
    patterns: int = 1_000


@dataclass(frozen=True, slots=True)
class ParserOptions:
    """What the caller of the parser may choose; `sparqlish.parse` describes each."""

    prefixes: Mapping[str, str] = field(default_factory=dict)
    base: str | None = None
    functions: FunctionArities | None = None
    operators: FunctionArities = field(default_factory=dict)
    limits: ParserLimits = field(default_factory=ParserLimits)


class Cursor:
    """The tokens of a text, a position in them, and the names in force.

    `texts`, `kinds`, `starts` and `places` have one entry per token; `starts` are offsets in the decoded text,
    `places` offsets in the text as written. `i` is the index of the next token. `known` maps the text of a variable
    or IRI token to its term, so that equal tokens share one object. `height` is the height of the last expression.
    """

    __slots__ = (
        "base",
        "depth",
        "functions",
        "given_prefixes",
        "height",
        "i",
        "kinds",
        "known",
        "limits",
        "operators",
        "patterns",
        "places",
        "prefixes",
        "source",
        "starts",
        "texts",
    )

    def __init__(self, text: str, options: ParserOptions) -> None:
        limits = options.limits
        if len(text) > limits.length:
            raise LimitExceeded.at(
                text[: limits.length + 1],
                limits.length,
                f"a subscription may be {limits.length} characters long, this one has {len(text)}",
                limit="length",
                value=limits.length,
            )
        self.source = decode_escapes(text)
        self.kinds, self.texts, self.starts = tokenize(self.source.decoded)
        self.places = self.source.places(self.starts)
        self.i = 0
        self.prefixes: dict[str, str] = {}
        self.given_prefixes = options.prefixes
        self.base = options.base
        self.functions = options.functions
        self.operators = options.operators
        self.limits = limits
        self.depth = 0
        self.height = 0
        self.patterns = 0
        self.known: dict[str, IRI | Variable] = {}

    def expect(self, kind: str) -> int:
        """Step over a token of this kind and return its index; raise an error if the next token is of another kind."""
        at = self.i
        if self.kinds[at] != kind:
            raise self.unexpected(f"`{kind}`")
        self.i = at + 1
        return at

    def touches_next(self, at: int) -> bool:
        """Return whether no space separates a one-character token from the next."""
        return self.starts[at] + 1 == self.starts[at + 1]

    def enter(self, at: int) -> None:
        """Count one more open bracket, at the token `at`; the caller decrements `depth` at the closing one."""
        self.depth += 1
        if self.depth > self.limits.depth:
            raise self.too_deep(at)

    def too_deep(self, at: int) -> LimitExceeded:
        """Return the error of a text that is nested too deep."""
        limit = self.limits.depth
        reason = f"a subscription may be nested {limit} deep, this one goes deeper"
        return LimitExceeded.at(self.source.written, self.places[at], reason, limit="depth", value=limit)

    def count_pattern(self, at: int) -> None:
        """Count one more pattern, at the token `at`; raise LimitExceeded if there are too many."""
        self.patterns += 1
        limit = self.limits.patterns
        if self.patterns > limit:
            reason = f"a subscription may have {limit} patterns, this one has more"
            raise LimitExceeded.at(self.source.written, self.places[at], reason, limit="patterns", value=limit)

    def error(self, at: int, reason: str, **data: Any) -> SparqlishError:
        """Return a plain error at a token."""
        return SparqlishError.at(self.source.written, self.places[at], reason, **data)

    def unsupported(self, at: int, feature: str, reason: str = "") -> NotSupported:
        """Return the error that names a feature of SPARQL which subscriptions do not have."""
        message = f"{feature} is not supported in a subscription" + (f": {reason}" if reason else "")
        return NotSupported.at(self.source.written, self.places[at], message, feature=feature)

    def unexpected(self, *expected: str, at: int | None = None) -> SparqlishError:
        """Return the error of a token that the grammar does not allow here.

        If the token begins a feature of SPARQL, the error names that feature, and not the expected tokens.
        """
        if at is None:
            at = self.i
        kind, text = self.kinds[at], self.texts[at]
        if kind == "BAD":
            offset, reason = bad_token(self.source.decoded, self.starts[at])
            place = self.source.places([offset])[0]
            return SparqlishError.at(self.source.written, place, reason, expected=expected)
        unsupported = self._unsupported_by_name(at)
        if unsupported is not None:
            return unsupported
        slip = self._operator_slip(at, expected)
        if slip is not None:
            return slip
        if kind == "<" and self.touches_next(at):
            reason = "the IRI is not closed by `>`, or has a space or another character that IRIs cannot have"
            return self.error(at, reason, expected=expected)
        found = "the end of the text" if kind == "EOF" else f"`{text if len(text) <= 40 else text[:37] + '...'}`"
        return self.error(at, f"found {found}, expected {_either(expected)}", expected=expected)

    def _operator_slip(self, at: int, expected: tuple[str, ...]) -> SparqlishError | None:
        """Return the error that suggests an operator, if the token is, or ends, one of another language."""
        kind, first = self.kinds[at], at
        if "an expression" in expected and at and self.kinds[at - 1] == "=" and self.touches_next(at - 1):
            first = at - 1
            if kind == "<" and self.touches_next(at) and self.kinds[at + 1] in ("WORD", "NAME"):
                return None  # `=<http://a b>` is an IRI that is not closed
        elif _EXPECTED_AT_SLIP.get(kind, frozenset()).isdisjoint(expected):
            return None
        found = "".join(self.texts[first : at + 1])
        meant = OPERATOR_SLIPS.get(found.upper())
        if meant is None:
            return None
        return self.error(first, f"found `{found}`: did you mean `{meant}`?", expected=(f"`{meant}`",))

    def _unsupported_by_name(self, at: int) -> NotSupported | None:
        """Return the error for the feature of SPARQL that the token begins, if it begins one."""
        kind = self.kinds[at]
        following = self.texts[at + 1].upper() if kind != "EOF" else ""
        if kind == "WORD":
            feature = REFUSED_WORDS.get(self.texts[at].upper())
            if feature == "FROM" and following == "NAMED":
                feature = "FROM NAMED"
            if feature is not None:
                return self.unsupported(at, feature)
        elif kind == "<" and self.touches_next(at) and self.kinds[at + 1] in ("<", "IRI"):
            return self.unsupported(at, "RDF-star")
        elif kind == "|" and at and self.kinds[at - 1] == "{" and self.touches_next(at - 1):
            return self.unsupported(at - 1, "RDF-star")
        return None


def _either(choices: tuple[str, ...]) -> str:
    if len(choices) < 2:
        return "".join(choices)
    return ", ".join(choices[:-1]) + " or " + choices[-1]
