r"""Find the literals of a regular expression: texts of which every text that it matches contains at least one.

An index can search for these texts, and run RE2 only where one is found.

>>> required_literals("^Breaking: .* storm").alternatives
('Breaking: ',)
>>> required_literals("floods?|(heavy|tropical) storm").alternatives
('flood', 'heavy storm', 'tropical storm')
>>> required_literals("[a-z]+") is None
True

With the flag i, the literals must be looked up in the text in lower or in upper case (`case`). A letter is part of such
a literal only if all the letters that RE2 takes for it are one text in that case: s is not in lower case (ſ stays ſ),
and k is not in upper case (the Kelvin sign stays), so the case is chosen in which the literals are longer.

The method is that of Cox's Code Search: each part of a pattern has the texts that it matches, if they are few, or else
texts of which one must occur. Nothing here needs to be complete: what is not understood has no literals.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple, TypeAlias

import re2

from gtopss.semantics.regex import translate_to_re2

Case: TypeAlias = Literal["LCASE", "UCASE"]
"""The function that maps a text before literals are looked up in it."""

_MAX_ALTERNATIVES = 16
_MAX_EXACT_CHARACTERS = 1_000  # of all texts that a part matches
_MAX_DEPTH = 100

_MAPPINGS: dict[Case, Callable[[str], str]] = {"LCASE": str.lower, "UCASE": str.upper}
_ZERO_WIDTH = frozenset("bBAz")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_NAMED_CLASS = re.compile(r"\\[pP](?:\{[^}]*\}|.)", re.DOTALL)
_HEXADECIMAL = re.compile(r"\\x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))")
_COUNT = "(?:0|[1-9][0-9]{0,3})"  # RE2 reads other numbers in braces as text
_REPEATED = re.compile(rf"(?:([*+?])|\{{({_COUNT})(,{_COUNT}?)?\}})\??")
_GROUP = re.compile(r"\((?:\?:|\?P?<[A-Za-z0-9_]+>)?(?!\?)")


@dataclass(frozen=True, slots=True)
class RequiredLiterals:
    """Texts of which at least one occurs in every match; `case` maps the text that they are looked up in."""

    alternatives: tuple[str, ...]
    case: Case | None = None
    is_exact: bool = False
    """Whether the pattern matches every text that contains one of them: then nothing else need be tested."""

    @property
    def _quality(self) -> tuple[int, int]:
        return min(map(len, self.alternatives)), -len(self.alternatives)


def required_literals(pattern: str, flags: str = "") -> RequiredLiterals | None:
    """Return literals of a pattern that `compile_regex` accepts, or None if it has none that are known."""
    if "i" not in flags:
        return _find(pattern, flags, None)
    found = [literals for case in _MAPPINGS if (literals := _find(pattern, flags, case)) is not None]
    return max(found, key=lambda each: each._quality, default=None)


def _find(pattern: str, flags: str, case: Case | None) -> RequiredLiterals | None:
    try:
        reader = _Reader(translate_to_re2(pattern) if "q" not in flags else "", case)
        part = reader.whole() if "q" not in flags else _concatenated([_character(each, case) for each in pattern])
    except _NotUnderstoodError:
        return None
    is_exact = case is None and part.exact is not None and "" not in part.exact and not reader.has_assertion
    required = part.exact if is_exact else part.best()
    if required is None:
        return None
    shortest = [each for each in sorted(required) if not any(other in each for other in required - {each})]
    return RequiredLiterals(tuple(shortest), case, is_exact)


class _NotUnderstoodError(Exception):
    """A pattern has syntax that is not read here."""


class _Part(NamedTuple):
    """What is known of the texts that a part of a pattern matches."""

    exact: frozenset[str] | None = None
    """All these texts, if they are few."""
    required: frozenset[str] | None = None
    """Texts of which at least one occurs in each of them."""

    def best(self) -> frozenset[str] | None:
        return _better(self.required, self.exact)


_ANY = _Part()
_EMPTY = _Part(frozenset({""}))


def _better(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    """Return the alternatives whose shortest text is longer; those with an empty text say nothing."""
    useful = [each for each in (one, other) if each and "" not in each]
    return max(useful, key=lambda each: (min(map(len, each)), -len(each)), default=None)


def _is_small(texts: frozenset[str]) -> bool:
    return len(texts) <= _MAX_ALTERNATIVES and sum(map(len, texts)) <= _MAX_EXACT_CHARACTERS


def _concatenated(parts: Iterable[_Part]) -> _Part:
    """Return what is known of parts one after the other: the exact texts of neighbours are joined."""
    run, required, is_whole = frozenset({""}), None, True
    for part in parts:
        joined = run if part.exact is None else frozenset(a + b for a in run for b in part.exact)
        if part.exact is not None and _is_small(joined):
            run = joined
            continue
        is_whole = False
        required = _better(_better(required, run), part.required)
        run = part.exact if part.exact is not None else frozenset({""})
    return _Part(run if is_whole else None, _better(required, run))


def _alternated(parts: list[_Part]) -> _Part:
    """Return what is known of a choice between parts."""
    if len(parts) == 1:
        return parts[0]
    exact = [part.exact for part in parts if part.exact is not None]
    if len(exact) == len(parts) and _is_small(union := frozenset().union(*exact)):
        return _Part(union, union)
    best = [each for part in parts if (each := part.best()) is not None]
    if len(best) == len(parts) and _is_small(union := frozenset().union(*best)):
        return _Part(None, union)
    return _ANY


def _repeated(part: _Part, least: int, is_once_at_most: bool) -> list[_Part]:
    """Return a part that is repeated, as parts one after the other."""
    if least == 0:
        if is_once_at_most and part.exact is not None:
            return [_Part(part.exact | {""})]
        return [_ANY]
    return [part] if least == 1 and is_once_at_most else [part, _ANY]


class _Reader:
    """Reads a pattern in RE2's syntax from left to right."""

    def __init__(self, pattern: str, case: Case | None) -> None:
        self.pattern, self.case = pattern, case
        self.i = 0
        self.has_assertion = False  # such as ^ or \b, which tests what is beside a text

    def whole(self) -> _Part:
        part = self._choice(0)
        if self.i < len(self.pattern):
            raise _NotUnderstoodError
        return part

    def _choice(self, depth: int) -> _Part:
        if depth > _MAX_DEPTH:
            raise _NotUnderstoodError
        choices = [self._sequence(depth)]
        while self.pattern.startswith("|", self.i):
            self.i += 1
            choices.append(self._sequence(depth))
        return _alternated(choices)

    def _sequence(self, depth: int) -> _Part:
        parts: list[_Part] = []
        while self.i < len(self.pattern) and self.pattern[self.i] not in "|)":
            atom = self._atom(depth)
            if found := _REPEATED.match(self.pattern, self.i):
                self.i = found.end()
                sign, least, most = found.groups()
                if _REPEATED.match(self.pattern, self.i):
                    raise _NotUnderstoodError
                if least == "0" and not most:
                    parts.append(_EMPTY)
                else:
                    is_once_at_most = sign == "?" or (not sign and not most)
                    parts += _repeated(atom, (sign == "+") if sign else int(least), is_once_at_most)
            else:
                parts.append(atom)
        return _concatenated(parts)

    def _atom(self, depth: int) -> _Part:
        sign = self.pattern[self.i]
        if sign == "(":
            return self._group(depth)
        if sign == "\\":
            return self._escape()
        if sign == "[":
            self._skip(_CLASS)
            return _ANY
        self.i += 1
        if sign in "*+?":
            raise _NotUnderstoodError
        if sign in "^$":
            self.has_assertion = True
            return _EMPTY
        return _ANY if sign == "." else _character(sign, self.case)

    def _group(self, depth: int) -> _Part:
        self._skip(_GROUP)
        part = self._choice(depth + 1)
        if not self.pattern.startswith(")", self.i):
            raise _NotUnderstoodError
        self.i += 1
        return part

    def _escape(self) -> _Part:
        escaped = self.pattern[self.i + 1 : self.i + 2]
        if escaped in ("p", "P"):
            self._skip(_NAMED_CLASS)
            return _ANY
        if escaped == "x":
            found = self._skip(_HEXADECIMAL)
            code = int(found[1] or found[2], 16)
            if code > 0x10FFFF or 0xD800 <= code < 0xE000:
                raise _NotUnderstoodError
            return _character(chr(code), self.case)
        self.i += 2
        if escaped in _ZERO_WIDTH:
            self.has_assertion = True
            return _EMPTY
        if escaped in _CONTROLS:
            return _character(_CONTROLS[escaped], self.case)
        if not escaped or not escaped.isascii() or escaped.isalnum():
            raise _NotUnderstoodError
        return _character(escaped, self.case)

    def _skip(self, syntax: re.Pattern[str]) -> re.Match[str]:
        found = syntax.match(self.pattern, self.i)
        if found is None:
            raise _NotUnderstoodError
        self.i = found.end()
        return found


# --- letters without case ------------------------------------------------------------------------------------------


def _character(character: str, case: Case | None) -> _Part:
    """Return the part that a character is: with the flag i, the text that all its forms have in a case."""
    if case is None:
        return _Part(frozenset({character}))
    image = _image(character, case)
    return _ANY if image is None else _Part(frozenset({image}))


@lru_cache(maxsize=4096)
def _image(character: str, case: Case) -> str | None:
    """Return what all characters that RE2 takes for this one are in a case; None if they differ."""
    images = {_MAPPINGS[case](each) for each in same_without_case(character)}
    return images.pop() if len(images) == 1 else None


@lru_cache(maxsize=4096)
def same_without_case(character: str) -> frozenset[str]:
    """Return the characters that RE2 takes for this one with the flag i.

    RE2 itself says so, because its Unicode may be newer than Python's.

    >>> [ascii(each) for each in sorted(same_without_case("k"))]
    ["'K'", "'k'", "'\\\\u212a'"]
    """
    if unicodedata.category(character) in _UNCASED:
        return frozenset({character})
    return frozenset(re2.compile(f"(?i){re2.escape(character)}").findall(_cased_characters())) | {character}


_UNCASED = frozenset(("Lo", "Nd", "No", "Zs", "Cc", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sc", "Sm"))
"""Categories of characters that have no case, nor are the other case of one."""


@cache
def _cased_characters() -> str:
    """Return the characters that may have a case, those included that Python does not know yet."""
    return "".join(
        each for each in map(chr, range(0x20000)) if unicodedata.category(each) not in (*_UNCASED, "Cs", "Co")
    )
