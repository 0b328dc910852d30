"""Functions on strings and hashes, by the specification and against Oxigraph (SPARQL 1.1, sections 17.4.3, 17.4.6)."""

from __future__ import annotations

import itertools

import pytest
from support.evaluation import TEXTS, assert_agrees_with_oxigraph, evaluate_text, examples, expected_term

EXAMPLES = r"""
STRLEN("chat")                              -> 4
STRLEN("chat"@en)                           -> 4
STRLEN("𝒳é")                                -> 2
STRLEN(5)                                   -> error
SUBSTR("foobar", 4)                         -> "bar"
SUBSTR("foobar"@en, 4)                      -> "bar"@en
SUBSTR("foobar", 4, 1)                      -> "b"
SUBSTR("foobar"@en, 4, 1)                   -> "b"@en
SUBSTR("motor car", 6)                      -> " car"
SUBSTR("metadata", 4, 3)                    -> "ada"
SUBSTR("12345", 1.5, 2.6)                   -> "234"
SUBSTR("12345", 0, 3)                       -> "12"
SUBSTR("12345", 5, -3)                      -> ""
SUBSTR("12345", -3, 5)                      -> "1"
SUBSTR("12345", 0e0/0e0, 3)                 -> ""
SUBSTR("12345", 1, 0e0/0e0)                 -> ""
SUBSTR("12345", -42, 1e0/0e0)               -> "12345"
SUBSTR("12345", -1e0/0e0, 1e0/0e0)          -> ""
SUBSTR("12345", "1")                        -> error
UCASE("foo"@en)                             -> "FOO"@en
LCASE("BAR")                                -> "bar"
UCASE(5)                                    -> error
STRSTARTS("foobar"@en, "foo"@en)            -> true
STRSTARTS("foobar"@en, "foo")               -> true
STRSTARTS("foobar", "foo"@en)               -> error
STRENDS("foobar"@en, "bar"@en)              -> true
STRENDS("foobar"@en, "bar"@fr)              -> error
CONTAINS("foobar"@en, "bar")                -> true
CONTAINS("foobar", "baz")                   -> false
STRBEFORE("abc", "b")                       -> "a"
STRBEFORE("abc"@en, "bc")                   -> "a"@en
STRBEFORE("abc"@en, "b"@cy)                 -> error
STRBEFORE("abc"^^xsd:string, "")            -> ""
STRBEFORE("abc", "xyz")                     -> ""
STRBEFORE("abc"@en, "z"@en)                 -> ""
STRBEFORE("abc"@en, "z")                    -> ""
STRBEFORE("abc"@en, ""@en)                  -> ""@en
STRBEFORE("abc"@en, "")                     -> ""@en
STRAFTER("abc", "b")                        -> "c"
STRAFTER("abc"@en, "ab")                    -> "c"@en
STRAFTER("abc"@en, "b"@cy)                  -> error
STRAFTER("abc"^^xsd:string, "")             -> "abc"
STRAFTER("abc", "xyz")                      -> ""
STRAFTER("abc"@en, "z"@en)                  -> ""
STRAFTER("abc"@en, ""@en)                   -> "abc"@en
STRAFTER("abc"@en, "")                      -> "abc"@en
ENCODE_FOR_URI("Los Angeles")               -> "Los%20Angeles"
ENCODE_FOR_URI("~bébé/_-."@en)              -> "~b%C3%A9b%C3%A9%2F_-."
CONCAT("foo", "bar")                        -> "foobar"
CONCAT("foo"@en, "bar"@en)                  -> "foobar"@en
CONCAT("foo"@en, "bar")                     -> "foobar"
CONCAT("foo"@en, "bar"@fr)                  -> "foobar"
CONCAT("foo"@en)                            -> "foo"@en
CONCAT()                                    -> ""
CONCAT("foo", 5)                            -> error
MD5("abc")    -> "900150983cd24fb0d6963f7d28e17f72"
SHA1("abc")   -> "a9993e364706816aba3e25717850c26c9cd0d89d"
SHA256("abc") -> "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
STRLEN(SHA384("é")) -> 96
STRLEN(SHA512("")) -> 128
MD5("abc"@en) -> error
MD5(5)        -> error
"""


@pytest.mark.parametrize(("text", "expected"), examples(EXAMPLES))
def test_by_the_specification(text: str, expected: str) -> None:
    assert evaluate_text(text) == expected_term(expected)


def test_substr_is_oxigraphs() -> None:
    for text, start in itertools.product(TEXTS, ["0", "-1", "1", "2", "4", "9"]):
        assert_agrees_with_oxigraph(
            [f"SUBSTR({text}, {start})", *(f"SUBSTR({text}, {start}, {size})" for size in ("0", "-1", "1", "2", "9"))]
        )
