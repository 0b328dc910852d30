"""The text of HTML: what is markup, and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gtopss.semantics.html_text import (
    INLINE_ELEMENTS,
    NAMED_CHARACTERS,
    RAW_ELEMENTS,
    SEPARATING_ELEMENTS,
    html_text,
)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("plain", "plain"),
        ("wo<b>rd</b>", "word"),
        ("wo<B CLASS=x>rd</B >", "word"),
        ("one<br>two<br/>three<BR />four", "one two three four"),
        ("<p>a</p><p>b</p>", " a  b "),
        ("<img src='x.png' alt='a > b'>c", " c"),
        ('<a href="x" title="a > b">c</a>', "c"),
        ("<a title='unclosed>c</a>", "c"),
        ("<a href=it's>c</a>", "c"),
        ("List<String> and Map<K, V>", "List<String> and Map<K, V>"),
        ("<String>wo<b>rd</b>", "<String>word"),
        ("<my-tag>a</my-tag>", "<my-tag>a</my-tag>"),
        ("<o:p>a", "<o:p>a"),
        ("a < b and b > c", "a < b and b > c"),
        ("a <b and b", "a <b and b"),
        ("a <b <i>c</i>", "a <b c"),
        ("1<2", "1<2"),
        ("<3 you", "<3 you"),
        ("<", "<"),
        ("</", "</"),
        ("<b", "<b"),
        ("x<!-- <p>no</p> -->y", "xy"),
        ("x<!-->y-->z", "xy-->z"),
        ("x<!--->y", "xy"),
        ("x<!-- open", "x"),
        ("x<!DOCTYPE html>y<?xml version='1.0'?>z", "x y z"),
        ("<![CDATA[a <b>bold</b> text]]>", " a bold text]]>"),
        ("a<script>var b = '<p>';</script>c", "a  c"),
        ("a<STYLE type=x>p {}</style  >c", "a  c"),
        ("a<script>never closed", "a "),
        ("a<script>x</scripted></script>c", "a  c"),
        ("a</script>b", "a b"),
        ("AT&amp;T", "AT&T"),
        ("AT&T; R&D, &copy 1, a&b;", "AT&T; R&D, &copy 1, a&b;"),
        ("&#8217;&#x2019;&#X2019;&rsquo;&#146;", "’" * 5),
        ("&lt;b&gt;", "<b>"),
        ("&amp;lt;", "&lt;"),
        ("&nbsp;", "\xa0"),
        ("&#0;&#xD800;&#1114112;&#99999999999999999999;&#129;", "\ufffd" * 5),
        ("&#000000000000000000000065;", "A"),
        ("&#;&#x;&;&", "&#;&#x;&;&"),
        ("&NotEqualTilde;", "≂̸"),
    ],
)
def test_the_text_of_html(html: str, text: str) -> None:
    assert html_text(html) == text


@pytest.mark.parametrize("name", sorted(INLINE_ELEMENTS | SEPARATING_ELEMENTS))
def test_each_tag_separates_or_does_not(name: str) -> None:
    blank = " " if name in SEPARATING_ELEMENTS else ""
    for tag in (f"<{name}>", f"</{name}>", f"<{name.upper()}\n/>", f'<{name} a="1" b>'):
        assert html_text(f"x{tag}y") == f"x{blank}y"


def test_an_element_has_one_meaning_and_a_short_name() -> None:
    assert not INLINE_ELEMENTS & SEPARATING_ELEMENTS
    assert not RAW_ELEMENTS & (INLINE_ELEMENTS | SEPARATING_ELEMENTS)
    assert max(map(len, INLINE_ELEMENTS | SEPARATING_ELEMENTS)) <= 12


def test_each_named_character_is_read() -> None:
    for name, characters in NAMED_CHARACTERS.items():
        assert html_text(f"&{name};") == characters


PIECES = [
    "<",
    ">",
    "b",
    "<b",
    "<p ",
    "'",
    '"',
    "=",
    "='",
    "&",
    ";",
    "&amp",
    "#",
    "<!--",
    "-->",
    "<script>",
    "</script",
    " ",
]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_has_a_text(html: str) -> None:
    assert len(html_text(html)) <= len(html)


@pytest.mark.parametrize("piece", PIECES)
def test_a_long_run_of_any_piece_is_read_in_one_pass(piece: str) -> None:
    """Quadratic time would take minutes for these, and the test run would end by its time limit."""
    assert len(html_text(piece * 100_000)) <= 100_000 * len(piece)
    assert len(html_text(f"<b {piece * 100_000}")) <= 100_000 * len(piece) + 3
