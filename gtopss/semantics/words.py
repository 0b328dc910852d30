r"""`words(?text, "open source")`: these words in this order, as words, without case (docs/meaning.md defines a word).

A text is mapped to its words, each after a separator, the last one also before one; a needle is mapped in the same way.
So a text has the words of a needle exactly if one mapped text contains the other, and the index can search for needles
as it does for those of CONTAINS.

>>> words_text("Open-Source <b>soft</b>ware")
'\x1fopen\x1fsource\x1fsoftware\x1f'
>>> words_needle("open source"), words_needle("open sour*")
('\x1fopen\x1fsource\x1f', '\x1fopen\x1fsour')

`character_role` and `character_image` define the mapping of each character. The compiled mapping of the index is made
from them (`gtopss.matching.index.kernels.text_mappings`); `words_text` here defines what it must compute.
"""

from __future__ import annotations

import re
import unicodedata
from enum import IntEnum
from functools import lru_cache

from gtopss.semantics.budget import EvaluationBudget
from gtopss.semantics.html_text import html_text
from gtopss.semantics.strings import plain_text_of, text_of
from gtopss.semantics.values import FALSE, TRUE, TypeMismatch, Value

SEPARATOR = "\x1f"
"""Stands before each word of a mapped text, and after the last one. A control character is never part of a word."""
MAX_NEEDLE_CHARACTERS = 1_000
"""Characters of a needle of `words`; a longer one is refused."""
_STEPS_PER_CHARACTER = 3  # of other scripts than Latin, or amid markup
_MAX_CACHED_TEXTS, _MAX_CACHED_CHARACTERS = 256, 2_000
_MAX_CACHED_ARTICLES, _MAX_ARTICLE_CHARACTERS = 4, 1_000_000  # longer texts: many subscriptions ask for one of them

_POINTS = ".,"
# What Python's mapping writes besides: no text has control characters after its characters were mapped.
_MARK = "\x1d"  # before each combining mark
_SOLO_END = "\x1e"  # after a character that is a word of its own, before its marks

_UNSPACED_SCRIPTS = (
    "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA", "HENTAIGANA",
    "THAI ", "LAO ", "KHMER ", "MYANMAR ", "TAI ", "NEW TAI LUE", "TIBETAN ", "YI SYLLABLE", "BOPOMOFO",
)  # fmt: skip
"""How Unicode's names of characters begin in scripts that are written without blanks between words."""
_PICTOGRAPHS = (range(0x2600, 0x27C0), range(0x1F000, 0x20000))
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_ZERO_WIDTH_SPACE = 0x200B


class InvalidNeedle(ValueError):
    """A needle of `words` that asks for nothing, or for more than may be asked."""


class Role(IntEnum):
    """What a character does to the words around it."""

    SEPARATOR = 0
    LETTER = 1  # a letter or a digit of a word
    MARK = 2  # belongs to the character before it; after a separator it is nothing
    SOLO = 3  # a word of its own
    POINT = 4  # part of a number between two digits, otherwise a separator
    IGNORED = 5  # nothing: the word goes on


def character_role(character: str) -> Role:
    """Return the role of a character.

    >>> [character_role(each).name for each in "aé3語ภ👍.-\\u00ad\\u0301"]
    ['LETTER', 'LETTER', 'LETTER', 'SOLO', 'SOLO', 'SOLO', 'POINT', 'SEPARATOR', 'IGNORED', 'MARK']
    """
    if character in _POINTS:
        return Role.POINT
    code, category = ord(character), unicodedata.category(character)
    if category == "Cf":
        return Role.SEPARATOR if code == _ZERO_WIDTH_SPACE else Role.IGNORED
    if (category == "Sk" and code in _SKIN_TONES) or any(code in each for each in _VARIATION_SELECTORS):
        return Role.IGNORED
    if category == "So" and any(code in each for each in _PICTOGRAPHS):
        return Role.SOLO
    if category[0] not in "LMN":
        return Role.SEPARATOR
    image = character_image(character)
    if _all_in(image, "M"):
        return Role.MARK
    return Role.SOLO if is_unspaced(image[0]) else Role.LETTER


def character_image(character: str) -> str:
    """Return what a character of a word is compared as: without case, and in one of its equivalent forms.

    That is Unicode's compatibility decomposition, folded, unless it is no part of a word by itself (½ would be
    1, a slash and 2). Hangul syllables stay whole, so that a prefix ends at a syllable.

    >>> character_image("Ａ"), character_image("ß"), character_image("½"), len(character_image("é"))
    ('a', 'ss', '½', 2)
    """
    if _is_hangul_syllable(character) or (
        unicodedata.is_normalized("NFKD", character) and character.casefold() == character
    ):
        return character
    for form in ("NFKD", "NFD"):
        image = unicodedata.normalize(form, unicodedata.normalize(form, character).casefold())
        starts_word = unicodedata.category(image[0])[0] != "M" or _all_in(image, "M")
        if starts_word and _all_in(image, "LMN") and not any(map(is_jamo, image)):
            return image
    return character


def words_text(text: str) -> str:
    """Return the words of a text that may be HTML, each after a separator, and a separator at the end."""
    if len(text) <= _MAX_CACHED_CHARACTERS:
        return _words_of_short_text(text)
    return _words_of_article(text) if len(text) <= _MAX_ARTICLE_CHARACTERS else _words_of(text)


def _words_of(text: str) -> str:
    return plain_words(html_text(text))


_words_of_short_text = lru_cache(maxsize=_MAX_CACHED_TEXTS)(_words_of)
_words_of_article = lru_cache(maxsize=_MAX_CACHED_ARTICLES)(_words_of)


@lru_cache(maxsize=1_000)
def words_needle(needle: str) -> str:
    """Return what the mapped text of a match contains. Raises InvalidNeedle."""
    if len(needle) > MAX_NEEDLE_CHARACTERS:
        raise InvalidNeedle(f"words takes at most {MAX_NEEDLE_CHARACTERS:,} characters, not {len(needle):,}")
    stripped = needle.rstrip()
    is_prefix = stripped.endswith("*")
    phrase = stripped.removesuffix("*")
    ends_with_word = phrase[-1:].translate(_IMAGES).strip(SEPARATOR + _POINTS) != ""
    if "*" in phrase or (is_prefix and not ends_with_word):
        raise InvalidNeedle(f'words takes a * only at the end of the last word, as in "open sour*", not {needle!r}')
    words = plain_words(phrase)
    if words == SEPARATOR:
        raise InvalidNeedle(f"words needs a word to look for, and there is none in {needle!r}")
    return words.removesuffix(SEPARATOR) if is_prefix else words


def has_words(budget: EvaluationBudget, text: Value, needle: Value) -> Value:
    """WORDS: the text is a string in any language, the needle a string without one."""
    searched, wanted = text_of(text), plain_text_of(needle)
    try:
        mapped_needle = words_needle(wanted)
    except InvalidNeedle as error:
        raise TypeMismatch(str(error)) from None
    budget.reserve(len(searched))
    budget.spend(_STEPS_PER_CHARACTER * len(searched))
    return TRUE if mapped_needle in words_text(searched) else FALSE


# --- the mapping of a plain text -----------------------------------------------------------------------------------


class _Images(dict[int, str]):
    """What each character becomes, for `str.translate`; computed when a character is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        role = character_role(character)
        image = ""
        if role is Role.SEPARATOR:
            image = SEPARATOR
        elif role is Role.POINT:
            image = character
        elif role is not Role.IGNORED:
            marked = (_MARK + each if _all_in(each, "M") else each for each in character_image(character))
            image = "".join(marked)
            if role is Role.SOLO:
                image = SEPARATOR + image + _SOLO_END
        self[code] = image
        return image


_IMAGES = _Images()
_LONE_POINT = re.compile(r"(?<![0-9])[.,]|[.,](?![0-9])")
_SOLO_MARKS = re.compile(f"{_SOLO_END}((?:{_MARK}.)+)", re.DOTALL)
_SEPARATORS = re.compile(f"[{SEPARATOR}{_SOLO_END}](?:[{SEPARATOR}{_SOLO_END}]|{_MARK}.)*", re.DOTALL)
_MARKS = re.compile(f"(?:{_MARK}.){{2,}}", re.DOTALL)
_HANGUL = re.compile("[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\uac00-\ud7a3][\u11a8-\u11c2]")


def plain_words(text: str) -> str:
    """Map a text without markup."""
    mapped = f"{SEPARATOR}{text.translate(_IMAGES)}{SEPARATOR}"
    mapped = _LONE_POINT.sub(SEPARATOR, mapped)
    if _SOLO_END in mapped:
        mapped = _SOLO_MARKS.sub(rf"\1{_SOLO_END}", mapped)
    mapped = _SEPARATORS.sub(SEPARATOR, mapped)
    if _MARK in mapped:
        mapped = _MARKS.sub(lambda found: _in_order(found[0].replace(_MARK, "")), mapped).replace(_MARK, "")
    if not mapped.isascii():
        mapped = _HANGUL.sub(lambda found: unicodedata.normalize("NFC", found[0]), mapped)
    return mapped


def _in_order(marks: str) -> str:
    """Return combining marks in canonical order: which of two was typed first does not matter."""
    return unicodedata.normalize("NFD", marks)


def is_unspaced(character: str) -> bool:
    """Return whether a character belongs to a script that is written without blanks between words."""
    return unicodedata.name(character, "").startswith(_UNSPACED_SCRIPTS)


def _all_in(text: str, categories: str) -> bool:
    return all(unicodedata.category(each)[0] in categories for each in text)


def _is_hangul_syllable(character: str) -> bool:
    return "\uac00" <= character <= "\ud7a3"


def is_jamo(character: str) -> bool:
    """Return whether a character is a letter of which Hangul syllables are composed."""
    return "\u1100" <= character <= "\u11ff"
