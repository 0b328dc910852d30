"""Tokens: what is one, where it begins, where it ends."""

import pytest

from sparqlish.tokens import tokenize

SIGNS = "&& || != <= >= ^^ = < > ! / | ^ * + - ?"


def kinds(text):
    return tokenize(text).kinds[:-1]


def texts(text):
    return tokenize(text).texts[:-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("?x $y ?1 ?é ?a\u00b7b", ["VAR"] * 5),
        ("a:b :b a: : a.b:c a-b:c é:è", ["NAME"] * 7),
        ("a:1 a:b:c a:%41x a:\\~x a:b\\.", ["NAME"] * 5),
        ("<http://e/> <> <#x>", ["IRI"] * 3),
        ("_:x _:1 _:a.b", ["NODE"] * 3),
        ("1 007", ["INTEGER"] * 2),
        ("1.5 .5", ["DECIMAL"] * 2),
        ("1e5 1.e5 1.5E-3 .5e+1", ["DOUBLE"] * 4),
        ("\"a\" 'a' '' \"\" '''a''' \"\"\"\"\"\"", ["STRING"] * 6),
        ("@en @en-GB", ["LANG"] * 2),
        ("select Select SELECT", ["SELECT"] * 3),
        ("a A", ["a", "WORD"]),
        (SIGNS, SIGNS.split()),
        ("{}()[].;,", list("{}()[].;,")),
    ],
)
def test_texts_are_split_into_tokens_of_the_right_kinds(text, expected):
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:b.", ["a:b", "."]),
        ("a:b..c:d", ["a:b..c:d"]),
        ("a:b...", ["a:b", ".", ".", "."]),
        ("_:a.", ["_:a", "."]),
        ("1.", ["1", "."]),
        ("1.2.", ["1.2", "."]),
        ("?x.?y", ["?x", ".", "?y"]),
        ("?x<?y", ["?x", "<", "?y"]),
        ("?x<=5&&?y>3", ["?x", "<=", "5", "&&", "?y", ">", "3"]),
        ("?x-1", ["?x", "-", "1"]),
        ('"""a"b""c"""', ['"""a"b""c"""']),
        ('"a\\"b"', ['"a\\"b"']),
        ("'''a\n'b'''", ["'''a\n'b'''"]),
        ("?x#c ?y\n?z", ["?x", "?z"]),
        ("<http://e/#x>#c", ["<http://e/#x>"]),
        ("true.FILTER", ["true", ".", "FILTER"]),
        ("a:b\\,c", ["a:b\\,c"]),
    ],
)
def test_where_tokens_end(text, expected):
    assert texts(text) == expected


@pytest.mark.parametrize("text", ['"a', "'a\n'", '"""a""', "'''a", '"\\q"', "$", "&", "@1", "`", "\\", "\0"])
def test_no_token_ends_the_list(text):
    tokens = tokenize("ASK " + text + " ?never ?reached")
    assert tokens.kinds[-1] == "BAD"
    assert tokens.starts[-1] == 4
    assert "VAR" not in tokens.kinds


def test_starts_are_offsets():
    text = "ASK # c\n { ?x\t a:b 'é' }"
    tokens = tokenize(text)
    for token, start in zip(tokens.texts, tokens.starts, strict=True):
        assert text.startswith(token, start)
    assert tokens.starts == [0, 9, 11, 15, 19, 23, 24]
