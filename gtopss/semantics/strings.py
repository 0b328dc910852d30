"""Functions on strings (SPARQL 1.1, section 17.4.3) and hashes (17.4.6).

A string argument is a literal of type xsd:string or one with a language; numbers and IRIs must be converted by STR. A
result that is derived from the first argument keeps its language. The functions whose result may be much longer than an
argument take the budget, and reserve the room that they need.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from urllib.parse import quote

from gtopss.semantics.budget import EvaluationBudget
from gtopss.semantics.numbers import rounded
from gtopss.semantics.values import FALSE, TRUE, TypeMismatch, Value, ValueKind, promote, string_value


def text_of(value: Value) -> str:
    """Return the text of a string, plain or with a language; raise TypeMismatch for other values."""
    if value.kind is ValueKind.STRING:
        return str(value.data)
    if value.kind is ValueKind.LANGUAGE_STRING:
        return str(value.data[0])
    raise TypeMismatch("it is not a string")


def plain_text_of(value: Value) -> str:
    """Return the text of a string without a language ("simple literal" in the specification)."""
    if value.kind is ValueKind.STRING:
        return str(value.data)
    raise TypeMismatch("it is not a string without a language")


def with_language_of(value: Value, text: str) -> Value:
    """Return `text` as a string with the language of `value`, if it has one: UCASE("chat"@fr) is "CHAT"@fr."""
    if value.kind is ValueKind.LANGUAGE_STRING:
        return Value(ValueKind.LANGUAGE_STRING, (text, value.data[1]))
    return string_value(text)


def bytes_of(text: str) -> bytes:
    """Encode as UTF-8; raise TypeMismatch for a lone surrogate, which Python strings may contain and RDF may not."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise TypeMismatch(str(error)) from None


def _compatible(one: Value, other: Value) -> tuple[str, str]:
    """Return both texts; a language of the second argument must be that of the first (SPARQL 1.1, 17.4.3.1.2)."""
    texts = text_of(one), text_of(other)
    if other.kind is ValueKind.LANGUAGE_STRING and (
        one.kind is not ValueKind.LANGUAGE_STRING or one.data[1] != other.data[1]
    ):
        raise TypeMismatch("the languages differ")
    return texts


def text_test(test: Callable[[str, str], bool]) -> Callable[[Value, Value], Value]:
    """Make CONTAINS, STRSTARTS or STRENDS."""
    return lambda one, other: TRUE if test(*_compatible(one, other)) else FALSE


def length(value: Value) -> Value:
    """STRLEN, in characters and not in UTF-16 units."""
    return Value(ValueKind.INTEGER, len(text_of(value)))


def upper(budget: EvaluationBudget, value: Value) -> Value:
    """UCASE."""
    text = text_of(value)
    budget.reserve(len(text))
    return with_language_of(value, text.upper())


def lower(budget: EvaluationBudget, value: Value) -> Value:
    """LCASE."""
    text = text_of(value)
    budget.reserve(len(text))
    return with_language_of(value, text.lower())


def substring(source: Value, start: Value, size: Value | None = None) -> Value:
    """SUBSTR: the characters p, from 1, with round(start) <= p < round(start) + round(size) (XPath 2.0, 7.4.3).

    SPARQL only defines integers; a start before the text, a fraction and an infinity mean what they mean in XPath.
    """
    text = text_of(source)
    first = _double(rounded(start))
    last = math.inf if size is None else first + _double(rounded(size))
    if math.isnan(first) or math.isnan(last):
        return with_language_of(source, "")
    low = int(min(max(first, 1), len(text) + 1))
    high = int(min(max(last, low), len(text) + 1))
    return with_language_of(source, text[low - 1 : high - 1])


def _double(value: Value) -> float:
    _, number, _ = promote(value, Value(ValueKind.DOUBLE, 0.0))
    return float(number)


def before(source: Value, mark: Value) -> Value:
    """STRBEFORE: without a match the plain empty string; an empty mark matches at the start and keeps the language."""
    text, part = _compatible(source, mark)
    at = text.find(part)
    return string_value("") if at < 0 else with_language_of(source, text[:at])


def after(source: Value, mark: Value) -> Value:
    """STRAFTER."""
    text, part = _compatible(source, mark)
    at = text.find(part)
    return string_value("") if at < 0 else with_language_of(source, text[at + len(part) :])


def concatenation(budget: EvaluationBudget, *parts: Value) -> Value:
    """CONCAT: the result has a language only if all parts have it (17.4.3.12)."""
    texts = [text_of(part) for part in parts]
    budget.reserve(sum(map(len, texts)))
    joined = "".join(texts)
    languages = {part.data[1] if part.kind is ValueKind.LANGUAGE_STRING else None for part in parts}
    return with_language_of(parts[0], joined) if len(languages) == 1 else string_value(joined)


def encode_for_uri(budget: EvaluationBudget, value: Value) -> Value:
    """ENCODE_FOR_URI: percent-encode all but RFC 3986's unreserved characters; the result has no language."""
    text = text_of(value)
    budget.reserve(len(text))
    encoded = bytes_of(text)
    budget.spend(len(encoded))  # Python encodes byte by byte
    return string_value(quote(encoded, safe="-_.~"))


def digest(algorithm: str) -> Callable[[Value], Value]:
    """Make a hash function: MD5, SHA1, ... of the UTF-8 text, in lower-case hexadecimal digits."""
    make = getattr(hashlib, algorithm)
    return lambda value: string_value(make(bytes_of(plain_text_of(value)), usedforsecurity=False).hexdigest())
