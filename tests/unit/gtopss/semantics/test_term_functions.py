"""Functions on terms, by the specification's own examples (SPARQL 1.1, section 17.4.2)."""

from __future__ import annotations

import pytest
from support.evaluation import evaluate_text, examples, expected_term

EXAMPLES = r"""
SAMETERM(1, 1.0)                            -> false
ISIRI(<urn:a>)                              -> true
ISURI("urn:a")                              -> false
ISNUMERIC(12)                               -> true
ISNUMERIC("12")                             -> false
ISNUMERIC("12"^^xsd:nonNegativeInteger)     -> true
ISNUMERIC("1200"^^xsd:byte)                 -> false
ISNUMERIC(<http://example/>)                -> false
STR(<mailto:bob@work.example>)              -> "mailto:bob@work.example"
STR("01"^^xsd:integer)                      -> "01"
STR("chat"@fr)                              -> "chat"
LANG("Robert"@EN)                           -> "en"
LANG("Robert")                              -> ""
LANG(<urn:a>)                               -> error
LANGMATCHES(LANG("Cette"@fr-BE), "FR")      -> true
LANGMATCHES("", "*")                        -> false
LANGMATCHES("fr"@en, "fr")                  -> error
DATATYPE("a")                               -> xsd:string
DATATYPE("a"@en)                            -> rdf:langString
DATATYPE(1 + 2)                             -> xsd:integer
DATATYPE(<urn:a>)                           -> error
IRI("http://example/a")                     -> <http://example/a>
URI(<urn:a>)                                -> <urn:a>
IRI("a")                                    -> error
IRI("urn:a b")                              -> error
IRI("urn:a"@en)                             -> error
IRI(5)                                      -> error
STRDT("123", xsd:integer)                   -> 123
STRDT("iiii", <http://example/romanNumeral>) -> "iiii"^^<http://example/romanNumeral>
STRDT("a", xsd:string)                      -> "a"
STRDT("a"@en, xsd:string)                   -> error
STRDT("a", "b")                             -> error
STRDT("a", rdf:langString)                  -> error
STRLANG("chat", "EN")                       -> "chat"@en
STRLANG("chat"@fr, "en")                    -> error
STRLANG("chat", "")                         -> error
STRLANG("chat", "no tag")                   -> error
STRLANG(5, "en")                            -> error
"""


@pytest.mark.parametrize(("text", "expected"), examples(EXAMPLES))
def test_by_the_specification(text: str, expected: str) -> None:
    assert evaluate_text(text) == expected_term(expected)
