"""Functions on RDF terms, and comparisons (SPARQL 1.1, sections 17.3 and 17.4.2)."""

from __future__ import annotations

import re

from gtopss.errors import InvalidTerm
from gtopss.model.iris import IRI_SCHEME
from gtopss.model.terms import RDF_LANG_STRING, iri, literal
from gtopss.semantics.strings import plain_text_of
from gtopss.semantics.values import (
    FALSE,
    TRUE,
    TypeMismatch,
    Value,
    ValueKind,
    datatype_of,
    equal,
    less,
    lexical_form,
    string_value,
    term_of,
    value_of,
)

_ABSOLUTE_IRI = re.compile(IRI_SCHEME)


def boolean(holds: bool) -> Value:
    """Return the xsd:boolean of a Python bool."""
    return TRUE if holds else FALSE


def at_most(one: Value, other: Value) -> bool:
    """Return `one <= other`, which SPARQL defines as `<` or `=`; NaN is neither."""
    return less(one, other) or equal(one, other)


def text(value: Value) -> Value:
    """STR: the lexical form of a literal, or the text of an IRI."""
    return string_value(lexical_form(value))


def language(value: Value) -> Value:
    """LANG: the language tag, which is empty for a literal without one."""
    if not value.literal:
        raise TypeMismatch("only a literal has a language")
    return string_value(value.data[1] if value.kind is ValueKind.LANGUAGE_STRING else "")


def language_matches(tag: Value, language_range: Value) -> Value:
    """LANGMATCHES: basic filtering of RFC 4647."""
    given, pattern = plain_text_of(tag).lower(), plain_text_of(language_range).lower()
    if pattern == "*":
        return boolean(given != "")
    return boolean(given == pattern or (pattern != "" and given.startswith(pattern + "-")))


def datatype(value: Value) -> Value:
    """DATATYPE: the datatype of a literal, as an IRI."""
    return value_of(iri(datatype_of(value)))


def same_term(one: Value, other: Value) -> Value:
    """SAMETERM: equality of terms, not of values."""
    return boolean(term_of(one) == term_of(other))


def to_iri(value: Value) -> Value:
    """IRI: a text must be an absolute IRI, because there is no base when a publication is matched."""
    if value.kind is ValueKind.IRI:
        return value
    given = plain_text_of(value)
    if not _ABSOLUTE_IRI.match(given):
        raise TypeMismatch("it is not an absolute IRI")
    try:
        return value_of(iri(given))
    except InvalidTerm as error:
        raise TypeMismatch(str(error)) from None


def with_language(lexical: Value, tag: Value) -> Value:
    """STRLANG: a string with a language."""
    given = plain_text_of(tag)
    if not given:
        raise TypeMismatch("a language tag must not be empty")
    try:
        return value_of(literal(plain_text_of(lexical), language=given))
    except InvalidTerm as error:
        raise TypeMismatch(str(error)) from None


def with_datatype(lexical: Value, type_iri: Value) -> Value:
    """STRDT: a literal of a datatype. The text need not fit the type: STRDT makes terms, casts make values."""
    if type_iri.kind is not ValueKind.IRI or type_iri.data == RDF_LANG_STRING:
        raise TypeMismatch("a datatype is an IRI, and a string in a language is made by STRLANG")
    return value_of(literal(plain_text_of(lexical), type_iri.data))
