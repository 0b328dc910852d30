"""REGEX and REPLACE, by the specification's own examples and against Oxigraph (SPARQL 1.1, 17.4.3.14-15)."""

from __future__ import annotations

import itertools

import pytest
from support.evaluation import TEXTS, assert_agrees_with_oxigraph, evaluate_text, examples, expected_term

EXAMPLES = r"""
REGEX("Alice", "^ali", "i")                 -> true
REGEX("Alice", "^ali")                      -> false
REGEX("Alice"@en, "^Ali")                   -> true
REGEX("a\nb", "a.b")                        -> false
REGEX("a\nb", "a.b", "s")                   -> true
REGEX("a\nb", "^b$", "m")                   -> true
REGEX("a\n", "a$")                          -> false
REGEX("٣", "^\\d$")                         -> true
REGEX("é", "^\\w$")                         -> true
REGEX("é", "^[\\W]$")                       -> false
REGEX("a b", "^[^\\S]$|a\\sb")              -> true
REGEX("[", "[[:]")                          -> true
REGEX("Alice", STR("^ali"), STR("i"))       -> true
REGEX("Alice", STR("("))                    -> error
REGEX("Alice", STR("[a-z-[c]]"))            -> error
REGEX("Alice", STR("\\C"))                  -> error
REGEX("Alice", 5)                           -> error
REGEX("Alice", "a"@en)                      -> error
REGEX(<urn:a>, "a")                         -> error
REPLACE("abcd", "b", "Z")                   -> "aZcd"
REPLACE("abab", "B", "Z", "i")              -> "aZaZ"
REPLACE("abab", "B.", "Z", "i")             -> "aZb"
REPLACE("abracadabra", "bra", "*")          -> "a*cada*"
REPLACE("abracadabra", "a.*a", "*")         -> "*"
REPLACE("abracadabra", "a.*?a", "*")        -> "*c*bra"
REPLACE("abracadabra", "a", "")             -> "brcdbr"
REPLACE("abracadabra", "a(.)", "a$1$1")     -> "abbraccaddabbra"
REPLACE("abracadabra", ".*?", "$1")         -> error
REPLACE("AAAA", "A+", "b")                  -> "b"
REPLACE("AAAA", "A+?", "b")                 -> "bbbb"
REPLACE("darted", "^(.*?)d(.*)$", "$1c$2")  -> "carted"
REPLACE("abcd", "(ab)|(a)", "[1=$1][2=$2]") -> "[1=ab][2=]cd"
REPLACE("abcd", "(b)", "$12$2")             -> "ab2cd"
REPLACE("a.c", "\\.", "\\$1\\\\")           -> "a$1\\c"
REPLACE("a.c", ".", "$0", "q")              -> "a$0c"
REPLACE("abc", "b", "$")                    -> error
REPLACE("abc", "b", "\\n")                  -> error
REPLACE("abc"@en, "b", "é")                 -> "aéc"@en
REPLACE("abc", "b", "x"@en)                 -> error
REPLACE(5, "b", "x")                        -> error
REPLACE("abc", STR("b"), "x")               -> "axc"
"""


@pytest.mark.parametrize(("text", "expected"), examples(EXAMPLES))
def test_by_the_specification(text: str, expected: str) -> None:
    assert evaluate_text(text) == expected_term(expected)


def test_replace_is_oxigraphs() -> None:
    patterns = ['"b"', '"(b)"', '"[^a-z0-9]"', '"B"', '"x*"', r'"\\d|b"', '"(b)|(c)"']
    replacements = ['"-"', '"[$1]"', '"$0$0"', '""', r'"\\$"', '"é"']
    for parts in itertools.product(TEXTS, patterns, replacements):
        assert_agrees_with_oxigraph(f"REPLACE({', '.join(parts)}{flags})" for flags in ("", ', "i"', ', "q"'))
