r"""Find where the words of a text are, for people who want to see them.

`words.plain_words` maps a text to its words and forgets where they were. Here each character becomes one letter that
says what it does to the words around it, so positions stay; a word is then a regular expression over these letters.

>>> [(start, end) for start, end in word_places("Open-Source 3.14.")]
[(0, 4), (5, 11), (12, 16)]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from gtopss.semantics.words import SEPARATOR, Role, character_image, character_role, plain_words, words_needle

_LETTERS = {Role.SEPARATOR: " ", Role.LETTER: "L", Role.MARK: "M", Role.SOLO: "S", Role.POINT: "P", Role.IGNORED: "I"}
_NUMBER = "D(?:I*PI*(?=D))?"  # a digit, and a point before another digit
_WORD = re.compile(f"S(?:I*M)*|(?:L|{_NUMBER})(?:I*(?:L|M|{_NUMBER}))*")


class _RoleLetters(dict[int, str]):
    """The letter of each character, for `str.translate`; D for digits. Computed when a character is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        role = character_role(character)
        letter = _LETTERS[role]
        if role is Role.LETTER and all(each in "0123456789" for each in character_image(character)):
            letter = "D"
        self[code] = letter
        return letter


_ROLE_LETTERS = _RoleLetters()


def word_places(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each word of a text without markup."""
    return (found.span() for found in _WORD.finditer(text.translate(_ROLE_LETTERS)))


def find_words(text: str, needle: str) -> tuple[int, int] | None:
    """Return where a text without markup has the words of a needle first; None if it has not, or the place is unsure.

    The words are those of `words(?text, "needle")`. Raises InvalidNeedle.

    >>> find_words("We like Open-Source software", "open sour*")
    (8, 19)
    """
    mapped, wanted = plain_words(text), words_needle(needle)
    at = mapped.find(wanted)
    if at < 0:
        return None
    first = mapped.count(SEPARATOR, 0, at)
    count = wanted.removesuffix(SEPARATOR).count(SEPARATOR)
    places = list(islice(word_places(text), first, first + count))
    if len(places) < count:
        return None
    start, end = places[0][0], places[-1][1]
    return (start, end) if wanted in plain_words(text[start:end]) else None
