"""The errors of the parser.

    ValueError
    └── SparqlishError          the text is not a subscription; has the place and the expected tokens
        ├── NotSupported        a feature of SPARQL that subscriptions do not have, by its name
        ├── LimitExceeded       the text is too long, nested too deep, or has too many patterns
        ├── UnknownPrefix       a prefixed name whose prefix is not declared
        ├── UnknownFunction     a call of a name that is not a function
        └── WrongArity          a function called with too few or too many arguments

Every error can be pickled, to be sent between processes: the message is the only positional argument, and the data are
attributes.
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
# Characters that a terminal would interpret or could not encode.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_MAX_LINE_CHARACTERS = 76  # a longer line is shown only around the place
_INDENT = "  "


def line_column(text: str, offset: int) -> tuple[int, int]:
    r"""Return the line and column of an offset, both from 1; lines end with LF, CR LF or CR.

    >>> line_column("ASK {\n  ?x ?y ?z\n}", 8)
    (2, 3)
    """
    line, start, _ = _line_around(text, offset)
    return line, offset - start + 1


def _line_around(text: str, offset: int) -> tuple[int, int, int]:
    """Return the number of the line of an offset, and the offsets where that line starts and ends."""
    line, start = 1, 0
    for ending in _LINE_END.finditer(text):
        if ending.end() > offset:
            return line, start, ending.start()
        line, start = line + 1, ending.end()
    return line, start, len(text)


def _caret(text: str, offset: int) -> str:
    """Return the line of an offset with a caret below the place; a long line is cut around it."""
    _, start, end = _line_around(text, offset)
    offset = min(offset, end)
    left, right = start, end
    if end - start > _MAX_LINE_CHARACTERS:
        left = max(start, min(offset - _MAX_LINE_CHARACTERS // 2, end - _MAX_LINE_CHARACTERS))
        right = left + _MAX_LINE_CHARACTERS
    before = ("..." if left > start else "") + _UNPRINTABLE.sub("\ufffd", text[left:offset])
    after = _UNPRINTABLE.sub("\ufffd", text[offset:right]) + ("..." if right < end else "")
    padding = "".join(_blank_for(character) for character in before)
    return f"{_INDENT}{before}{after}\n{_INDENT}{padding}^"


def _blank_for(character: str) -> str:
    """Return white space as wide as a character on a terminal: a tab stays a tab, an ideograph has two columns."""
    if character == "\t":
        return "\t"
    if combining(character):
        return ""
    return "  " if east_asian_width(character) in "WF" else " "


class SparqlishError(ValueError):
    """The text is not a subscription.

    `line` and `column` count from 1; `expected` lists what would be valid at that place.
    """

    def __init__(self, message: str, *, line: int = 1, column: int = 1, expected: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.line = line
        self.column = column
        self.expected = expected

    @classmethod
    def at(cls, text: str, offset: int, reason: str, *, first_line: int = 1, **data: Any) -> Self:
        """Return the error at an offset of a text; its message ends with the line and a caret.

        `first_line` is the number of the text's first line in its file.

        >>> print(SparqlishError.at("ASK { ?x }", 9, "found `}`, expected a predicate"))
        found `}`, expected a predicate (line 1, column 10)
          ASK { ?x }
                   ^
        """
        line, column = line_column(text, offset)
        line += first_line - 1
        reason = _UNPRINTABLE.sub("\ufffd", _LINE_END.sub(" ", reason))
        message = f"{reason} (line {line}, column {column})\n{_caret(text, offset)}"
        return cls(message, line=line, column=column, **data)


class NotSupported(SparqlishError):
    """The text uses a feature of SPARQL that subscriptions do not have, such as `OPTIONAL`; `feature` is its name."""

    def __init__(self, message: str, *, feature: str = "", **place: Any) -> None:
        super().__init__(message, **place)
        self.feature = feature


class LimitExceeded(SparqlishError):
    """The text exceeds one of the `ParserLimits`: `limit` is its name, `value` its value."""

    def __init__(self, message: str, *, limit: str = "", value: int = 0, **place: Any) -> None:
        super().__init__(message, **place)
        self.limit = limit
        self.value = value


class UnknownPrefix(SparqlishError):
    """The `prefix` of a name is neither declared, nor given to the parser, nor a preset."""

    def __init__(self, message: str, *, prefix: str = "", **place: Any) -> None:
        super().__init__(message, **place)
        self.prefix = prefix


class UnknownFunction(SparqlishError):
    """A called `function` does not exist; `expected` lists names that are close to it."""

    def __init__(self, message: str, *, function: str = "", **place: Any) -> None:
        super().__init__(message, **place)
        self.function = function


class WrongArity(SparqlishError):
    """A `function` was called with a number of arguments (`given`) that it does not take."""

    def __init__(self, message: str, *, function: str = "", given: int = 0, **place: Any) -> None:
        super().__init__(message, **place)
        self.function = function
        self.given = given
