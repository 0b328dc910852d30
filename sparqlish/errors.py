"""What can be wrong with a subscription's text.

    ValueError
    └── SparqlishError          the text is not a subscription; where, what was found, what would fit
        ├── NotSupported        SPARQL that a subscription lacks, by its own name
        ├── LimitExceeded       too long, too deep, too many patterns
        ├── UnknownPrefix       a prefixed name whose prefix nobody declared
        ├── UnknownFunction     a bare name called as a function that is no function
        └── WrongArity          a function called with too few or too many arguments

Every error can be pickled (it may have to travel between processes): the message is the only positional
argument and the data are attributes.
"""

from __future__ import annotations

import re
from typing import Any, Self
from unicodedata import combining, east_asian_width

__all__ = [
    "LimitExceeded",
    "NotSupported",
    "SparqlishError",
    "UnknownFunction",
    "UnknownPrefix",
    "WrongArity",
    "line_column",
]

_LINE_END = re.compile(r"\r\n|\r|\n")
# What a terminal would act upon, or could not encode, instead of showing.
_UNSHOWABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_WINDOW = 76
_INDENT = "  "


def line_column(text: str, offset: int) -> tuple[int, int]:
    r"""The line and column, both from 1, of an offset; lines end with LF, CR LF or CR.

    >>> line_column("ASK {\n  ?x ?y ?z\n}", 8)
    (2, 3)
    """
    line, start, _ = _line_around(text, offset)
    return line, offset - start + 1


def _line_around(text: str, offset: int) -> tuple[int, int, int]:
    """The number of the line that holds an offset, and where that line starts and ends."""
    line, start = 1, 0
    for ending in _LINE_END.finditer(text):
        if ending.end() > offset:
            return line, start, ending.start()
        line, start = line + 1, ending.end()
    return line, start, len(text)


def _caret(text: str, offset: int) -> str:
    """The offset's line and, below it, a caret under the place; a long line shows only its part around it."""
    _, start, end = _line_around(text, offset)
    offset = min(offset, end)
    left, right = start, end
    if end - start > _WINDOW:
        left = max(start, min(offset - _WINDOW // 2, end - _WINDOW))
        right = left + _WINDOW
    before = ("..." if left > start else "") + _UNSHOWABLE.sub("\ufffd", text[left:offset])
    after = _UNSHOWABLE.sub("\ufffd", text[offset:right]) + ("..." if right < end else "")
    padding = "".join(_blank_for(character) for character in before)
    return f"{_INDENT}{before}{after}\n{_INDENT}{padding}^"


def _blank_for(character: str) -> str:
    """White space as wide as a character on a terminal: tabs stay tabs, an ideograph takes two columns."""
    if character == "\t":
        return "\t"
    if combining(character):
        return ""
    return "  " if east_asian_width(character) in "WF" else " "


class SparqlishError(ValueError):
    """A text that is not a subscription.

    `line` and `column` count from 1; `expected` lists what would have been right at that place.
    """

    def __init__(self, message: str, *, line: int = 1, column: int = 1, expected: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.line = line
        self.column = column
        self.expected = expected

    @classmethod
    def at(cls, text: str, offset: int, reason: str, **data: Any) -> Self:
        """The error at an offset of a text: its message ends with the line and a caret.

        >>> print(SparqlishError.at("ASK { ?x }", 9, "found `}`, expected a predicate"))
        found `}`, expected a predicate (line 1, column 10)
          ASK { ?x }
                   ^
        """
        line, column = line_column(text, offset)
        reason = _UNSHOWABLE.sub("\ufffd", _LINE_END.sub(" ", reason))
        message = f"{reason} (line {line}, column {column})\n{_caret(text, offset)}"
        return cls(message, line=line, column=column, **data)


class NotSupported(SparqlishError):
    """SPARQL that a subscription lacks; `feature` is its name, as in `OPTIONAL` or `GROUP BY`."""

    def __init__(self, message: str, *, feature: str = "", **place: Any) -> None:
        super().__init__(message, **place)
        self.feature = feature


class LimitExceeded(SparqlishError):
    """More than `ParserLimits` allow: `limit` is the limit's name, `value` its value."""

    def __init__(self, message: str, *, limit: str = "", value: int = 0, **place: Any) -> None:
        super().__init__(message, **place)
        self.limit = limit
        self.value = value


class UnknownPrefix(SparqlishError):
    """A prefixed name whose `prefix` is neither declared, nor handed in, nor a preset."""

    def __init__(self, message: str, *, prefix: str = "", **place: Any) -> None:
        super().__init__(message, **place)
        self.prefix = prefix


class UnknownFunction(SparqlishError):
    """A call of `function`, which is none; `expected` lists names that are close to it."""

    def __init__(self, message: str, *, function: str = "", **place: Any) -> None:
        super().__init__(message, **place)
        self.function = function


class WrongArity(SparqlishError):
    """A call of `function` with a number of arguments (`given`) that it does not take."""

    def __init__(self, message: str, *, function: str = "", given: int = 0, **place: Any) -> None:
        super().__init__(message, **place)
        self.function = function
        self.given = given
