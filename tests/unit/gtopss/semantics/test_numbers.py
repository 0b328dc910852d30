"""Functions on numbers, by the specification's own examples (SPARQL 1.1, section 17.4.4)."""

from __future__ import annotations

import pytest
from support.evaluation import evaluate_text, examples, expected_term

EXAMPLES = r"""
ABS(1)                                      -> 1
ABS(-1.5)                                   -> 1.5
ABS("-1"^^xsd:short)                        -> 1
ABS("1")                                    -> error
ROUND(2.4999)                               -> "2"^^xsd:decimal
ROUND(2.5)                                  -> "3"^^xsd:decimal
ROUND(-2.5)                                 -> "-2"^^xsd:decimal
ROUND(-0.5)                                 -> "0"^^xsd:decimal
ROUND(-0.5e0)                               -> "-0.0E0"^^xsd:double
ROUND(0.49999999999999994e0)                -> "0.0E0"^^xsd:double
ROUND("2.5"^^xsd:float)                     -> "3.0E0"^^xsd:float
ROUND("INF"^^xsd:double)                    -> "INF"^^xsd:double
CEIL(10.5)                                  -> "11"^^xsd:decimal
CEIL(-10.5)                                 -> "-10"^^xsd:decimal
CEIL(-0.5e0)                                -> "-0.0E0"^^xsd:double
FLOOR(10.5)                                 -> "10"^^xsd:decimal
FLOOR(-10.5)                                -> "-11"^^xsd:decimal
FLOOR(7)                                    -> 7
- "5"^^xsd:byte                             -> -5
+ "5"^^xsd:byte                             -> 5
- 0.12345678901234567890123456789012345     -> "-0.12345678901234567890123456789012345"^^xsd:decimal
- "a"                                       -> error
"0.1"^^xsd:float + "0.2"^^xsd:float         -> "3.0E-1"^^xsd:float
"""


@pytest.mark.parametrize(("text", "expected"), examples(EXAMPLES))
def test_by_the_specification(text: str, expected: str) -> None:
    assert evaluate_text(text) == expected_term(expected)
