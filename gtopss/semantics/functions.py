"""The functions an expression may call on values (SPARQL 1.1, section 17.4), by name.

Each entry says how many arguments it takes and what it does to their values. Here are the table and the functions
on terms (17.4.2); those on strings, numbers, dates and the casts have modules of their own. Functions that must not
evaluate all their arguments, or that read more than values (BOUND, IF, IN, NOW, is-a, ...), are in `evaluate`.

A function answers with a value or raises `TypeMismatch`, whatever it is given; nothing else leaves it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import NamedTuple

from gtopss.errors import InvalidTerm
from gtopss.model.terms import RDF_LANG_STRING, iri, literal
from gtopss.semantics import dates, numbers, regex, strings
from gtopss.semantics.casts import CASTS
from gtopss.semantics.dates import CALENDAR, CLOCK
from gtopss.semantics.strings import plain_text_of
from gtopss.semantics.values import (
    FALSE,
    TRUE,
    TypeMismatch,
    Value,
    ValueKind,
    datatype_of,
    effective_boolean,
    equal,
    less,
    lexical_form,
    string_value,
    term_of,
    value_of,
)

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


class Function(NamedTuple):
    """How many arguments (`most` is None where there is no limit), and what it does to their values."""

    least: int
    most: int | None
    apply: Callable[..., Value]


def _truth(held: bool) -> Value:
    return TRUE if held else FALSE


def _at_most(one: Value, other: Value) -> bool:
    """`<=`: SPARQL writes it as `<` or `=`; NaN is neither."""
    return less(one, other) or equal(one, other)


def _str(value: Value) -> Value:
    return string_value(lexical_form(value))


def _lang(value: Value) -> Value:
    if not value.literal:
        raise TypeMismatch("only a literal has a language")
    return string_value(value.data[1] if value.kind is ValueKind.LANGUAGE_STRING else "")


def _lang_matches(tag: Value, wanted: Value) -> Value:
    """Basic filtering of RFC 4647."""
    language, pattern = plain_text_of(tag).lower(), plain_text_of(wanted).lower()
    if pattern == "*":
        return _truth(language != "")
    return _truth(language == pattern or (pattern != "" and language.startswith(pattern + "-")))


def _same_term(one: Value, other: Value) -> Value:
    return _truth(term_of(one) == term_of(other))


def _iri(value: Value) -> Value:
    """A text must be an absolute IRI: at matching time there is no base to resolve it against."""
    if value.kind is ValueKind.IRI:
        return value
    text = plain_text_of(value)
    if not _ABSOLUTE.match(text):
        raise TypeMismatch("it is not an absolute IRI")
    try:
        return value_of(iri(text))
    except InvalidTerm as error:
        raise TypeMismatch(str(error)) from None


def _with_language(text: Value, tag: Value) -> Value:
    language = plain_text_of(tag)
    if not language:
        raise TypeMismatch("a language tag is not empty")
    try:
        return value_of(literal(strings.limited(plain_text_of(text)), language=language))
    except InvalidTerm as error:
        raise TypeMismatch(str(error)) from None


def _with_datatype(text: Value, datatype: Value) -> Value:
    """The text need not fit the type: STRDT makes terms, casts make values."""
    if datatype.kind is not ValueKind.IRI or datatype.data == RDF_LANG_STRING:
        raise TypeMismatch("a datatype is an IRI, and a string in a language is made by STRLANG")
    return value_of(literal(strings.limited(plain_text_of(text)), datatype.data))


FUNCTIONS: dict[str, Function] = {
    "=": Function(2, 2, lambda one, other: _truth(equal(one, other))),
    "!=": Function(2, 2, lambda one, other: _truth(not equal(one, other))),
    "<": Function(2, 2, lambda one, other: _truth(less(one, other))),
    ">": Function(2, 2, lambda one, other: _truth(less(other, one))),
    "<=": Function(2, 2, lambda one, other: _truth(_at_most(one, other))),
    ">=": Function(2, 2, lambda one, other: _truth(_at_most(other, one))),
    "+": Function(2, 2, numbers.arithmetic(operator.add)),
    "-": Function(2, 2, numbers.arithmetic(operator.sub)),
    "*": Function(2, 2, numbers.arithmetic(operator.mul)),
    "/": Function(2, 2, numbers.arithmetic(operator.truediv)),
    "unary-": Function(1, 1, numbers.negative),
    "unary+": Function(1, 1, numbers.positive),
    "!": Function(1, 1, lambda value: _truth(not effective_boolean(value))),
    # terms
    "STR": Function(1, 1, _str),
    "LANG": Function(1, 1, _lang),
    "LANGMATCHES": Function(2, 2, _lang_matches),
    "DATATYPE": Function(1, 1, lambda value: value_of(iri(datatype_of(value)))),
    "SAMETERM": Function(2, 2, _same_term),
    "ISIRI": Function(1, 1, lambda value: _truth(value.kind is ValueKind.IRI)),
    "ISURI": Function(1, 1, lambda value: _truth(value.kind is ValueKind.IRI)),
    "ISBLANK": Function(1, 1, lambda value: _truth(value.kind is ValueKind.BLANK)),
    "ISLITERAL": Function(1, 1, lambda value: _truth(value.literal)),
    "ISNUMERIC": Function(1, 1, lambda value: _truth(value.numeric)),
    "IRI": Function(1, 1, _iri),
    "URI": Function(1, 1, _iri),
    "STRLANG": Function(2, 2, _with_language),
    "STRDT": Function(2, 2, _with_datatype),
    # strings
    "CONTAINS": Function(2, 2, strings.text_test(lambda text, part: part in text)),
    "STRSTARTS": Function(2, 2, strings.text_test(str.startswith)),
    "STRENDS": Function(2, 2, strings.text_test(str.endswith)),
    "STRBEFORE": Function(2, 2, strings.before),
    "STRAFTER": Function(2, 2, strings.after),
    "STRLEN": Function(1, 1, strings.length),
    "SUBSTR": Function(2, 3, strings.substring),
    "UCASE": Function(1, 1, strings.upper),
    "LCASE": Function(1, 1, strings.lower),
    "CONCAT": Function(0, None, strings.concatenation),
    "ENCODE_FOR_URI": Function(1, 1, strings.encode_for_uri),
    "REGEX": Function(2, 3, regex.matches),
    "REPLACE": Function(3, 4, regex.replaced),
    **{name: Function(1, 1, strings.digest(name.lower())) for name in ("MD5", "SHA1", "SHA256", "SHA384", "SHA512")},
    # numbers
    "ABS": Function(1, 1, numbers.absolute),
    "CEIL": Function(1, 1, numbers.ceiling),
    "FLOOR": Function(1, 1, numbers.floor),
    "ROUND": Function(1, 1, numbers.rounded),
    # dates and times
    "YEAR": Function(1, 1, dates.part(CALENDAR, lambda fields: fields.year)),
    "MONTH": Function(1, 1, dates.part(CALENDAR, lambda fields: fields.month)),
    "DAY": Function(1, 1, dates.part(CALENDAR, lambda fields: fields.day)),
    "HOURS": Function(1, 1, dates.part(CLOCK, lambda fields: fields.hours)),
    "MINUTES": Function(1, 1, dates.part(CLOCK, lambda fields: fields.minutes)),
    "SECONDS": Function(1, 1, dates.seconds),
    "TIMEZONE": Function(1, 1, dates.timezone),
    "TZ": Function(1, 1, dates.zone_text),
    **{f"<{datatype}>": Function(1, 1, cast) for datatype, cast in CASTS.items()},
}
