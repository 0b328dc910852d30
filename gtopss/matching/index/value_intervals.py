"""Values and thresholds on one line of floating-point numbers, so that a kernel can compare them.

Not every value is a float: 0.1, 2^60 + 1 and a moment without a time zone are not. So a value is the *interval* of
floats that surely holds it, usually a single point. If a value's interval lies wholly on one side of a threshold's, the
kernel knows the answer; where they touch and are not both points, it says "unsure" and the row is tested in Python, by
the same rules as everywhere (`semantics.values`). Most values are far from most thresholds: few are unsure.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from math import inf, isnan, nextafter

from gtopss.matching.index.kernels.values import DATE, DATE_TIME, NO_DOMAIN, NUMBER, TIME
from gtopss.model.terms import Term, is_literal
from gtopss.semantics.values import Value, ValueKind, value_of

Spread = tuple[int, float, float]
"""A domain, and the interval in it. Domains 2k and 2k + 1 can be compared, after allowing for time zones."""

NOWHERE: Spread = (NO_DOMAIN, 0.0, 0.0)
_MOMENTS = {ValueKind.DATE_TIME: DATE_TIME, ValueKind.DATE: DATE, ValueKind.TIME: TIME}
_FLOAT_GAP = 2.0**-22  # more than the distance of neighbouring 32-bit floats, relative to them
_SMALLEST_FLOAT = 3e-45  # more than their distance near zero
_LARGEST_FLOAT = 3.4028e38  # less than the largest of them
_REMEMBERED_LENGTH = 400  # characters; no number or date that people write is longer


def spread_of(term: Term) -> Spread:
    """Where a term's value lies; NOWHERE if it is neither number nor moment.

    >>> spread_of(Term('"5"^^<http://www.w3.org/2001/XMLSchema#integer>'))
    (0, 5.0, 5.0)
    """
    if term[-1] != ">" or not is_literal(term):
        return NOWHERE
    return _remembered(term) if len(term) <= _REMEMBERED_LENGTH else _spread(value_of(term))


@lru_cache(maxsize=65_536)
def _remembered(term: Term) -> Spread:
    return _spread(value_of(term))


def _spread(value: Value) -> Spread:
    if value.kind in _MOMENTS:
        return (_MOMENTS[value.kind] + (not value.data.zoned), *_around(value.data.seconds))
    if not value.numeric:
        return NOWHERE
    if value.kind is ValueKind.DOUBLE or value.kind is ValueKind.FLOAT:
        if isnan(value.data):
            return NOWHERE  # it is not below, above or equal to anything
        return (NUMBER, *(_around_float(value.data) if value.kind is ValueKind.FLOAT else (value.data, value.data)))
    return (NUMBER, *_around(value.data))


def _around_float(number: float) -> tuple[float, float]:
    """What is equal to a 32-bit float once it is made one, as a comparison does: all beyond the largest is INF."""
    if abs(number) > _LARGEST_FLOAT:
        return (_LARGEST_FLOAT, inf) if number > 0 else (-inf, -_LARGEST_FLOAT)
    gap = max(abs(number) * _FLOAT_GAP, _SMALLEST_FLOAT)
    return number - gap, number + gap


def _around(number: Decimal | int) -> tuple[float, float]:
    """The floats that surely hold an exact number: itself, twice, or its neighbours."""
    try:
        near = float(number)
    except OverflowError:
        near = inf if number > 0 else -inf
    if abs(near) != inf and near == number:
        return near, near
    return nextafter(near, -inf), nextafter(near, inf)
