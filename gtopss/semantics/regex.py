"""REGEX and REPLACE (SPARQL 1.1, 17.4.3.14-15): XPath's regular expressions, run by RE2 in linear time.

XPath 2.0 (7.6.1) and RE2 share most of their syntax. Where RE2 would silently read something else, the pattern is
translated (`\\d`, `\\w`, `\\s` are Unicode's in XPath, ASCII's in RE2) or refused (subtraction in a character class;
`\\C`, which is a byte in RE2). RE2 itself refuses what cannot run in linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from gtopss.semantics.strings import MAX_RESULT_CHARACTERS, plain_text_of, text_of, with_language_of
from gtopss.semantics.values import FALSE, TRUE, TypeMismatch, Value

_FLAGS = "ism"
_WORD_CLASSES = r"\p{L}\p{M}\p{N}\p{S}"  # in XPath, all but punctuation, separators and others
_BLANKS = r" \t\n\r"
_ESCAPES_OUTSIDE_CLASS = {
    "d": r"\p{Nd}", "D": r"\P{Nd}", "w": f"[{_WORD_CLASSES}]", "W": f"[^{_WORD_CLASSES}]",
    "s": f"[{_BLANKS}]", "S": f"[^{_BLANKS}]",
}  # fmt: skip
_ESCAPES_INSIDE_CLASS = {
    "d": r"\p{Nd}", "D": r"\P{Nd}", "w": _WORD_CLASSES, "W": r"\p{P}\p{Z}\p{C}", "s": _BLANKS,
    "S": r"\x00-\x08\x0B\x0C\x0E-\x1F\x21-\x{10FFFF}",
}  # fmt: skip
_REFUSED_ESCAPES = frozenset("iIcCQ")
_TOKEN = re.compile(r"\\.|\[\^?\]?|.", re.DOTALL)  # `]` right after the opening bracket is a literal character
_REFERENCE = re.compile(r"\\([\\$])|\$(\d+)|([\\$])|[^\\$]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled regular expression; with the flag q, replacements are literal text too."""

    program: Any
    quoted: bool

    def found_in(self, text: Value) -> Value:
        """Return whether the pattern matches somewhere in a string."""
        try:
            return TRUE if self.program.search(text_of(text)) else FALSE
        except UnicodeEncodeError as error:
            raise TypeMismatch(str(error)) from None

    def replace(self, text: Value, replacement: Value) -> Value:
        """Replace every match, left to right; a pattern that matches the empty string is a type error (FORX0003)."""
        source, template = text_of(text), plain_text_of(replacement)
        if self.program.search("") is not None:
            raise TypeMismatch("the pattern matches the empty text")
        parts = [template] if self.quoted else _parse_replacement(template, self.program.groups)
        made, end, size = [], 0, 0
        try:
            for match in self.program.finditer(source):
                filled = [part if isinstance(part, str) else match.group(part) or "" for part in parts]
                made += [source[end : match.start()], *filled]
                size += match.start() - end + sum(map(len, filled))
                end = match.end()
                if size > MAX_RESULT_CHARACTERS:
                    raise TypeMismatch("the replacements make the text too long")
        except UnicodeEncodeError as error:
            raise TypeMismatch(str(error)) from None
        return with_language_of(text, "".join([*made, source[end:]]))


@lru_cache(maxsize=64)
def compile_regex(pattern: str, flags: str = "") -> Pattern:
    """Compile a pattern; raise ValueError with the reason if RE2 cannot run it in linear time."""
    if unknown := set(flags) - {*_FLAGS, "q"}:
        raise ValueError(f"the REGEX flag {sorted(unknown)[0]!r} is not supported; use i, s, m or q")
    text = re2.escape(pattern) if "q" in flags else _translate_to_re2(pattern)
    inline = "".join(dict.fromkeys(flag for flag in flags if flag in _FLAGS))
    options = re2.Options()
    options.log_errors = False
    try:
        program = re2.compile(f"(?{inline}){text}" if inline else text, options)
    except re2.error as error:
        raise ValueError(f"the REGEX {pattern!r} cannot run in linear time or is malformed: {error}") from None
    return Pattern(program, "q" in flags)


def matches(text: Value, pattern: Value, flags: Value | None = None) -> Value:
    """REGEX with a pattern that is computed for each row."""
    return _pattern(pattern, flags).found_in(text)


def replaced(text: Value, pattern: Value, replacement: Value, flags: Value | None = None) -> Value:
    """REPLACE with a pattern that is computed for each row."""
    return _pattern(pattern, flags).replace(text, replacement)


def _pattern(pattern: Value, flags: Value | None) -> Pattern:
    try:
        return compile_regex(plain_text_of(pattern), plain_text_of(flags) if flags else "")
    except ValueError as error:
        raise TypeMismatch(str(error)) from None


def _translate_to_re2(pattern: str) -> str:
    r"""Translate a pattern from XPath's syntax to RE2's.

    >>> _translate_to_re2(r"[\d-]\d\.")
    '[\\p{Nd}-]\\p{Nd}\\.'
    """
    made: list[str] = []
    inside, last = False, ""
    for token in _TOKEN.findall(pattern):
        if token[0] == "\\":
            if token[1:] in _REFUSED_ESCAPES:
                raise ValueError(f"the REGEX {pattern!r} has {token}, which is not supported")
            made.append((_ESCAPES_INSIDE_CLASS if inside else _ESCAPES_OUTSIDE_CLASS).get(token[1:], token))
        elif not inside:
            inside = token[0] == "["
            made.append(token)
        elif token[0] == "[":
            if last == "-":
                raise ValueError(f"the REGEX {pattern!r} subtracts one character class from another; write it out")
            inside = not token.endswith("]")
            made.append("\\" + token)  # without the backslash it might open RE2's [:alpha:]
        else:
            inside = token != "]"
            made.append(token)
        last = token
    return "".join(made)


def _parse_replacement(replacement: str, groups: int) -> list[str | int]:
    r"""Split a replacement into texts and group numbers (XPath 2.0, 7.6.3): `$1`, `\$`, `\\`.

    Of `$12` with fewer than twelve groups, the 2 is a character.

    >>> _parse_replacement(r"[$12] costs \$5", 1)
    ['[', 1, '2', '] costs ', '$', '5']
    """
    parts: list[str | int] = []
    for found in _REFERENCE.finditer(replacement):
        escaped, digits, stray = found.groups()
        if stray:
            raise TypeMismatch(r"a replacement writes a dollar as \$ and a backslash as \\")
        if not digits:
            parts.append(escaped or found[0])
            continue
        size = next((n for n in range(min(len(digits), 9), 1, -1) if int(digits[:n]) <= groups), 1)
        number = int(digits[:size])
        parts.append(number if number <= groups else "")  # a group that does not exist is empty
        if digits[size:]:
            parts.append(digits[size:])
    return parts
