"""Functions on dates and times (SPARQL 1.1, section 17.4.5).

SPARQL defines them for xsd:dateTime. As in Oxigraph and Jena, they also accept an xsd:date or xsd:time that has the
requested part. Parts are those in the written time zone, not in UTC.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from fractions import Fraction

from gtopss.model.terms import XSD, literal
from gtopss.semantics.timeline import Duration, Fields, Moment
from gtopss.semantics.values import TypeMismatch, Value, ValueKind, string_value, value_of

CALENDAR = frozenset({ValueKind.DATE_TIME, ValueKind.DATE})
CLOCK = frozenset({ValueKind.DATE_TIME, ValueKind.TIME})


def moment_of(value: Value, kinds: frozenset[ValueKind] = CALENDAR | CLOCK) -> Moment:
    """Return the moment of a date or time; raise TypeMismatch for other values."""
    if value.kind in kinds and isinstance(value.data, Moment):
        return value.data
    raise TypeMismatch("it is not a date or time with that part")


def part(kinds: frozenset[ValueKind], read: Callable[[Fields], int]) -> Callable[[Value], Value]:
    """Make YEAR, MONTH, DAY, HOURS or MINUTES, which are integers."""
    return lambda value: Value(ValueKind.INTEGER, read(moment_of(value, kinds).fields()))


def seconds(value: Value) -> Value:
    """SECONDS: a decimal."""
    return Value(ValueKind.DECIMAL, moment_of(value, CLOCK).fields().seconds)


def timezone(value: Value) -> Value:
    """TIMEZONE: a duration; a type error if there is no time zone."""
    moment = moment_of(value)
    if not moment.zoned:
        raise TypeMismatch("it has no time zone")
    return value_of(literal(Duration(0, Fraction(moment.offset)).text(), XSD + "dayTimeDuration"))


def zone_text(value: Value) -> Value:
    """TZ: the time zone as written; the empty string if there is none."""
    return string_value(moment_of(value).zone)


def date_time_value(moment: dt.datetime) -> Value:
    """Convert a Python datetime to an xsd:dateTime; a time zone that XSD cannot express becomes UTC."""
    offset = moment.utcoffset()
    if offset is not None and (offset % dt.timedelta(minutes=1) or abs(offset) > dt.timedelta(hours=14)):
        try:
            moment = moment.astimezone(dt.UTC)
        except OverflowError as error:
            raise TypeMismatch(str(error)) from None
    text = moment.isoformat()
    return value_of(literal(text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text, XSD + "dateTime"))
