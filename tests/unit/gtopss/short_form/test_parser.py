from __future__ import annotations

import pytest

from gtopss.short_form import FIELDS
from gtopss.short_form.parser import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    MAX_PARTS,
    All,
    Any,
    Condition,
    Not,
    Part,
    SourceLine,
    parse_short_form,
)
from sparqlish.errors import LimitExceeded, SparqlishError


def shown(part: Part) -> str:
    match part:
        case Condition():
            return f"{part.field}:<{part.value}>" if part.is_iri else f"{part.field}:{part.value}"
        case Not():
            return f"-{shown(part.part)}"
        case All():
            return f"({' & '.join(map(shown, part.parts))})"
        case Any():
            return f"({' | '.join(map(shown, part.parts))})"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("open", "words:open"),
        ("open source", "(words:open & words:source)"),
        ('"open source"', "words:open source"),
        ("“open source”", "words:open source"),
        (r'"say \"hi\""', 'words:say "hi"'),
        ("a OR b c", "(words:a | (words:b & words:c))"),
        ("(a OR b) c", "((words:a | words:b) & words:c)"),
        ("a AND b | c", "((words:a & words:b) | words:c)"),
        ("-a NOT b", "(-words:a & -words:b)"),
        ("-(a OR b)", "-(words:a | words:b)"),
        ("topic:(health OR sport) author:jacobsen", "((topic:health | topic:sport) & author:jacobsen)"),
        ("TOPIC: health", "topic:health"),
        ("topic:<urn:a>", "topic:<urn:a>"),
        ("-topic:health", "-topic:health"),
        ("http://a.example/x", "words:http://a.example/x"),
        (
            "or and ORANGE state-of-the-art C++",
            "(words:or & words:and & words:ORANGE & words:state-of-the-art & words:C++)",
        ),
        ("a, b; c", "(words:a & words:b & words:c)"),
        ("日本 OR été", "(words:日本 | words:été)"),
    ],
)
def test_what_a_text_means(text: str, tree: str) -> None:
    assert shown(parse_short_form(SourceLine(text), FIELDS)) == tree


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("", "expected a word", 1),
        ("   ", "expected a word", 4),
        ("a OR", "expected a word", 5),
        ("OR a", "expected a word", 1),
        ("a OR OR b", "expected a word", 6),
        ("topic:", "expected a word", 7),
        ("a (b", "this `(` has no `)`", 3),
        ("a ) b", "a `)` without a `(`", 3),
        ("a ()", "nothing between the parentheses", 3),
        ('a "b', "this quote is not closed", 3),
        ('a ""', "nothing between the quotes", 3),
        ("a - b", "directly before what you do not want", 3),
        ("a -", "directly before what you do not want", 3),
        ("a topik:health", "there is no field topik: did you mean topic:?", 3),
        ("a xyz:b", "use one of words:", 3),
        ("a title:-dated", "write the minus before the field: -title:dated", 9),
        ("a <b c>", "found `<`", 3),
        ("a >", "found `>`", 3),
    ],
)
def test_a_mistake_has_its_place(text: str, message: str, column: int) -> None:
    with pytest.raises(SparqlishError) as error:
        parse_short_form(SourceLine(text), FIELDS)
    assert message in str(error.value)
    assert error.value.column == column
    assert str(error.value).endswith("^")


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("a" * (MAX_CHARACTERS + 1), "MAX_CHARACTERS"),
        ("(" * (MAX_DEPTH + 2) + "a" + ")" * (MAX_DEPTH + 2), "MAX_DEPTH"),
        ("-" * (MAX_DEPTH + 2) + "a", "MAX_DEPTH"),
        ("a " * (MAX_PARTS + 1), "MAX_PARTS"),
    ],
)
def test_limits_are_named(text: str, limit: str) -> None:
    with pytest.raises(LimitExceeded) as error:
        parse_short_form(SourceLine(text), FIELDS)
    assert error.value.limit == limit


def test_the_largest_text_is_read() -> None:
    parse_short_form(SourceLine("(" * MAX_DEPTH + "a " * MAX_PARTS + ")" * MAX_DEPTH), FIELDS)
