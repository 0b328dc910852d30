"""Map values and bounds to intervals of floating-point numbers, so that a kernel can compare them.

Not every value is a float: 0.1, 2^60 + 1 and a moment without a time zone are not. So a value is the *interval* of
floats that surely holds it, usually a single point. If a value's interval lies wholly on one side of a bound's, the
kernel knows the answer. If they overlap and are not both points, the kernel marks the row as unsure, and it is tested
in Python by the rules of `semantics.values`. Most values are far from most bounds, so few rows are unsure.
"""

from __future__ import annotations

from decimal import Decimal
from math import inf, isnan, nextafter

from gtopss.matching.index.kernels.values import DATE, DATE_TIME, NO_DOMAIN, NUMBER, TIME
from gtopss.model.terms import Term, cache_short_terms, is_literal
from gtopss.semantics.lenient_literals import read_literal_term
from gtopss.semantics.values import ValueKind, value_of

ValueInterval = tuple[int, float, float]
"""A domain, and the low and high end of the interval. Domains 2k and 2k + 1 are comparable, up to time zones."""

NO_INTERVAL: ValueInterval = (NO_DOMAIN, 0.0, 0.0)
_MOMENTS = {ValueKind.DATE_TIME: DATE_TIME, ValueKind.DATE: DATE, ValueKind.TIME: TIME}
_FLOAT_GAP = 2.0**-22  # more than the distance of neighbouring 32-bit floats, relative to them
_SMALLEST_FLOAT = 3e-45  # more than their distance near zero
_LARGEST_FLOAT = 3.4028e38  # less than the largest of them


def interval_of(term: Term, plain_literals: bool = False) -> ValueInterval:
    """Return the interval of a term's value; NO_INTERVAL if it is neither a number nor a moment.

    With `plain_literals`, one that reads as a number or a date has its value.

    >>> interval_of(Term('"5"^^<http://www.w3.org/2001/XMLSchema#integer>'))
    (0, 5.0, 5.0)
    """
    if plain_literals:
        term = read_literal_term(term)
    if term[-1] != ">" or not is_literal(term):
        return NO_INTERVAL
    return _literal_interval(term)


@cache_short_terms
def _literal_interval(term: Term) -> ValueInterval:
    value = value_of(term)
    if value.kind in _MOMENTS:
        return (_MOMENTS[value.kind] + (not value.data.zoned), *_around(value.data.seconds))
    if not value.numeric:
        return NO_INTERVAL
    if value.kind is ValueKind.DOUBLE or value.kind is ValueKind.FLOAT:
        if isnan(value.data):
            return NO_INTERVAL  # it is not below, above or equal to anything
        return (NUMBER, *(_around_float(value.data) if value.kind is ValueKind.FLOAT else (value.data, value.data)))
    return (NUMBER, *_around(value.data))


def _around_float(number: float) -> tuple[float, float]:
    """Return the interval of numbers that are equal to a 32-bit float after rounding; beyond the largest it is INF."""
    if abs(number) > _LARGEST_FLOAT:
        return (_LARGEST_FLOAT, inf) if number > 0 else (-inf, -_LARGEST_FLOAT)
    gap = max(abs(number) * _FLOAT_GAP, _SMALLEST_FLOAT)
    return number - gap, number + gap


def _around(number: Decimal | int) -> tuple[float, float]:
    """Return the narrowest interval of floats that holds an exact number: a point, or its two neighbours."""
    try:
        near = float(number)
    except OverflowError:
        near = inf if number > 0 else -inf
    if abs(near) != inf and near == number:
        return near, near
    return nextafter(near, -inf), nextafter(near, inf)
