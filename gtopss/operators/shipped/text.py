"""Text operators (DEBS 2007, section 2.1.1: predicates over text data).

| operator                      | is true if, or computes                                                              |
|-------------------------------|--------------------------------------------------------------------------------------|
| `mentions(word, ...)`         | each word occurs in some literal of the publication                                  |
| `hasWords(text, word, ...)`   | each word occurs in the text                                                         |
| `matchesText(text, pattern)`  | RE2 finds the pattern in the text, as in REGEX                                       |
| `languageOf(text, ?language)` | the language of the text (by py3langid), as a tag such as "en"; HTML is read as text |

Words are compared as a whole and without case. An argument of several words requires them next to each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

from gtopss.model import Publication, Term
from gtopss.model.terms import is_literal, literal, literal_parts
from gtopss.operators.declaration import declare_operator
from gtopss.operators.shipped.libraries import import_library
from gtopss.operators.shipped.values import text_of
from gtopss.semantics.budget import EvaluationBudget, EvaluationLimits
from gtopss.semantics.html_text import html_text
from gtopss.semantics.regex import Pattern, compile_regex
from gtopss.semantics.values import TRUE, value_of

MIN_LANGUAGE_PROBABILITY = 0.5
"""Probability below which no language is returned: the text is too short, a name or two."""

_WORD = re.compile(r"\w+")


def mentions(publication: Publication, *words: Term) -> bool:
    """Return whether each word occurs in some literal of the publication."""
    literals = [_words(literal_parts(each[2])[0]) for each in publication.triples if is_literal(each[2])]
    return all(any(phrase in text for text in literals) for phrase in _phrases(words))


def has_words(text: Term, *words: Term) -> bool:
    """Return whether each word occurs in the text."""
    searched = _words(text_of(text))
    return all(phrase in searched for phrase in _phrases(words))


def matches_text(text: Term, pattern: Term) -> bool:
    """Return whether RE2 finds the pattern in the text."""
    return _pattern(text_of(pattern)).found_in(value_of(text), EvaluationBudget(EvaluationLimits())) is TRUE


def language_of(text: Term) -> list[Term]:
    """Return the language tag of the text, or nothing if it is uncertain. HTML is read as text."""
    tag, probability = _identifier().classify(html_text(text_of(text)))
    return [literal(tag)] if probability >= MIN_LANGUAGE_PROBABILITY else []


def _words(text: str) -> str:
    """Return the words of a text in lower case, each between blanks."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _phrases(words: Iterable[Term]) -> list[str]:
    return [_words(text_of(word)) for word in words]


@lru_cache(maxsize=100)
def _pattern(pattern: str) -> Pattern:
    return compile_regex(pattern)


@cache
def _identifier() -> Any:
    module = import_library("languageOf", "py3langid.langid")
    return module.LanguageIdentifier.from_model_file(module.MODEL_FILE, norm_probs=True)


def _check_words(*words: Term | None) -> None:
    for word in words:
        if word is not None and not _words(text_of(word)).strip():
            raise ValueError(f"{word} contains no word")


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
