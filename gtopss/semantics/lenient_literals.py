"""Lenient literals: a plain literal that reads as a number, a date or a date with time is one where values are used.

With `literals="lenient"` an operand of a comparison, of IN, of arithmetic, or of a function on numbers or dates
(`Function.reads_literals`) is read before it is used, if it is a literal without datatype and language:

| text | is read as |
|---|---|
| `5`, `-7`, `+05` | xsd:integer |
| `5.0`, `.5`, `5.` | xsd:decimal |
| `5e3`, `1.5E-7` | xsd:double |
| `2001-05-17`, with or without a time zone | xsd:date |
| `2001-05-17T10:00:00`, with or without fractions of a second and a time zone | xsd:dateTime |

Any other text stays a text: `2001-13-45`, `INF` and ` 5` among them. docs/meaning.md has the rules.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from gtopss.model.terms import XSD, XSD_STRING, Term, is_literal, literal, literal_parts
from gtopss.semantics.values import Value, ValueKind, value_of

LiteralRules: TypeAlias = Literal["sparql", "lenient"]
"""How plain literals are compared: as strings, or as what they read as."""

MAX_READ_CHARACTERS = 4_010
"""Characters of a text that may be read; no number or date of more is a value."""
_NUMBER = re.compile(r"[+-]?(?:\d+(?P<point>\.\d*)?|(?P<only_point>\.\d+))(?P<power>[eE][+-]?\d+)?", re.ASCII)
_MOMENT = re.compile(r"-?\d{4,}-\d\d-\d\d(?P<time>T)?[\d:.Z+-]*", re.ASCII)
_FIRST_CHARACTERS = frozenset("+-.0123456789")


def read_literal(value: Value) -> Value:
    """Return the number or moment that a plain literal reads as; any other value is returned itself.

    >>> read_literal(value_of(literal("2001"))).data + 1
    2002
    """
    if value.kind is not ValueKind.STRING or value.data[:1] not in _FIRST_CHARACTERS:
        return value
    made = _typed(value.data)
    return value if made is None else value_of(made)


def read_literal_term(term: Term) -> Term:
    """Return the typed literal that a plain literal reads as; any other term is returned itself.

    >>> read_literal_term(literal("2001-05-17"))
    '"2001-05-17"^^<http://www.w3.org/2001/XMLSchema#date>'
    """
    if not is_literal(term) or term[1:2] not in _FIRST_CHARACTERS:
        return term
    lexical, datatype, language = literal_parts(term)
    made = _typed(lexical) if datatype == XSD_STRING and language is None else None
    return term if made is None else made


def _typed(text: str) -> Term | None:
    """Return the typed literal that a text reads as; None if it is no number, date or date with time."""
    if len(text) > MAX_READ_CHARACTERS:
        return None
    if number := _NUMBER.fullmatch(text):
        has_point = number["point"] is not None or number["only_point"] is not None
        name = "double" if number["power"] else "decimal" if has_point else "integer"
    elif moment := _MOMENT.fullmatch(text):
        name = "dateTime" if moment["time"] else "date"
    else:
        return None
    made = literal(text, XSD + name)
    return None if value_of(made).kind is ValueKind.OTHER else made
