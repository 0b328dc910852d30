"""Text operators (DEBS 2007, section 2.1.1: predicates over text data).

| operator                      | true when, or binds                                                          |
|-------------------------------|------------------------------------------------------------------------------|
| `mentions(word, ...)`         | each word is in some literal of the publication                              |
| `hasWords(text, word, ...)`   | each word is in the text                                                     |
| `matchesText(text, pattern)`  | RE2 finds the pattern, as REGEX does                                         |
| `languageOf(text, ?language)` | the language that the text is written in, as a tag such as "en"; py3langid   |

A word is compared whole, without regard to case; an argument of several words asks for them side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

from gtopss.model import Publication, Term
from gtopss.model.terms import is_literal, literal, literal_parts
from gtopss.operators.declaration import declare_operator
from gtopss.operators.shipped.libraries import library
from gtopss.operators.shipped.values import text_of
from gtopss.semantics.regex import Pattern, compile_regex
from gtopss.semantics.values import TRUE, value_of

SURE = 0.5
"""The probability below which a language is not given: of a name or two, nobody can tell."""

_WORD = re.compile(r"\w+")


def mentions(publication: Publication, *words: Term) -> bool:
    literals = [_words(literal_parts(each[2])[0]) for each in publication.triples if is_literal(each[2])]
    return all(any(wanted in found for found in literals) for wanted in _wanted(words))


def has_words(text: Term, *words: Term) -> bool:
    found = _words(text_of(text))
    return all(wanted in found for wanted in _wanted(words))


def matches_text(text: Term, pattern: Term) -> bool:
    return _pattern(text_of(pattern)).found_in(value_of(text)) is TRUE


def language_of(text: Term) -> list[Term]:
    tag, probability = _identifier().classify(text_of(text))
    return [literal(tag)] if probability >= SURE else []


def _words(text: str) -> str:
    """The words of a text in lower case, each between blanks."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _wanted(words: Iterable[Term]) -> list[str]:
    return [_words(text_of(word)) for word in words]


@lru_cache(maxsize=1000)
def _pattern(pattern: str) -> Pattern:
    return compile_regex(pattern)


@cache
def _identifier() -> Any:
    module = library("languageOf", "py3langid.langid")
    return module.LanguageIdentifier.from_model_file(module.MODEL_FILE, norm_probs=True)


def _check_words(*words: Term | None) -> None:
    for word in words:
        if word is not None and not _words(text_of(word)).strip():
            raise ValueError(f"{word} has no word")


def _check_pattern(text: Term | None, pattern: Term | None) -> None:
    if pattern is not None:
        _pattern(text_of(pattern))


OPERATORS = (
    declare_operator("mentions", mentions, arity=(1, None), cost=0.01, timeout=None, check=_check_words),
    declare_operator(
        "hasWords", has_words, arity=(2, None), cost=0.01, timeout=None, pure=True,
        check=lambda text, *words: _check_words(*words),
    ),
    declare_operator("matchesText", matches_text, cost=0.01, timeout=None, pure=True, check=_check_pattern),
    declare_operator("languageOf", language_of, cost=0.1, timeout=None, pure=True, binds=1),
)  # fmt: skip
