"""Values of terms, and their comparison (SPARQL 1.1, section 17.3: operator mapping).

Where SPARQL leaves a choice, this module follows the W3C's tests and Oxigraph: values of different known types are
unequal, which is not an error; a literal of an unknown type, or one whose text does not fit its type, equals only
itself, and comparing it with another literal is a type error (but a string in a language equals only that string).
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from math import isfinite, isnan
from typing import Any

from gtopss.model.terms import (
    XSD,
    XSD_STRING,
    Term,
    cache_short_terms,
    iri,
    iri_text,
    literal,
    literal_datatype,
    literal_parts,
)
from gtopss.semantics.timeline import (
    parse_date,
    parse_date_time,
    parse_date_time_stamp,
    parse_day_time_duration,
    parse_duration,
    parse_time,
    parse_year_month_duration,
)


class TypeMismatch(Exception):
    """SPARQL's type error. It fails a row; `evaluate` catches it, so that no matcher sees it."""


class ValueKind(IntEnum):
    """The type of a value, as far as comparison and functions tell types apart.

    The four numeric kinds come first, in the order of promotion.
    """

    INTEGER = 0
    DECIMAL = 1
    FLOAT = 2
    DOUBLE = 3
    STRING = 4
    LANGUAGE_STRING = 5
    BOOLEAN = 6
    DATE_TIME = 7
    DATE = 8
    TIME = 9
    DURATION = 10
    OTHER = 11  # a literal of an unknown datatype, or whose text does not fit its datatype
    IRI = 12
    BLANK = 13


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a term. `term` is the term itself, or None for a computed value.

    `data` depends on the kind: an int, Decimal, float, str, bool, Moment or Duration; (text, language) for a string
    in a language; the IRI without brackets; the lexical form for OTHER.
    """

    kind: ValueKind
    data: Any
    term: Term | None = None

    @property
    def numeric(self) -> bool:
        """Whether the value is a number."""
        return self.kind <= ValueKind.DOUBLE

    @property
    def literal(self) -> bool:
        """Whether the value is that of a literal."""
        return self.kind <= ValueKind.OTHER


MOMENTS = (ValueKind.DATE_TIME, ValueKind.DATE, ValueKind.TIME)
TRUE, FALSE = Value(ValueKind.BOOLEAN, True), Value(ValueKind.BOOLEAN, False)

_INTEGER = re.compile(r"[+-]?\d{1,4000}", re.ASCII)  # Python refuses integers of more than 4,300 digits
_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)", re.ASCII)
_MAX_DECIMAL_CHARACTERS = 4010  # an integer of 4,000 digits may become a decimal with a sign and a point, and back
_DOUBLE = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?INF|NaN", re.ASCII)
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}

_UNLIMITED = (None, None)
INTEGER_RANGES: dict[str, tuple[int | None, int | None]] = {
    "integer": _UNLIMITED,
    "nonPositiveInteger": (None, 0),
    "negativeInteger": (None, -1),
    "nonNegativeInteger": (0, None),
    "positiveInteger": (1, None),
    "long": (-(2**63), 2**63 - 1),
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-128, 127),
    "unsignedLong": (0, 2**64 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 255),
}
_TIMES = {
    "dateTime": (ValueKind.DATE_TIME, parse_date_time),
    "dateTimeStamp": (ValueKind.DATE_TIME, parse_date_time_stamp),
    "date": (ValueKind.DATE, parse_date),
    "time": (ValueKind.TIME, parse_time),
    "duration": (ValueKind.DURATION, parse_duration),
    "dayTimeDuration": (ValueKind.DURATION, parse_day_time_duration),
    "yearMonthDuration": (ValueKind.DURATION, parse_year_month_duration),
}
_NUMERIC_NAMES = frozenset({*INTEGER_RANGES, "decimal", "float", "double"})


@cache_short_terms
def value_of(term: Term) -> Value:
    """Return the value of a term that is not a variable; values of short terms are cached."""
    match term[0]:
        case "<":
            return Value(ValueKind.IRI, iri_text(term), term)
        case "_":
            return Value(ValueKind.BLANK, term, term)
    lexical, datatype, language = literal_parts(term)
    if language is not None:
        return Value(ValueKind.LANGUAGE_STRING, (lexical, language), term)
    if datatype == XSD_STRING:
        return Value(ValueKind.STRING, lexical, term)
    if datatype.startswith(XSD):
        kind, data = _read(datatype[len(XSD) :], lexical)
        if data is not None:
            return Value(kind, data, term)
    return Value(ValueKind.OTHER, lexical, term)


def _read(name: str, lexical: str) -> tuple[ValueKind, Any]:
    """Return the kind and data of an XSD literal; the data is None if the text does not fit the type."""
    if name in INTEGER_RANGES:
        return ValueKind.INTEGER, read_integer(lexical, *INTEGER_RANGES[name])
    if name in _TIMES:
        kind, parse = _TIMES[name]
        return kind, parse(lexical)
    match name:
        case "decimal":
            readable = len(lexical) <= _MAX_DECIMAL_CHARACTERS and _DECIMAL.fullmatch(lexical)
            return ValueKind.DECIMAL, Decimal(lexical) if readable else None
        case "double":
            return ValueKind.DOUBLE, read_double(lexical)
        case "float":
            number = read_double(lexical)
            return ValueKind.FLOAT, None if number is None else to_float(number)
        case "boolean":
            return ValueKind.BOOLEAN, _BOOLEANS.get(lexical)
    return ValueKind.OTHER, None


def read_integer(lexical: str, low: int | None = None, high: int | None = None) -> int | None:
    """Parse an xsd:integer from `low` to `high`; return None if the text is not one."""
    if not _INTEGER.fullmatch(lexical):
        return None
    number = int(lexical)
    return None if (low is not None and number < low) or (high is not None and number > high) else number


def read_double(lexical: str) -> float | None:
    """Parse an xsd:double; return None if the text is not one."""
    return float(lexical) if _DOUBLE.fullmatch(lexical) else None


def to_float(number: float) -> float:
    """Round a number to 32 bits, as xsd:float has."""
    try:
        rounded: float = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
    return rounded


def promote(one: Value, other: Value) -> tuple[ValueKind, Any, Any]:
    """Convert two numbers to the wider of their kinds (XPath 2.0, B.1); return that kind and both numbers."""
    kind = max(one.kind, other.kind)
    return kind, as_kind(one.data, kind), as_kind(other.data, kind)


def as_kind(number: Any, kind: ValueKind) -> Any:
    """Promote a number to a kind that is as wide as its own or wider."""
    if kind is ValueKind.INTEGER:
        return number
    if kind is ValueKind.DECIMAL:
        return Decimal(number)
    try:
        wide = float(number)
    except OverflowError:
        wide = float("inf") if number > 0 else float("-inf")
    return to_float(wide) if kind is ValueKind.FLOAT else wide


def equal(one: Value, other: Value) -> bool:
    """Return whether two values are equal by SPARQL's `=`; raise TypeMismatch if that is undefined."""
    if one.numeric and other.numeric:
        _, left, right = promote(one, other)
        return bool(left == right)
    if one.kind is ValueKind.OTHER or other.kind is ValueKind.OTHER:
        if one.term is not None and one.term == other.term:
            return True
        if one.literal and other.literal and ValueKind.LANGUAGE_STRING not in (one.kind, other.kind):
            raise TypeMismatch("two literals of which one has an unknown type, or a text that does not fit its type")
        return False
    if one.kind is other.kind and one.kind in MOMENTS and one.data.before(other.data) is None:
        raise TypeMismatch("one has a time zone and the other has none, and they are within 14 hours of each other")
    return one.kind is other.kind and bool(one.data == other.data)


def less(one: Value, other: Value) -> bool:
    """Return whether one value is less than another by SPARQL's `<`; raise TypeMismatch if that is undefined."""
    if one.numeric and other.numeric:
        _, left, right = promote(one, other)
        return bool(left < right)
    if one.kind is other.kind:
        if one.kind in (ValueKind.STRING, ValueKind.BOOLEAN):
            return bool(one.data < other.data)
        if one.kind in MOMENTS:
            before: bool | None = one.data.before(other.data)
            if before is not None:
                return before
    raise TypeMismatch("these values have no order")


def effective_boolean(value: Value) -> bool:
    """Return the effective boolean value (SPARQL 1.1, section 17.2.2); raise TypeMismatch if there is none."""
    if value.kind is ValueKind.BOOLEAN:
        return bool(value.data)
    if value.kind is ValueKind.STRING:
        return bool(value.data != "")
    if value.numeric:
        return bool(value.data == value.data) and bool(value.data != 0)
    if value.kind is ValueKind.LANGUAGE_STRING:
        return bool(value.data[0] != "")
    if value.kind is ValueKind.OTHER and value.term is not None:
        name = literal_datatype(value.term).removeprefix(XSD)
        if name == "boolean" or name in _NUMERIC_NAMES:
            return False  # an ill-typed boolean or number is false
    raise TypeMismatch("it has no truth value")


def lexical_form(value: Value) -> str:
    """Return STR of a value: the lexical form of a literal, or the text of an IRI."""
    if value.kind is ValueKind.BLANK:
        raise TypeMismatch("a blank node has no text")
    if value.kind in (ValueKind.IRI, ValueKind.STRING, ValueKind.OTHER):
        return str(value.data)
    if value.kind is ValueKind.LANGUAGE_STRING:
        return str(value.data[0])
    return literal_parts(term_of(value))[0]


def datatype_of(value: Value) -> str:
    """Return the datatype IRI of a literal, without brackets."""
    if not value.literal:
        raise TypeMismatch("only a literal has a datatype")
    if value.kind is ValueKind.STRING:
        return XSD_STRING
    return literal_datatype(term_of(value))


def term_of(value: Value) -> Term:
    """Return the term of a value; a computed value gets its canonical lexical form."""
    if value.term is not None:
        return value.term
    data = value.data
    match value.kind:
        case ValueKind.STRING:
            return literal(data)
        case ValueKind.LANGUAGE_STRING:
            return literal(data[0], language=data[1])
        case ValueKind.BOOLEAN:
            return literal("true" if data else "false", XSD + "boolean")
        case ValueKind.INTEGER:
            return literal(str(data), XSD + "integer")
        case ValueKind.DECIMAL:
            return literal(decimal_text(data), XSD + "decimal")
        case ValueKind.FLOAT | ValueKind.DOUBLE:
            return literal(double_text(value), XSD + value.kind.name.lower())
        case ValueKind.IRI:
            return iri(data)
    raise TypeMismatch("it has no text of its own")


def decimal_text(number: Decimal) -> str:
    """Return the canonical text of a decimal."""
    text = format(number, "f") if number else "0"  # XSD's decimals have no negative zero
    return text.rstrip("0").rstrip(".") if "." in text else text


def double_text(value: Value) -> str:
    """Return XSD's canonical text of a float or double, such as `1.0E3`."""
    number = value.data
    if not isfinite(number):
        return "NaN" if isnan(number) else "INF" if number > 0 else "-INF"
    sign, digits, exponent = Decimal(fewest_digits(value)).as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits)).rstrip("0") or "0"
    power = exponent + len(digits) - 1 if text != "0" else 0
    return f"{'-' if sign else ''}{text[0]}.{text[1:] or '0'}E{power}"


def fewest_digits(value: Value) -> str:
    """Return the shortest text that parses to this float or double; Python's `repr` does that only for doubles."""
    if value.kind is ValueKind.FLOAT:
        for precision in range(6, 9):
            text = f"{value.data:.{precision}g}"
            if to_float(float(text)) == value.data:
                return text
        return f"{value.data:.9g}"
    return repr(value.data)


def string_value(text: str) -> Value:
    """Return the value of a plain string."""
    return Value(ValueKind.STRING, text)
