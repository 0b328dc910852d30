from __future__ import annotations

import pytest

from gtopss.errors import InvalidQuery
from gtopss.short_form import ShortForm, read_lines


def test_a_file_has_one_subscription_per_line_with_or_without_a_name() -> None:
    text = "# my news\n\nhealth = topic:health -sport\r\n  open   source\nwords:a=b\n"
    assert [(short.source.number, short.id, short.text) for short in read_lines(text)] == [
        (3, "health", "topic:health -sport"),
        (4, "open source", "open   source"),
        (5, "words:a=b", "words:a=b"),
    ]


def test_an_error_names_the_subscription_and_the_column() -> None:
    with pytest.raises(InvalidQuery, match=r"subscription 'news'.*column 8") as error:
        ShortForm.read("news = topik:a").query()
    assert error.value.column == 8
    assert str(error.value).endswith("\n  news = topik:a\n         ^")


def test_an_error_names_the_line_and_the_column_of_the_file() -> None:
    found = []
    for short in read_lines("# news\n\n  moon  titel:x\nn =  a (b\n" + "c " * 200):
        with pytest.raises(InvalidQuery) as error:
            short.query()
        found.append((error.value.line, error.value.column))
    assert found == [(3, 9), (4, 8), (5, 201)]


def test_sparql_in_place_of_the_short_form_gets_a_hint() -> None:
    for text in ("SELECT ?x { ?x a rss:item }", "prefix ex: <urn:>  ask { ?s ex:p 1 }"):
        with pytest.raises(InvalidQuery, match="This is SPARQL"):
            ShortForm.read(text).query()
    with pytest.raises(InvalidQuery) as other:
        ShortForm.read("select words {").query()
    assert "SPARQL" in str(other.value)
    with pytest.raises(InvalidQuery) as other:
        ShortForm.read("selected (").query()
    assert "SPARQL" not in str(other.value)


@pytest.mark.parametrize(
    ("line", "suggestion"),
    [
        ("my news = vaccine*", "my-news = vaccine*"),
        ('  "quoted name" = x', "quoted-name = x"),
        ("“my news” = x", "my-news = x"),
        ("topic:health = linux", "topic-health = linux"),
        ("my news =", "my-news = ..."),
        ("\N{NEWSPAPER} = x", "name = x"),
        ("my news = topik:health", "my-news = topik:health"),
        ("a b = " + "x" * 100, "a-b = " + "x" * 54 + "..."),
    ],
)
def test_a_name_with_spaces_or_signs_gets_a_suggestion(line: str, suggestion: str) -> None:
    with pytest.raises(InvalidQuery) as error:
        ShortForm.read(line).query()
    reason = "a name has only letters, digits, `_`, `.` and `-`, and no spaces: write"
    assert f"{reason} {suggestion} (line 1, column " in str(error.value)
    assert error.value.column == len(line) - len(line.lstrip()) + 1


@pytest.mark.parametrize("line", ["n = my = x", 'a "x = y" (', "(a = b", "SELECT ?x { ?x = 3 }", "topik:x"])
def test_other_mistakes_are_not_about_the_name(line: str) -> None:
    with pytest.raises(InvalidQuery) as error:
        ShortForm.read(line).query()
    assert "a name has" not in str(error.value)


def test_an_equals_sign_in_quotes_or_in_a_word_is_text() -> None:
    for line in ('"x = y"', "words:a=b c"):
        assert ShortForm.read(line).query()
