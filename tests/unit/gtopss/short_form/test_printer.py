from __future__ import annotations

import pytest

from gtopss.short_form.parser import Condition, Not, SourceLine, parse_short_form
from gtopss.short_form.printer import print_condition

TEXTS = [
    "star",
    "-star",
    '"open source"',
    'author:"J. Doe"',
    "-topic:<http://a.example/x>",
    r'"a \"b\" \\ c"',
    '"OR"',
    '"-x"',
    "econom*",
    '"a:b"',
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_printed_condition_is_read_as_the_same_condition(text: str) -> None:
    tree = parse_short_form(SourceLine(text), ["words", "author", "topic"])
    negated = isinstance(tree, Not)
    condition = tree.part if isinstance(tree, Not) else tree
    assert isinstance(condition, Condition)
    assert print_condition(condition, negated=negated) == text


def test_the_field_of_words_is_left_out() -> None:
    assert print_condition(Condition("words", "star", 0)) == "star"
