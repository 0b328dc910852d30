"""Cut a piece out of a text: a needle with its surroundings, or the beginning. Long texts are read only there."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from gtopss.explain import limits
from gtopss.model.term_text import shorten

_ELLIPSIS = "…"
_ZERO_WIDTH_JOINER = "\u200d"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A needle where it was found, with what stands before and after it; an ellipsis is where the text was cut.

    White space is written as one blank.
    """

    before: str
    found: str
    after: str

    def __str__(self) -> str:
        return f"{self.before}«{self.found}»{self.after}"

    def narrowed(self, characters: int) -> Excerpt:
        """Return an excerpt with at most so many characters on each side, and of the needle."""
        before, after = self.before.removeprefix(_ELLIPSIS), self.after.removesuffix(_ELLIPSIS)
        if before != self.before or len(before) > characters:
            before = _ELLIPSIS + before[_cut_start(before, max(len(before) - characters, 0)) :]
        if after != self.after or len(after) > characters:
            after = after[: _cut_end(after, min(characters, len(after)))] + _ELLIPSIS
        return Excerpt(before, shorten(self.found, characters), after)


def make_excerpt(text: str, start: int, end: int) -> Excerpt:
    """Return a part of a text with its surroundings, cut between words, or between characters in a long word.

    >>> print(make_excerpt("The clean-up after the flood in the valley has begun", 23, 28))
    The clean-up after the «flood» in the valley has begun
    """
    while 0 < start < end and _joins(text, start):
        start -= 1
    while start < end < len(text) and _joins(text, end):
        end += 1
    first = _cut_start(text, max(start - limits.EXCERPT_CHARACTERS, 0), start)
    last = _cut_end(text, min(end + limits.EXCERPT_CHARACTERS, len(text)), end)
    before, after = _blanks_joined(text[first:start]), _blanks_joined(text[end:last])
    before = _ELLIPSIS + before if first > 0 else before.lstrip()
    after = after + _ELLIPSIS if last < len(text) else after.rstrip()
    return Excerpt(before, _found(text, start, end), after)


def text_start(text: str) -> str:
    """Return the beginning of a text; an ellipsis at the end says that it goes on."""
    last = _cut_end(text, min(limits.TEXT_START_CHARACTERS, len(text)))
    start = _blanks_joined(text[:last]).strip()
    return start + _ELLIPSIS if last < len(text) else start


def _found(text: str, start: int, end: int) -> str:
    """Return a part of a text, without the middle of a long one."""
    half = limits.MAX_NEEDLE_CHARACTERS // 2
    if end - start <= limits.MAX_NEEDLE_CHARACTERS:
        return _blanks_joined(text[start:end])
    return f"{_blanks_joined(text[start : start + half])}{_ELLIPSIS}{_blanks_joined(text[end - half : end])}"


def _cut_start(text: str, first: int, end: int | None = None) -> int:
    """Return where to cut a text at or after `first`: before a word that begins before `end`, else at a character."""
    end = len(text) if end is None else end
    if first == 0 or text[first - 1].isspace():
        return first
    for place in range(first, end - 1):
        if text[place].isspace():
            return place + 1
    while first < end and _joins(text, first):
        first += 1
    return first


def _cut_end(text: str, last: int, start: int = 0) -> int:
    """Return where to cut a text at or before `last`: after a word that ends after `start`, else at a character."""
    if last == len(text) or text[last].isspace():
        return last
    for place in range(last - 1, start, -1):
        if text[place].isspace():
            return place
    while last > start and _joins(text, last):
        last -= 1
    return last


def _joins(text: str, place: int) -> bool:
    """Return whether what begins here belongs to the character before it: combining marks, parts of an emoji."""
    character = text[place]
    joiner = _ZERO_WIDTH_JOINER in (character, text[place - 1])
    return joiner or unicodedata.category(character)[0] == "M" or "\U0001f3fb" <= character <= "\U0001f3ff"


def _blanks_joined(text: str) -> str:
    """Write each run of white space as one blank."""
    joined = " ".join(text.split())
    return f"{' ' * text[:1].isspace()}{joined}{' ' * (text[-1:].isspace() and bool(joined))}"
