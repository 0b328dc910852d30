"""Functions on strings (SPARQL 1.1, section 17.4.3) and hashes (17.4.6).

A string argument is a literal of type xsd:string or one with a language; numbers and IRIs are not strings until STR
makes them so. A result keeps the language of the first argument where it is a part or a rewriting of it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from urllib.parse import quote

from gtopss.semantics.numbers import rounded
from gtopss.semantics.values import FALSE, TRUE, TypeMismatch, Value, ValueKind, promote, string_value

TEXT_LIMIT = 1_000_000  # characters that a function may make: chains of CONCAT would double without end


def text_of(value: Value) -> str:
    """The text of a string argument: plain or with a language."""
    if value.kind is ValueKind.STRING:
        return str(value.data)
    if value.kind is ValueKind.LANGUAGE_STRING:
        return str(value.data[0])
    raise TypeMismatch("it is not a string")


def plain_text_of(value: Value) -> str:
    """The text of an argument that must be a string without a language ("simple literal" in the specification)."""
    if value.kind is ValueKind.STRING:
        return str(value.data)
    raise TypeMismatch("it is not a string without a language")


def same_sort(value: Value, text: str) -> Value:
    """`text` as a string of the same sort: UCASE("chat"@fr) keeps its language."""
    if value.kind is ValueKind.LANGUAGE_STRING:
        return Value(ValueKind.LANGUAGE_STRING, (limited(text), value.data[1]))
    return string_value(limited(text))


def limited(text: str) -> str:
    if len(text) > TEXT_LIMIT:
        raise TypeMismatch(f"the text would be longer than {TEXT_LIMIT:,} characters")
    return text


def bytes_of(text: str) -> bytes:
    """UTF-8; half of a surrogate pair, which Python's text may hold and RDF's may not, has none."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise TypeMismatch(str(error)) from None


def _compatible(one: Value, other: Value) -> tuple[str, str]:
    """SPARQL 1.1, 17.4.3.1.2: a language on the second argument must be that of the first."""
    texts = text_of(one), text_of(other)
    if other.kind is ValueKind.LANGUAGE_STRING and (
        one.kind is not ValueKind.LANGUAGE_STRING or one.data[1] != other.data[1]
    ):
        raise TypeMismatch("the languages differ")
    return texts


def text_test(test: Callable[[str, str], bool]) -> Callable[[Value, Value], Value]:
    return lambda one, other: TRUE if test(*_compatible(one, other)) else FALSE


def length(value: Value) -> Value:
    """In characters, not in UTF-16 units."""
    return Value(ValueKind.INTEGER, len(text_of(value)))


def upper(value: Value) -> Value:
    return same_sort(value, text_of(value).upper())


def lower(value: Value) -> Value:
    return same_sort(value, text_of(value).lower())


def substring(source: Value, start: Value, size: Value | None = None) -> Value:
    """Characters p, counted from 1, with round(start) <= p < round(start) + round(size) (XPath 2.0, 7.4.3).

    SPARQL gives integers; a start before the text, a fraction and an infinity mean what they mean in XPath.
    """
    text = text_of(source)
    first = _double(rounded(start))
    last = math.inf if size is None else first + _double(rounded(size))
    if math.isnan(first) or math.isnan(last):
        return same_sort(source, "")
    low = int(min(max(first, 1), len(text) + 1))
    high = int(min(max(last, low), len(text) + 1))
    return same_sort(source, text[low - 1 : high - 1])


def _double(value: Value) -> float:
    _, number, _ = promote(value, Value(ValueKind.DOUBLE, 0.0))
    return float(number)


def before(source: Value, mark: Value) -> Value:
    """STRBEFORE: no match gives the plain empty string; an empty mark matches at once and keeps the language."""
    text, part = _compatible(source, mark)
    at = text.find(part)
    return string_value("") if at < 0 else same_sort(source, text[:at])


def after(source: Value, mark: Value) -> Value:
    text, part = _compatible(source, mark)
    at = text.find(part)
    return string_value("") if at < 0 else same_sort(source, text[at + len(part) :])


def concatenation(*parts: Value) -> Value:
    """A language survives only where all parts have it (17.4.3.12)."""
    texts = [text_of(part) for part in parts]
    if sum(map(len, texts)) > TEXT_LIMIT:
        raise TypeMismatch(f"the text would be longer than {TEXT_LIMIT:,} characters")
    joined = "".join(texts)
    languages = {part.data[1] if part.kind is ValueKind.LANGUAGE_STRING else None for part in parts}
    return same_sort(parts[0], joined) if len(languages) == 1 else string_value(joined)


def encode_for_uri(value: Value) -> Value:
    """All but RFC 3986's unreserved characters, percent-encoded; the result has no language."""
    return string_value(limited(quote(bytes_of(limited(text_of(value))), safe="-_.~")))


def digest(algorithm: str) -> Callable[[Value], Value]:
    """The hash of the text's UTF-8, in lower-case hexadecimal digits."""
    make = getattr(hashlib, algorithm)
    return lambda value: string_value(make(bytes_of(plain_text_of(value)), usedforsecurity=False).hexdigest())
