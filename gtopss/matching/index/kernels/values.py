"""Numbers and moments read from a batch's text: the forms that nearly all have. The others are left to Python.

What is read here is what `thresholds.spread_of` would say, for a hundredth of the price: a stream's prices and dates
are new with every item, so that no cache helps.
"""

from __future__ import annotations

import numpy as np

from gtopss.compiled import compiled, inlined, inner
from gtopss.matching.index.kernels.array_types import UInt8Array
from gtopss.matching.index.kernels.terms import PADDING, same
from gtopss.model.terms import XSD

NO_DOMAIN, NEEDS_PYTHON = -1, -2
"""Domains: of what is neither number nor moment, and of what only Python can read."""
NUMBER, DATE_TIME, DATE, TIME = 0, 2, 4, 6
"""One more where a moment has no time zone."""

_QUOTE, _PLUS, _MINUS, _POINT, _COLON, _NINE, _ZERO = 34, 43, 45, 46, 58, 57, 48
_E, _LARGE_E, _T, _Z, _GREATER = 101, 69, 84, 90, 62
_DIGITS = 15  # that a float has room for, whatever they are
_EXACT = 22  # powers of ten up to this are floats


def _type(name: str) -> tuple[UInt8Array, int]:
    text = f'"^^<{XSD}{name}>\n'.encode()
    return np.frombuffer(text + PADDING, np.uint8), len(text)


_INTEGER_TYPE, _INTEGER_LENGTH = _type("integer")
_DECIMAL_TYPE, _DECIMAL_LENGTH = _type("decimal")
_DOUBLE_TYPE, _DOUBLE_LENGTH = _type("double")
_DATE_TIME_TYPE, _DATE_TIME_LENGTH = _type("dateTime")
_DATE_TYPE, _DATE_LENGTH = _type("date")
_TENS = 10.0 ** np.arange(_EXACT + 1)
_FIVES = 5 ** np.arange(_EXACT + 1, dtype=np.int64)
_BEFORE = np.array([0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365])


@inlined
def _two(data, i):
    """A number of two digits; -1 if there is none."""
    one, other = np.int64(data[i]) - _ZERO, np.int64(data[i + 1]) - _ZERO
    return 10 * one + other if 0 <= one <= 9 and 0 <= other <= 9 else np.int64(-1)


@inlined
def _day(year, month, day):
    """Days from 0001-01-01; -1 if there is no such day."""
    if not 1 <= month <= 12 or day < 1:
        return np.int64(-1)
    leap = 1 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 0
    if day > _BEFORE[month] - _BEFORE[month - 1] + (leap if month == 2 else 0):
        return np.int64(-1)
    past = year - 1
    return (
        past * 365 + past // 4 - past // 100 + past // 400 + _BEFORE[month - 1] + (leap if month > 2 else 0) + day - 1
    )


@inner
def _moment(data, i, year):
    """The moment whose month begins at `i`."""
    nothing = (NEEDS_PYTHON, 0.0, 0.0)
    days = _day(year, _two(data, i), _two(data, i + 3))
    if year < 1 or data[i + 2] != _MINUS or days < 0:
        return nothing
    i += 5
    seconds, domain = 86_400 * days, DATE
    if data[i] == _T:
        hours, minutes, rest = _two(data, i + 1), _two(data, i + 4), _two(data, i + 7)
        if data[i + 3] != _COLON or data[i + 6] != _COLON:
            return nothing
        if not (0 <= hours <= 23 and 0 <= minutes <= 59 and 0 <= rest <= 59):
            return nothing
        seconds += 3_600 * hours + 60 * minutes + rest
        domain = DATE_TIME
        i += 9
    if data[i] == _Z:
        i += 1
    elif data[i] == _PLUS or data[i] == _MINUS:
        hours, minutes = _two(data, i + 1), _two(data, i + 4)
        if data[i + 3] != _COLON or not (0 <= hours <= 13 and 0 <= minutes <= 59):
            return nothing
        east = 3_600 * hours + 60 * minutes
        seconds -= east if data[i] == _PLUS else -east
        i += 6
    else:
        domain += 1
    if domain >> 1 == DATE >> 1:
        known = same(data, i, _DATE_TYPE, 0, _DATE_LENGTH)
    else:
        known = same(data, i, _DATE_TIME_TYPE, 0, _DATE_TIME_LENGTH)
    return (domain, float(seconds), float(seconds)) if known else nothing


@inner
def _spread(data, begin, end):
    """Where the term between two places lies: its domain, and the interval of floats that holds it."""
    if data[begin] != _QUOTE or data[end - 1] != _GREATER:
        return NO_DOMAIN, 0.0, 0.0
    nothing = (NEEDS_PYTHON, 0.0, 0.0)
    i, sign = begin + 1, 1.0
    if data[i] == _PLUS or data[i] == _MINUS:
        sign = 1.0 if data[i] == _PLUS else -1.0
        i += 1
    mantissa, digits, scale, pointed = np.int64(0), 0, 0, False
    while True:
        if _ZERO <= data[i] <= _NINE:
            mantissa = 10 * mantissa + np.int64(data[i]) - _ZERO
            digits += 1
            scale += 1 if pointed else 0
        elif data[i] == _POINT and not pointed:
            pointed = True
        else:
            break
        if digits > _DIGITS:
            return nothing
        i += 1
    if data[i] == _MINUS and digits == 4 and i == begin + 5 and not pointed:
        return _moment(data, i + 1, mantissa)
    if digits == 0:
        return nothing
    if data[i] == _E or data[i] == _LARGE_E:
        i += 1
        down = data[i] == _MINUS
        if data[i] == _PLUS or down:
            i += 1
        power, first = 0, i
        while _ZERO <= data[i] <= _NINE and i - first < 3:
            power = 10 * power + np.int64(data[i]) - _ZERO
            i += 1
        power = (-power if down else power) - scale
        if i == first or abs(power) > _EXACT or not same(data, i, _DOUBLE_TYPE, 0, _DOUBLE_LENGTH):
            return nothing
        near = sign * (mantissa * _TENS[power] if power >= 0 else mantissa / _TENS[-power])
        return NUMBER, near, near
    near = sign * (mantissa / _TENS[scale])
    if same(data, i, _DOUBLE_TYPE, 0, _DOUBLE_LENGTH):
        return NUMBER, near, near
    if not pointed and same(data, i, _INTEGER_TYPE, 0, _INTEGER_LENGTH):
        return NUMBER, near, near
    if not same(data, i, _DECIMAL_TYPE, 0, _DECIMAL_LENGTH):
        return nothing
    if mantissa % _FIVES[scale] == 0:  # then it is a fraction of a power of two
        return NUMBER, near, near
    return NUMBER, np.nextafter(near, -np.inf), np.nextafter(near, np.inf)


@compiled
def read_values(data, begins, first):
    """For each local number its domain and interval (`TermValues`), its domain NEEDS_PYTHON where Python must say."""
    count = first.shape[0]
    domain, low, high = np.empty(count, np.int8), np.empty(count, np.float64), np.empty(count, np.float64)
    for x in range(count):
        if first[x] < 0:
            domain[x], low[x], high[x] = NO_DOMAIN, 0.0, 0.0
        else:
            domain[x], low[x], high[x] = _spread(data, begins[first[x]], begins[first[x] + 1] - 1)
    return domain, low, high
