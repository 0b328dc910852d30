"""Find nesting that is too deep in the bytes of a document, before any parser gets them.

Parsers recurse on nested brackets, or on the terms that they make of them. A native parser that reaches the end of
its stack ends the whole process. So the depth is counted here without recursion, by tokens that this module and the
parsers agree on: brackets in strings, IRIs and comments do not count. Where a document is not valid, the tokens may be
wrong from the first error on, but there the parsers stop.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

__all__ = ["N3_TOKENS", "TURTLE_TOKENS", "BracketSyntax", "find_too_deep", "line_and_column"]

BracketSyntax: TypeAlias = Literal["turtle", "n3", "ntriples", "json"]

# The tokens of Turtle, and of N3, in which brackets and keywords mean nothing. All quantifiers here are possessive, so
# that a document is scanned only once; an unclosed string ends the scan. In N3, `<=` and `<-` are operators, so `<`
# opens an IRI only where one follows.
_STRINGS = rb"""
    \"\"\" (?: [^"\\]++ | \\. | "(?!"") )*+ \"\"\"
  | ''' (?: [^'\\]++ | \\. | '(?!'') )*+ '''
  | "(?!"") [^"\\]*+ (?: \\. [^"\\]*+ )*+ "
  | '(?!'') [^'\\]*+ (?: \\. [^'\\]*+ )*+ '
  | \#[^\r\n]*+
  | \\.                         # in a local name: ex:a\(b
"""
TURTLE_TOKENS = _STRINGS + rb" | <(?!<) [^>\\]*+ (?: \\. [^>\\]*+ )*+ >"
N3_TOKENS = _STRINGS + rb""" | <[^\x00-\x20<>"{}|^`]*+> | <(?!<)"""


def _bracket_pattern(tokens: bytes) -> re.Pattern[bytes]:
    """Return a pattern that skips to a bracket and matches it: group 1 if it opens, no group if it closes."""
    skipped = rb"(?: [^\"'<>\#\\\[\](){}]++ | %b | >(?!>) )*+" % tokens
    return re.compile(skipped + rb"(?: ( <<\(? | [\[({] ) | \)>> | >> | [\])}] )", re.VERBOSE | re.DOTALL)


_TURTLE_BRACKET = _bracket_pattern(TURTLE_TOKENS)
_N3_BRACKET = _bracket_pattern(N3_TOKENS)
_JSON_BRACKET = re.compile(
    rb"""(?: [^"\[\]{}]++ | " [^"\\]*+ (?: \\. [^"\\]*+ )*+ " )*+ (?: ([\[{]) | [\]}] )""", re.VERBOSE | re.DOTALL
)


_OPENING: dict[str, tuple[bytes, ...]] = {
    "turtle": (b"[", b"(", b"{", b"<<"),
    "n3": (b"[", b"(", b"{", b"<<"),
    "ntriples": (b"<<",),
    "json": (b"[", b"{"),
}
_BRACKETS = {"turtle": _TURTLE_BRACKET, "n3": _N3_BRACKET, "ntriples": _TURTLE_BRACKET, "json": _JSON_BRACKET}


def find_too_deep(data: bytes, syntax: BracketSyntax, max_depth: int) -> int | None:
    """Return the position in UTF-8 text where brackets nest deeper than `max_depth`; None if they never do.

    "turtle" includes TriG, and "ntriples" N-Quads. Collections, blank nodes, graphs, annotations, reified triples and
    triple terms count alike.

    >>> find_too_deep(b"<urn:a> <urn:p> ((1) '(' (2)) . # ((", "turtle", 1), find_too_deep(b'{"[": [{}]}', "json", 3)
    (17, None)
    """
    if sum(map(data.count, _OPENING[syntax])) <= max_depth:
        return None
    bracket, depth, position = _BRACKETS[syntax], 0, 0
    while found := bracket.match(data, position):
        position = found.end()
        if found.lastindex is None:
            depth -= 1
        else:
            depth += 1
            if depth > max_depth:
                return found.start(1)
    return None


def line_and_column(data: bytes, position: int) -> tuple[int, int]:
    """Return the line and the column of a byte, both counted from 1; the column in characters.

    >>> line_and_column("é\\né(".encode(), 5)
    (2, 2)
    """
    start = data.rfind(b"\n", 0, position) + 1
    return data.count(b"\n", 0, position) + 1, len(data[start:position].decode("utf-8", "replace")) + 1
