"""Parse the short form of a subscription.

    alternatives  = conjunction { "OR" conjunction }
    conjunction   = part { ["AND"] part }
    part          = ("-" | "NOT") part | [field ":"] ( "(" alternatives ")" | word | "phrase" | <iri> )

A word or phrase without a field belongs to the field of the parentheses around it, else to `words`. OR, AND and NOT are
operators only in capitals. A backslash in a phrase makes the next character a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeAlias

from sparqlish.errors import LimitExceeded, SparqlishError

MAX_CHARACTERS = 2_000
"""Characters of a subscription in the short form."""
MAX_DEPTH = 20
"""Nesting of parentheses and of minus signs."""
MAX_PARTS = 100
"""Words, phrases and other conditions of a subscription."""

DEFAULT_FIELD = "words"

_SPACE = re.compile(r"[\s,;]*")
_FIELD = re.compile(r"(\w+):(?!//)")
_PHRASE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_IRI = re.compile(r'<([^\x00-\x20<>"{}|^`\\]*)>')
_WORD = re.compile(r'[^\s()"<>,;]+')
_OPERATOR = re.compile(r"(OR|AND|NOT|\|)(?=[\s(\"-]|$)")
CURLY_QUOTES = str.maketrans("\u201c\u201d\u201e\u201f\u00ab\u00bb", '""""""')
"""Maps the quotes that word processors make to plain ones."""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A text in the short form, and its place in a line of a file: errors show the whole line."""

    text: str
    before: str = ""
    """What precedes the text in its line: `name = `."""
    number: int = 1
    """The number of the line."""

    def error(self, place: int, reason: str) -> SparqlishError:
        """Return the error at an offset of the text."""
        return SparqlishError.at(self.before + self.text, len(self.before) + place, reason, first_line=self.number)

    def limit_error(self, place: int, reason: str, limit: str, value: int) -> LimitExceeded:
        """Return the error at an offset of the text where a limit is exceeded."""
        line, at = self.before + self.text, len(self.before) + place
        return LimitExceeded.at(line, at, reason, first_line=self.number, limit=limit, value=value)


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: the value that a field must have. `place` is its offset in the text."""

    field: str
    value: str
    place: int
    is_iri: bool = False


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a part."""

    part: Part


@dataclass(frozen=True, slots=True)
class All:
    """Parts that must all hold."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """Parts of which one must hold."""

    parts: tuple[Part, ...]


Part: TypeAlias = "Condition | Not | All | Any"


def parse_short_form(source: SourceLine, fields: Collection[str]) -> Part:
    """Return the tree of a text. Raises SparqlishError, with the place and a caret.

    >>> parse_short_form(SourceLine('open -author:"J. Doe"'), ["words", "author"]).parts[1]
    Not(part=Condition(field='author', value='J. Doe', place=13, is_iri=False))
    """
    if len(source.text) > MAX_CHARACTERS:
        reason = f"the text has {len(source.text):,} characters, more than {MAX_CHARACTERS:,}"
        raise source.limit_error(MAX_CHARACTERS, reason, "MAX_CHARACTERS", MAX_CHARACTERS)
    parser = _Parser(source, fields)
    tree = parser.alternatives(DEFAULT_FIELD, 0)
    if parser.place < len(source.text):
        raise parser.error("found a `)` without a `(` before it")
    return tree


class _Parser:
    """A cursor in the text, and one method for each rule of the grammar."""

    def __init__(self, source: SourceLine, fields: Collection[str]) -> None:
        self._source, self.text, self._fields = source, source.text, fields
        self._read = source.text.translate(CURLY_QUOTES)  # as long as `text`
        self._parts = 0
        self.place = 0
        self._skip_space()

    def alternatives(self, field: str, depth: int) -> Part:
        parts = [self._conjunction(field, depth)]
        while self._operator("OR", "|"):
            parts.append(self._conjunction(field, depth))
        return parts[0] if len(parts) == 1 else Any(tuple(parts))

    def error(self, reason: str, place: int | None = None) -> SparqlishError:
        return self._source.error(self.place if place is None else place, reason)

    def _conjunction(self, field: str, depth: int) -> Part:
        parts = [self._part(field, depth)]
        while True:
            explicit = self._operator("AND")
            if not explicit and (self._at_end() or self._peek(")") or self._at_operator("OR", "|")):
                return parts[0] if len(parts) == 1 else All(tuple(parts))
            parts.append(self._part(field, depth))

    def _part(self, field: str, depth: int) -> Part:
        if depth > MAX_DEPTH:
            reason = f"parentheses and minus signs are nested deeper than {MAX_DEPTH}"
            raise self._source.limit_error(self.place, reason, "MAX_DEPTH", MAX_DEPTH)
        if self._peek("-"):
            self.place += 1
            if self._at_end() or self._read[self.place].isspace():
                raise self.error("write the minus directly before what you do not want: -word", self.place - 1)
            return Not(self._part(field, depth + 1))
        if self._operator("NOT"):
            return Not(self._part(field, depth + 1))
        found = _FIELD.match(self._read, self.place)
        if found is not None:
            field = self._known_field(found[1])
            self.place = found.end()
            self._skip_space()
            if self._peek("-"):
                word = _WORD.match(self._read, self.place + 1)
                wanted = f"{field}:{word[0] if word else '...'}"
                raise self.error(f"write the minus before the field: -{wanted}")
        if self._peek("("):
            return self._parentheses(field, depth)
        return self._condition(field)

    def _parentheses(self, field: str, depth: int) -> Part:
        opened = self.place
        self._advance(self.place + 1)
        if self._peek(")"):
            raise self.error("there is nothing between the parentheses", opened)
        part = self.alternatives(field, depth + 1)
        if not self._peek(")"):
            raise self.error("this `(` has no `)`", opened)
        self._advance(self.place + 1)
        return part

    def _condition(self, field: str) -> Condition:
        self._parts += 1
        if self._parts > MAX_PARTS:
            reason = f"there are more than {MAX_PARTS} conditions"
            raise self._source.limit_error(self.place, reason, "MAX_PARTS", MAX_PARTS)
        place = self.place
        if self._at_end() or self._peek(")") or self._at_operator("OR", "AND", "|"):
            raise self.error('expected a word, a "phrase", a field such as topic:health, or `(`')
        if self._peek('"'):
            found = _PHRASE.match(self._read, place)
            if found is None:
                raise self.error("this quote is not closed")
            raw = self.text[found.start(1) : found.end(1)]
            self._advance(found.end())
            value = re.sub(r"\\(.)", r"\1", raw, flags=re.DOTALL)
            if not value.strip():
                raise self.error("there is nothing between the quotes", place)
            return Condition(field, value, place)
        for pattern, is_iri in ((_IRI, True), (_WORD, False)):
            if found := pattern.match(self._read, place):
                self._advance(found.end())
                return Condition(field, found[1] if is_iri else found[0], place, is_iri)
        raise self.error(f"found `{self.text[place]}`: put it into quotes")

    def _known_field(self, name: str) -> str:
        if name.lower() in self._fields:
            return name.lower()
        close = get_close_matches(name.lower(), [*self._fields], n=1)
        hint = f"did you mean {close[0]}:?" if close else f"use one of {', '.join(f'{each}:' for each in self._fields)}"
        raise self.error(f'there is no field {name}: {hint} For the text itself, write "{name}:..." in quotes')

    def _operator(self, *names: str) -> bool:
        if self._at_operator(*names):
            found = _OPERATOR.match(self._read, self.place)
            assert found is not None
            self._advance(found.end())
            return True
        return False

    def _at_operator(self, *names: str) -> bool:
        found = _OPERATOR.match(self._read, self.place)
        return found is not None and found[1] in names

    def _peek(self, sign: str) -> bool:
        return self._read.startswith(sign, self.place)

    def _at_end(self) -> bool:
        return self.place >= len(self._read)

    def _advance(self, place: int) -> None:
        self.place = place
        self._skip_space()

    def _skip_space(self) -> None:
        found = _SPACE.match(self._read, self.place)
        assert found is not None
        self.place = found.end()
