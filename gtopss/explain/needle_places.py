"""Find where a needle is in a text as it was written, though it was looked for in another one: LCASE, UCASE, words.

A mapping may change the length of a text (ß becomes SS), so a position in the mapped text is not one in the text. Where
the place cannot be found for certain, there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gtopss.model import Call
from gtopss.semantics.budget import EvaluationBudget
from gtopss.semantics.html_text import html_text
from gtopss.semantics.special_forms import constant_pattern
from gtopss.semantics.word_places import find_words

CASE_MAPPINGS: dict[str, Callable[[str], str]] = {"LCASE": str.lower, "UCASE": str.upper}
"""The functions under which needles are looked for, with what they do to a text."""
_CHUNK_CHARACTERS = 1_000  # mapped at once: long texts are not mapped character by character
_STEPS_PER_CHARACTER = 2
_STEPS_PER_WORDS_CHARACTER = 6


class Place(NamedTuple):
    """A part of a text: for words, of the text without its markup."""

    text: str
    start: int
    end: int


def find_needle(
    test: Call, mapping: Callable[[str], str] | None, text: str, needle: str, budget: EvaluationBudget
) -> Place | None:
    """Return the first place of a needle, or None. The budget pays for it; raises what its `exceed` raises."""
    if test.function in ("WORDS", "HAS"):
        budget.spend(len(text) * _STEPS_PER_WORDS_CHARACTER)
        plain = html_text(text)
        words = find_words(plain, needle)
        return None if words is None else Place(plain, *words)
    budget.spend(len(text) * _STEPS_PER_CHARACTER)
    found = _find_mapped(test, text if mapping is None else mapping(text), needle, budget)
    if found is not None and mapping is not None:
        found = original_range(text, mapping, *found)
    return None if found is None else Place(text, *found)


def _find_mapped(test: Call, mapped: str, needle: str, budget: EvaluationBudget) -> tuple[int, int] | None:
    """Return where a needle is in the text that is searched."""
    if test.function == "REGEX":
        pattern = constant_pattern(test)
        return None if pattern is None else pattern.place_in(mapped, budget)
    match test.function:
        case "STRSTARTS" | "=":
            start = 0
        case "STRENDS":
            start = len(mapped) - len(needle)
        case _:
            start = mapped.find(needle)
    end = start + len(needle)
    return (start, end) if needle and start >= 0 and mapped[start:end] == needle else None


def original_range(text: str, mapping: Callable[[str], str], start: int, end: int) -> tuple[int, int] | None:
    """Return the characters of a text from which a part of the mapped text was made.

    The mapping must give each character an image of the same length, whatever its neighbours are.

    >>> original_range("Straße 5", str.upper, 4, 6)
    (4, 5)
    """
    if text.isascii() or start == end == 0:
        return start, end
    first, last = (_original_position(text, mapping, position) for position in (start, end - 1))
    return None if first is None or last is None else (first, last + 1)


def _original_position(text: str, mapping: Callable[[str], str], position: int) -> int | None:
    """Return the character from which the one at a position of the mapped text was made."""
    passed = 0
    for start in range(0, len(text), _CHUNK_CHARACTERS):
        chunk = text[start : start + _CHUNK_CHARACTERS]
        size = len(mapping(chunk))
        if passed + size > position:
            for number, character in enumerate(chunk, start):
                passed += len(mapping(character))
                if passed > position:
                    return number
            return None
        passed += size
    return None
