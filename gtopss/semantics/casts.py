"""Casts (SPARQL 1.1, section 17.5; XPath 2.0 Functions, section 17.1), by the name of the XSD type.

A string is parsed as a lexical form of the type, without the white space around it; numbers, booleans, dates and
durations convert as XPath defines. There is no cast from a string in a language, from an IRI (except to xsd:string),
from a literal whose text does not fit its type, or from one of an unknown type.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from gtopss.model.terms import XSD, XSD_STRING, literal, literal_parts
from gtopss.semantics.timeline import Duration
from gtopss.semantics.values import (
    FALSE,
    INTEGER_RANGES,
    TRUE,
    TypeMismatch,
    Value,
    ValueKind,
    datatype_of,
    decimal_text,
    double_text,
    effective_boolean,
    fewest_digits,
    promote,
    read_double,
    read_integer,
    string_value,
    to_float,
    value_of,
)

Cast: TypeAlias = Callable[[Value], Value]


def to_string(value: Value) -> Value:
    """Cast to xsd:string. Numbers are converted by value: xsd:string(01) is "1", while STR(01) is "01"."""
    match value.kind:
        case ValueKind.IRI | ValueKind.STRING:
            return string_value(value.data)
        case ValueKind.BOOLEAN:
            return string_value("true" if value.data else "false")
        case ValueKind.INTEGER:
            return string_value(str(value.data))
        case ValueKind.DECIMAL:
            return string_value(decimal_text(value.data))
        case ValueKind.FLOAT | ValueKind.DOUBLE:
            return string_value(_number_text(value))
        case ValueKind.DATE_TIME | ValueKind.DATE | ValueKind.TIME:
            return string_value(_moment_text(value, value.kind))
        case ValueKind.DURATION:
            return string_value(value.data.text("P0M" if datatype_of(value).endswith("yearMonthDuration") else "PT0S"))
    raise TypeMismatch("it cannot be cast to a string")


def _number_text(value: Value) -> str:
    """Return a float's text (XPath 2.0, 17.1.2): a decimal from a millionth to a million, else with an exponent."""
    number = value.data
    if number == 0:
        return "-0" if math.copysign(1, number) < 0 else "0"
    if 1e-6 <= abs(number) < 1e6:
        return decimal_text(Decimal(fewest_digits(value)))
    return double_text(value)


def to_boolean(value: Value) -> Value:
    """Cast to xsd:boolean."""
    if value.kind is ValueKind.BOOLEAN or value.numeric:
        return TRUE if effective_boolean(value) else FALSE
    return TRUE if _read(value, "boolean").data else FALSE


def to_integer(value: Value) -> Value:
    """Cast to xsd:integer, rounding towards zero."""
    if value.numeric or value.kind is ValueKind.BOOLEAN:
        try:
            return Value(ValueKind.INTEGER, int(value.data))
        except (ValueError, OverflowError):
            raise TypeMismatch("the value is not an integer") from None
    number = read_integer(_text(value))
    if number is None:
        raise TypeMismatch("the text is not an integer")
    return Value(ValueKind.INTEGER, number)


def to_derived_integer(name: str) -> Cast:
    """Make the cast to xsd:int, xsd:unsignedByte, ...: an integer in the range of the type."""
    low, high = INTEGER_RANGES[name]

    def cast(value: Value) -> Value:
        number = to_integer(value).data
        if (low is not None and number < low) or (high is not None and number > high):
            raise TypeMismatch(f"the number is not in the range of {name}")
        return value_of(literal(str(number), XSD + name))

    return cast


def to_decimal(value: Value) -> Value:
    """Cast to xsd:decimal."""
    if value.numeric or value.kind is ValueKind.BOOLEAN:
        number = Decimal(repr(value.data) if isinstance(value.data, float) else value.data)
        if not number.is_finite():
            raise TypeMismatch("the value is not a decimal")
        return Value(ValueKind.DECIMAL, number)
    return Value(ValueKind.DECIMAL, _read(value, "decimal").data)


def to_real(kind: ValueKind) -> Cast:
    """Make the cast to xsd:float or xsd:double."""

    def cast(value: Value) -> Value:
        if value.numeric or value.kind is ValueKind.BOOLEAN:
            _, number, _ = promote(Value(ValueKind.INTEGER, value.data), Value(kind, 0.0))
            return Value(kind, number)
        number = read_double(_text(value))
        if number is None:
            raise TypeMismatch("the text is not a number")
        return Value(kind, to_float(number) if kind is ValueKind.FLOAT else number)

    return cast


def to_moment(name: str, kind: ValueKind) -> Cast:
    """Make the cast to a date or time (XPath 2.0, 17.1.5).

    A dateTime has a date and a time; a date is the dateTime of its midnight; a time has no date.
    """
    sources = {kind, ValueKind.DATE_TIME} | ({ValueKind.DATE} if kind is ValueKind.DATE_TIME else set())

    def cast(value: Value) -> Value:
        if value.kind not in sources:
            return _read(value, name)
        if value.term is not None and literal_parts(value.term)[1] == XSD + name:
            return value
        return value_of(literal(_moment_text(value, kind), XSD + name))

    return cast


def _moment_text(value: Value, kind: ValueKind) -> str:
    moment = value.data
    match kind:
        case ValueKind.DATE:
            return f"{moment.date_text()}{moment.zone_text()}"
        case ValueKind.TIME:
            return f"{moment.time_text()}{moment.zone_text()}"
    return f"{moment.date_text()}T{moment.time_text()}{moment.zone_text()}"


def to_duration(name: str) -> Cast:
    """Make the cast to a duration: xsd:dayTimeDuration keeps the seconds, xsd:yearMonthDuration the months (17.1.4)."""

    def cast(value: Value) -> Value:
        duration = (value if value.kind is ValueKind.DURATION else _read(value, name)).data
        months = 0 if name == "dayTimeDuration" else duration.months
        rest = Fraction(0) if name == "yearMonthDuration" else duration.seconds
        text = Duration(months, rest).text("P0M" if name == "yearMonthDuration" else "PT0S")
        return value_of(literal(text, XSD + name))

    return cast


def _text(value: Value) -> str:
    if value.kind is not ValueKind.STRING:
        raise TypeMismatch("it cannot be cast")
    return str(value.data).strip(" \t\r\n")


def _read(value: Value, name: str) -> Value:
    """Return the value of a text as an XSD type; raise TypeMismatch if the text does not fit the type."""
    made = value_of(literal(_text(value), XSD + name))
    if made.kind is ValueKind.OTHER:
        raise TypeMismatch(f"the text is not of the type {name}")
    return made


_BY_NAME: dict[str, Cast] = {
    "boolean": to_boolean,
    "decimal": to_decimal,
    "float": to_real(ValueKind.FLOAT),
    "double": to_real(ValueKind.DOUBLE),
    "dateTime": to_moment("dateTime", ValueKind.DATE_TIME),
    "date": to_moment("date", ValueKind.DATE),
    "time": to_moment("time", ValueKind.TIME),
    **{name: to_duration(name) for name in ("duration", "dayTimeDuration", "yearMonthDuration")},
    **{name: to_derived_integer(name) for name in INTEGER_RANGES},
    "integer": to_integer,
}
CASTS: dict[str, Cast] = {XSD_STRING: to_string, **{XSD + name: cast for name, cast in _BY_NAME.items()}}
