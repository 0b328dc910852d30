"""Read numbers and moments from a batch's text, in the forms that nearly all have. Others are left to Python.

The result is what `value_intervals.spread_of` would return, at a hundredth of the cost: the prices and dates of a
stream are new with every item, so that no cache helps.
"""

from __future__ import annotations

import numpy as np

from gtopss.compiled import compiled, inlined, inner
from gtopss.matching.index.kernels.array_types import UInt8Array
from gtopss.matching.index.kernels.namespaces import XSD
from gtopss.matching.index.kernels.terms import PADDING, equal_bytes

NO_DOMAIN, NEEDS_PYTHON = -1, -2
"""Domains of terms that are neither numbers nor moments, and of literals that only Python can read."""
NUMBER, DATE_TIME, DATE, TIME = 0, 2, 4, 6
"""Domains of values. A moment without a time zone has the next higher number."""

_QUOTE, _PLUS, _MINUS, _POINT, _COLON, _NINE, _ZERO = 34, 43, 45, 46, 58, 57, 48
_LOWER_E, _UPPER_E, _T, _Z, _GREATER = 101, 69, 84, 90, 62
_OTHER_CHARACTERS = (_PLUS, _MINUS, _POINT, _LOWER_E, _UPPER_E, _T, _Z)  # of numbers and dates, besides digits and :
MAX_DIGITS = 15  # decimal digits that a float always represents
MAX_POWER = 22  # the highest power of ten that is exactly a float


def _datatype(name: str) -> tuple[UInt8Array, int]:
    """Return what follows the text of a literal of this type, up to the end of the line, and its length."""
    text = f'"^^<{XSD}{name}>\n'.encode()
    return np.frombuffer(text + PADDING, np.uint8), len(text)


_INTEGER_TYPE, _INTEGER_LENGTH = _datatype("integer")
_DECIMAL_TYPE, _DECIMAL_LENGTH = _datatype("decimal")
_DOUBLE_TYPE, _DOUBLE_LENGTH = _datatype("double")
_DATE_TIME_TYPE, _DATE_TIME_LENGTH = _datatype("dateTime")
_DATE_TYPE, _DATE_LENGTH = _datatype("date")
_POWERS_OF_TEN = 10.0 ** np.arange(MAX_POWER + 1)
_POWERS_OF_FIVE = 5 ** np.arange(MAX_POWER + 1, dtype=np.int64)
_DAYS_BEFORE_MONTH = np.array([0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365])


@inlined
def _two_digits(data, i):
    """Return the number of two digits at `i`; -1 if there is none."""
    tens, ones = np.int64(data[i]) - _ZERO, np.int64(data[i + 1]) - _ZERO
    return 10 * tens + ones if 0 <= tens <= 9 and 0 <= ones <= 9 else np.int64(-1)


@inlined
def _days(year, month, day):
    """Return the days from 0001-01-01; -1 if there is no such day."""
    if not 1 <= month <= 12 or day < 1:
        return np.int64(-1)
    leap = 1 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 0
    if day > _DAYS_BEFORE_MONTH[month] - _DAYS_BEFORE_MONTH[month - 1] + (leap if month == 2 else 0):
        return np.int64(-1)
    past = year - 1
    before_year = past * 365 + past // 4 - past // 100 + past // 400
    return before_year + _DAYS_BEFORE_MONTH[month - 1] + (leap if month > 2 else 0) + day - 1


@inlined
def _read_clock(data, i):
    """Return the seconds of the clock time hh:mm:ss at `i`; -1 if there is none."""
    hours, minutes, seconds = _two_digits(data, i), _two_digits(data, i + 3), _two_digits(data, i + 6)
    if data[i + 2] != _COLON or data[i + 5] != _COLON:
        return np.int64(-1)
    if not (0 <= hours <= 23 and 0 <= minutes <= 59 and 0 <= seconds <= 59):
        return np.int64(-1)
    return 3_600 * hours + 60 * minutes + seconds


@inlined
def _ends_plain(data, i, end, plain_literals):
    """Return whether the text of a plain literal, which ends before `end`, ends at `i`, and such literals are read."""
    return plain_literals and i == end - 1 and data[i] == _QUOTE


@inner
def _read_moment(data, i, end, year, plain_literals):
    """Return the domain and interval of the date, or date and time, whose month begins at `i`."""
    unread = (NEEDS_PYTHON, 0.0, 0.0)
    days = _days(year, _two_digits(data, i), _two_digits(data, i + 3))
    if year < 1 or data[i + 2] != _MINUS or days < 0:
        return unread
    i += 5
    seconds, domain = 86_400 * days, DATE
    if data[i] == _T:
        clock = _read_clock(data, i + 1)
        if clock < 0:
            return unread
        seconds += clock
        domain = DATE_TIME
        i += 9
    if data[i] == _Z:
        i += 1
    elif data[i] == _PLUS or data[i] == _MINUS:
        hours, minutes = _two_digits(data, i + 1), _two_digits(data, i + 4)
        if data[i + 3] != _COLON or not (0 <= hours <= 13 and 0 <= minutes <= 59):
            return unread
        east = 3_600 * hours + 60 * minutes
        seconds -= east if data[i] == _PLUS else -east
        i += 6
    else:
        domain += 1
    if _ends_plain(data, i, end, plain_literals):
        known = True
    elif domain >> 1 == DATE >> 1:
        known = equal_bytes(data, i, _DATE_TYPE, 0, _DATE_LENGTH)
    else:
        known = equal_bytes(data, i, _DATE_TIME_TYPE, 0, _DATE_TIME_LENGTH)
    return (domain, float(seconds), float(seconds)) if known else unread


@inner
def _read_exponential(data, i, end, mantissa, scale, plain_literals):
    """Return the domain and interval of a double whose exponent begins at `i`, after mantissa / 10^scale."""
    negative = data[i] == _MINUS
    if data[i] == _PLUS or negative:
        i += 1
    power, first = np.int64(0), i
    while _ZERO <= data[i] <= _NINE and i - first < 3:
        power = 10 * power + np.int64(data[i]) - _ZERO
        i += 1
    power = (-power if negative else power) - scale
    if i == first or abs(power) > MAX_POWER:
        return NEEDS_PYTHON, 0.0, 0.0
    is_double = equal_bytes(data, i, _DOUBLE_TYPE, 0, _DOUBLE_LENGTH)
    if not is_double and not _ends_plain(data, i, end, plain_literals):
        return NEEDS_PYTHON, 0.0, 0.0
    number = mantissa * _POWERS_OF_TEN[power] if power >= 0 else mantissa / _POWERS_OF_TEN[-power]
    return NUMBER, number, number


@inner
def _read_fixed_point(data, i, end, mantissa, scale, has_point, plain_literals):
    """Return the domain and interval of a number without exponent, mantissa / 10^scale, whose text ends at `i`."""
    number = mantissa / _POWERS_OF_TEN[scale]
    if equal_bytes(data, i, _DOUBLE_TYPE, 0, _DOUBLE_LENGTH):
        return NUMBER, number, number
    is_plain = _ends_plain(data, i, end, plain_literals)
    if not has_point and (is_plain or equal_bytes(data, i, _INTEGER_TYPE, 0, _INTEGER_LENGTH)):
        return NUMBER, number, number
    if not is_plain and not equal_bytes(data, i, _DECIMAL_TYPE, 0, _DECIMAL_LENGTH):
        return NEEDS_PYTHON, 0.0, 0.0
    if mantissa % _POWERS_OF_FIVE[scale] == 0:  # then it is a fraction of a power of two, and exactly a float
        return NUMBER, number, number
    return NUMBER, np.nextafter(number, -np.inf), np.nextafter(number, np.inf)


@inlined
def _may_read_plain(data, begin, end):
    """Return whether a term is a plain literal that has only characters of numbers and dates."""
    if end - begin < 3 or data[end - 1] != _QUOTE:
        return False
    for i in range(begin + 1, end - 1):
        if not (_ZERO <= data[i] <= _COLON) and data[i] not in _OTHER_CHARACTERS:
            return False
    return True


@inner
def _read_value(data, begin, end, plain_literals):
    """Return the domain of the term between two positions, and the interval of floats that holds its value."""
    if data[begin] != _QUOTE:
        return NO_DOMAIN, 0.0, 0.0
    if data[end - 1] != _GREATER and not (plain_literals and _may_read_plain(data, begin, end)):
        return NO_DOMAIN, 0.0, 0.0
    unread = (NEEDS_PYTHON, 0.0, 0.0)
    i, negative = begin + 1, data[begin + 1] == _MINUS
    if data[i] == _PLUS or negative:
        i += 1
    mantissa, digits, scale, has_point = np.int64(0), 0, 0, False
    while True:
        if _ZERO <= data[i] <= _NINE:
            mantissa = 10 * mantissa + np.int64(data[i]) - _ZERO
            digits += 1
            scale += 1 if has_point else 0
        elif data[i] == _POINT and not has_point:
            has_point = True
        else:
            break
        if digits > MAX_DIGITS:
            return unread
        i += 1
    if data[i] == _MINUS and digits == 4 and i == begin + 5 and not has_point:
        return _read_moment(data, i + 1, end, mantissa, plain_literals)
    if digits == 0:
        return unread
    if data[i] == _LOWER_E or data[i] == _UPPER_E:
        domain, low, high = _read_exponential(data, i + 1, end, mantissa, scale, plain_literals)
    else:
        domain, low, high = _read_fixed_point(data, i, end, mantissa, scale, has_point, plain_literals)
    return (domain, -high, -low) if negative else (domain, low, high)


@compiled
def read_values(data, begins, first, plain_literals):
    """Return the domain and interval of each term of a batch (`TermValues`); NEEDS_PYTHON if it was not read.

    `begins` holds where each line of the text begins, `first` the first line of each term. With `plain_literals`, plain
    literals that read as numbers or dates have values too.
    """
    count = first.shape[0]
    domain, low, high = np.empty(count, np.int8), np.empty(count, np.float64), np.empty(count, np.float64)
    for x in range(count):
        if first[x] < 0:
            domain[x], low[x], high[x] = NO_DOMAIN, 0.0, 0.0
        else:
            domain[x], low[x], high[x] = _read_value(data, begins[first[x]], begins[first[x] + 1] - 1, plain_literals)
    return domain, low, high
