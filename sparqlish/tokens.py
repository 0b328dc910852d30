"""The tokenizer: one regular expression, the grammar's terminals (SPARQL 1.1, section 19.8).

It takes linear time on every text: all repetition is possessive, and the only terminal that may fail after a long scan,
a prefix, has at most 33 dotted parts (longer prefixes are not names here). Signs are tokens of their own; the parser
joins a sign with the number right after it.

The kind of a token is a string: the kind of a sign or keyword is its own spelling, in upper case, so that the parser
reads like the grammar. Other kinds are VAR, NAME (prefixed), IRI, WORD, STRING, INTEGER, DECIMAL, DOUBLE, LANG, NODE
(labelled blank node), and as the last token EOF or, where no token begins, BAD.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

__all__ = ["LOCAL_ESCAPE", "STRING_ESCAPE", "Tokens", "bad_token", "tokenize"]

_LETTER = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_EXTENDER = "0-9\u00b7\u0300-\u036f\u203f-\u2040"
_ASCII_LETTER, _ASCII_EXTENDER = "A-Za-z", "0-9"
_PLX = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_ECHAR = r"""\\[tbnrf\\"']"""


def _string(quote: str) -> str:
    """Return the pattern of strings with one kind of quote, long before short.

    Three quotes never open a short string; otherwise an unclosed long string would be taken for short ones.
    """
    return (
        rf"{quote * 3}[^{quote}\\]*+(?:(?:{_ECHAR}|{quote}{{1,2}}(?!{quote}))[^{quote}\\]*+)*+{quote * 3}"
        rf"|{quote}(?!{quote * 2})[^{quote}\\\n\r]*+(?:{_ECHAR}[^{quote}\\\n\r]*+)*+{quote}"
    )


@cache
def _token(is_ascii: bool) -> re.Pattern[str]:
    """Return the pattern of a token. The pattern for texts of ASCII alone is compiled in a fifth of the time."""
    letter, extender = (_ASCII_LETTER, _ASCII_EXTENDER) if is_ascii else (_LETTER, _EXTENDER)
    start, name = f"{letter}_0-9", f"{letter}_{extender}\\-"
    # A dot belongs to a name only if more of the name follows it.
    local = rf"(?:[{start}:]|{_PLX})(?:[{name}:]++|{_PLX}|\.++(?=[{name}:]|{_PLX}))*+"
    prefix = rf"[{letter}][{name}]*+(?:\.++[{name}]++){{0,32}}+"
    terminals = {  # ordered by frequency where the grammar leaves the order open
        "VAR": rf"[?$][{start}][{letter}_{extender}]*+",
        "NAME": rf"(?:{prefix})?+:(?:{local})?+",
        # `?x<=5&&?y>3` must not contain an IRI, so none begins with `=` (an unlikely relative IRI).
        "IRI": r"<(?!=)[^\x00-\x20<>\"{}|^`\\]*+>",
        "SIGN": r"&&|\|\||!=|<=|>=|\^\^|\.(?![0-9])|[{}()\[\];,*/+\-!=<>^|?]",
        "NODE": rf"_:[{start}](?:[{name}]++|\.++(?=[{name}]))*+",
        "WORD": r"[A-Za-z_][A-Za-z0-9_]*+",
        "STRING": _string('"') + "|" + _string("'"),
        "DOUBLE": r"(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)[eE][+-]?[0-9]++",
        "DECIMAL": r"[0-9]*+\.[0-9]++",
        "INTEGER": r"[0-9]++",
        "LANG": r"@[A-Za-z]++(?:-[A-Za-z0-9]++)*+",
        "EOF": r"\Z",
        "BAD": r"(?s:.)",
    }
    alternatives = "|".join(f"(?P<{kind}>{expression})" for kind, expression in terminals.items())
    return re.compile(rf"(?:[ \t\r\n]++|#[^\r\n]*+)*+(?:{alternatives})")


LOCAL_ESCAPE = re.compile(r"\\(.)")
STRING_ESCAPE = re.compile(_ECHAR)

_WORDS = (
    "a BASE PREFIX SELECT ASK CONSTRUCT DESCRIBE DISTINCT REDUCED WHERE FILTER VALUES UNDEF UNION BIND AS IN NOT "
    "TRUE FALSE OPTIONAL MINUS GRAPH EXISTS GROUP HAVING ORDER LIMIT OFFSET"
)
_KEYWORDS = {word: word for word in _WORDS.split()}


class Tokens(NamedTuple):
    """The kind, text and offset of each token. The last is EOF or BAD, with an empty text."""

    kinds: list[str]
    texts: list[str]
    starts: list[int]


def tokenize(text: str) -> Tokens:
    """Split a text into tokens; stop at the first place where none begins, so that the time stays linear.

    >>> tokenize("ASK { ?x a :C. }").kinds
    ['ASK', '{', 'VAR', 'a', 'NAME', '.', '}', 'EOF']
    """
    kinds: list[str] = []
    texts: list[str] = []
    starts: list[int] = []
    end = 0
    keyword = _KEYWORDS.get
    for match in _token(text.isascii()).finditer(text):
        kind: str = match.lastgroup  # type: ignore[assignment]  # every alternative has a name
        token = match[kind]
        if kind == "SIGN":
            kind = token
        elif kind == "WORD":
            kind = keyword(token) or keyword(token.upper(), "WORD")
        elif kind == "EOF":
            break
        elif kind == "BAD":
            kinds.append("BAD")
            texts.append("")
            starts.append(match.end() - 1)
            return Tokens(kinds, texts, starts)
        end = match.end()
        kinds.append(kind)
        texts.append(token)
        starts.append(end - len(token))
    kinds.append("EOF")
    texts.append("")
    starts.append(end)  # right after the last token, where something is missing
    return Tokens(kinds, texts, starts)


_STRING_BODY = {
    opening: re.compile(rf"{opening}(?:[^{opening[0]}\\{breaks}]++|{_ECHAR}|{inner})*+")
    for opening, breaks, inner in (
        ('"', r"\n\r", "(?!)"),
        ("'", r"\n\r", "(?!)"),
        ('"""', "", '"{1,2}(?!")'),
        ("'''", "", "'{1,2}(?!')"),
    )
}


def bad_token(text: str, start: int) -> tuple[int, str]:
    """Return where and why no token begins at `start`."""
    opening = next((quotes for quotes in ('"""', "'''", '"', "'") if text.startswith(quotes, start)), None)
    if opening is not None:
        body = _STRING_BODY[opening].match(text, start)
        assert body is not None
        if text.startswith("\\", body.end()):
            return body.end(), f"`{text[body.end() : body.end() + 2]}` is not an escape in a string"
        return start, f"the string is not closed by `{opening}`"
    if text[start] == "@":
        return start, "`@` without a language tag"
    if text[start] == "$":
        return start, "`$` without the name of a variable"
    return start, f"`{text[start]}` has no meaning here"
