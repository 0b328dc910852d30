"""The functions an expression may call on values (SPARQL 1.1, section 17.4), by name.

Each entry says how many arguments it takes and what it does to their values. Functions that must not evaluate
all their arguments, or that read more than values (BOUND, IN, is-a, ...), are in `evaluate`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Context, Decimal, DecimalException
from typing import Any, NamedTuple

import re2

from gtopss.model.terms import XSD, iri, literal
from gtopss.semantics.values import (
    FALSE,
    TRUE,
    Kind,
    TypeMismatch,
    Value,
    datatype_of,
    effective_boolean,
    equal,
    less,
    lexical_form,
    promote,
    read_double,
    read_integer,
    string_value,
    term_of,
    to_float,
    value_of,
)

_DECIMALS = Context(prec=38)


class Function(NamedTuple):
    """How many arguments, and what it does to their values."""

    least: int
    most: int
    apply: Callable[..., Value]


def _truth(held: bool) -> Value:
    return TRUE if held else FALSE


def _at_most(one: Value, other: Value) -> bool:
    """`<=`: SPARQL writes it as `<` or `=`; NaN is neither."""
    return less(one, other) or equal(one, other)


def _arithmetic(sign: Callable[[Any, Any], Any]) -> Callable[[Value, Value], Value]:
    def apply(one: Value, other: Value) -> Value:
        if not (one.numeric and other.numeric):
            raise TypeMismatch("arithmetic needs numbers")
        kind, left, right = promote(one, other)
        if sign is operator.truediv and kind is Kind.INTEGER:
            kind, left, right = Kind.DECIMAL, Decimal(left), Decimal(right)
        try:
            if kind is Kind.DECIMAL:
                return Value(kind, _decimal(sign, left, right))
            result = sign(left, right)
        except (DecimalException, OverflowError) as error:
            raise TypeMismatch(str(error)) from None
        except ZeroDivisionError:
            result = _divided_by_zero(left, right)
        if kind is Kind.INTEGER and result.bit_length() > 13_000:
            raise TypeMismatch("the number is too large")
        return Value(kind, to_float(result) if kind is Kind.FLOAT else result)

    return apply


def _decimal(sign: Callable[[Any, Any], Any], left: Decimal, right: Decimal) -> Decimal:
    name = {
        operator.add: "add",
        operator.sub: "subtract",
        operator.mul: "multiply",
        operator.truediv: "divide",
    }[sign]
    made: Decimal = getattr(_DECIMALS, name)(left, right)
    return made


def _divided_by_zero(left: float, right: float) -> float:
    """IEEE 754: x / 0.0 is an infinity, 0.0 / 0.0 is not a number."""
    if left != left or left == 0:
        return float("nan")
    return float("inf") if (left > 0) == (str(right)[0] != "-") else float("-inf")


def _negative(value: Value) -> Value:
    if not value.numeric:
        raise TypeMismatch("only a number has a negative")
    return Value(value.kind, -value.data)


def _positive(value: Value) -> Value:
    if not value.numeric:
        raise TypeMismatch("only a number has a sign")
    return value


def _lang(value: Value) -> Value:
    if not value.literal:
        raise TypeMismatch("only a literal has a language")
    return string_value(value.data[1] if value.kind is Kind.LANGUAGE_STRING else "")


def _lang_matches(tag: Value, wanted: Value) -> Value:
    """Basic filtering of RFC 4647."""
    language, pattern = text_of(tag).lower(), text_of(wanted).lower()
    if pattern == "*":
        return _truth(language != "")
    return _truth(language == pattern or language.startswith(pattern + "-"))


def text_of(value: Value) -> str:
    """The text of a string argument: plain or with a language."""
    if value.kind is Kind.STRING:
        return str(value.data)
    if value.kind is Kind.LANGUAGE_STRING:
        return str(value.data[0])
    raise TypeMismatch("it is not a string")


def _same_text(value: Value, text: str) -> Value:
    """`text` as a string of the same sort: UCASE("chat"@fr) keeps its language."""
    if value.kind is Kind.LANGUAGE_STRING:
        return Value(Kind.LANGUAGE_STRING, (text, value.data[1]))
    return string_value(text)


def _compatible(one: Value, other: Value) -> tuple[str, str]:
    """SPARQL 1.1, 17.4.3.1.2: a language on the second argument must be that of the first."""
    texts = text_of(one), text_of(other)
    if other.kind is Kind.LANGUAGE_STRING and (one.kind is not Kind.LANGUAGE_STRING or one.data[1] != other.data[1]):
        raise TypeMismatch("the languages differ")
    return texts


def _text_test(test: Callable[[str, str], bool]) -> Callable[[Value, Value], Value]:
    return lambda one, other: _truth(test(*_compatible(one, other)))


def _str(value: Value) -> Value:
    return string_value(lexical_form(value))


def _same_term(one: Value, other: Value) -> Value:
    return _truth(term_of(one) == term_of(other))


_FLAGS = "ism"


def compile_regex(pattern: str, flags: str = "") -> Any:
    """An RE2 pattern; raises ValueError with the reason where RE2 cannot run it in linear time."""
    if unknown := set(flags) - {*_FLAGS, "q"}:
        raise ValueError(f"the REGEX flag {sorted(unknown)[0]!r} is not supported; use i, s, m or q")
    text = re2.escape(pattern) if "q" in flags else pattern
    inline = "".join(dict.fromkeys(flag for flag in flags if flag in _FLAGS))
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(f"(?{inline}){text}" if inline else text, options)
    except re2.error as error:
        raise ValueError(f"the REGEX {pattern!r} cannot run in linear time or is malformed: {error}") from None


def _regex(text: Value, pattern: Value, flags: Value | None = None) -> Value:
    try:
        compiled = compile_regex(text_of(pattern), text_of(flags) if flags else "")
    except ValueError as error:
        raise TypeMismatch(str(error)) from None
    return _truth(compiled.search(text_of(text)) is not None)


def _cast_boolean(value: Value) -> Value:
    if value.kind is Kind.BOOLEAN:
        return _truth(value.data)
    if value.numeric:
        return _truth(effective_boolean(value))
    return _from_text(value, "boolean")


def _cast_integer(value: Value) -> Value:
    if value.kind is Kind.BOOLEAN:
        return Value(Kind.INTEGER, int(value.data))
    if value.numeric:
        try:
            return Value(Kind.INTEGER, int(value.data))
        except (ValueError, OverflowError):
            raise TypeMismatch("no integer is that value") from None
    number = read_integer(_plain_text(value))
    if number is None:
        raise TypeMismatch("the text is no integer")
    return Value(Kind.INTEGER, number)


def _cast_decimal(value: Value) -> Value:
    if value.kind is Kind.BOOLEAN:
        return Value(Kind.DECIMAL, Decimal(int(value.data)))
    if value.numeric:
        number = Decimal(repr(value.data) if isinstance(value.data, float) else value.data)
        if not number.is_finite():
            raise TypeMismatch("no decimal is that value")
        return Value(Kind.DECIMAL, number)
    return _from_text(value, "decimal")


def _cast_double(kind: Kind) -> Callable[[Value], Value]:
    def cast(value: Value) -> Value:
        if value.numeric or value.kind is Kind.BOOLEAN:
            _, number, _ = promote(Value(Kind.INTEGER, value.data), Value(kind, 0.0))
            return Value(kind, number)
        number = read_double(_plain_text(value))
        if number is None:
            raise TypeMismatch("the text is no number")
        return Value(kind, to_float(number) if kind is Kind.FLOAT else number)

    return cast


def _cast_time(name: str, kind: Kind) -> Callable[[Value], Value]:
    return lambda value: value if value.kind is kind else _from_text(value, name)


def _plain_text(value: Value) -> str:
    if value.kind is not Kind.STRING:
        raise TypeMismatch("it cannot be cast")
    return str(value.data).strip(" \t\r\n")


def _from_text(value: Value, name: str) -> Value:
    """The literal with this text and XSD type, if the text fits the type."""
    made = value_of(literal(_plain_text(value), XSD + name))
    if made.kind is Kind.OTHER:
        raise TypeMismatch(f"the text is no {name}")
    return made


FUNCTIONS: dict[str, Function] = {
    "=": Function(2, 2, lambda one, other: _truth(equal(one, other))),
    "!=": Function(2, 2, lambda one, other: _truth(not equal(one, other))),
    "<": Function(2, 2, lambda one, other: _truth(less(one, other))),
    ">": Function(2, 2, lambda one, other: _truth(less(other, one))),
    "<=": Function(2, 2, lambda one, other: _truth(_at_most(one, other))),
    ">=": Function(2, 2, lambda one, other: _truth(_at_most(other, one))),
    "+": Function(2, 2, _arithmetic(operator.add)),
    "-": Function(2, 2, _arithmetic(operator.sub)),
    "*": Function(2, 2, _arithmetic(operator.mul)),
    "/": Function(2, 2, _arithmetic(operator.truediv)),
    "unary-": Function(1, 1, _negative),
    "unary+": Function(1, 1, _positive),
    "!": Function(1, 1, lambda value: _truth(not effective_boolean(value))),
    "STR": Function(1, 1, _str),
    "LANG": Function(1, 1, _lang),
    "LANGMATCHES": Function(2, 2, _lang_matches),
    "DATATYPE": Function(1, 1, lambda value: value_of(iri(datatype_of(value)))),
    "SAMETERM": Function(2, 2, _same_term),
    "ISIRI": Function(1, 1, lambda value: _truth(value.kind is Kind.IRI)),
    "ISURI": Function(1, 1, lambda value: _truth(value.kind is Kind.IRI)),
    "ISBLANK": Function(1, 1, lambda value: _truth(value.kind is Kind.BLANK)),
    "ISLITERAL": Function(1, 1, lambda value: _truth(value.literal)),
    "ISNUMERIC": Function(1, 1, lambda value: _truth(value.numeric)),
    "CONTAINS": Function(2, 2, _text_test(lambda text, part: part in text)),
    "STRSTARTS": Function(2, 2, _text_test(str.startswith)),
    "STRENDS": Function(2, 2, _text_test(str.endswith)),
    "STRLEN": Function(1, 1, lambda value: Value(Kind.INTEGER, len(text_of(value)))),
    "UCASE": Function(1, 1, lambda value: _same_text(value, text_of(value).upper())),
    "LCASE": Function(1, 1, lambda value: _same_text(value, text_of(value).lower())),
    "REGEX": Function(2, 3, _regex),
    f"<{XSD}string>": Function(1, 1, _str),
    f"<{XSD}boolean>": Function(1, 1, _cast_boolean),
    f"<{XSD}integer>": Function(1, 1, _cast_integer),
    f"<{XSD}decimal>": Function(1, 1, _cast_decimal),
    f"<{XSD}float>": Function(1, 1, _cast_double(Kind.FLOAT)),
    f"<{XSD}double>": Function(1, 1, _cast_double(Kind.DOUBLE)),
    f"<{XSD}dateTime>": Function(1, 1, _cast_time("dateTime", Kind.DATE_TIME)),
    f"<{XSD}date>": Function(1, 1, _cast_time("date", Kind.DATE)),
    f"<{XSD}time>": Function(1, 1, _cast_time("time", Kind.TIME)),
}
