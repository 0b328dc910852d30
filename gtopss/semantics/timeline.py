"""XSD dates, times and durations as exact seconds on a time line (XSD 1.1, part 2, section 3.3).

Python's `datetime` ends with the year 9999, has no year 0 and rounds to microseconds. XSD has none of these limits, so
this module parses lexical forms to exact seconds, and formats seconds as lexical forms.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from typing import NamedTuple

_ZONE = r"(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?"
_DATE = r"(-?(?:[1-9]\d{3,}|0\d{3}))-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
_TIME = r"(?:([01]\d|2[0-3]):([0-5]\d):([0-5]\d(?:\.\d+)?)|24:00:00(?:\.0+)?)"
_DATE_TIME = re.compile(f"{_DATE}T{_TIME}{_ZONE}", re.ASCII)
_DATE_ONLY = re.compile(f"{_DATE}{_ZONE}", re.ASCII)
_TIME_ONLY = re.compile(f"{_TIME}{_ZONE}", re.ASCII)
_DURATION = re.compile(
    r"(-)?P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?",
    re.ASCII,
)
_MAX_YEAR_DIGITS = 30  # a longer year is refused: it would only cost time
_EXACT = Context(prec=4 * _MAX_YEAR_DIGITS + 20)  # more digits than any accepted text has
_DAYS_IN_400_YEARS = 146_097  # the calendar repeats after 400 years
MAX_ZONE_OFFSET_SECONDS = 14 * 3600


class Fields(NamedTuple):
    """The calendar date and clock time of a moment in its own time zone."""

    year: int
    month: int
    day: int
    hours: int
    minutes: int
    seconds: Decimal


@dataclass(frozen=True, slots=True)
class Moment:
    """A point on the time line: seconds from 0001-01-01T00:00:00 (UTC where zoned, local time where not).

    `zone` is the time zone as written; moments that differ only in it are equal.
    """

    seconds: Fraction
    zoned: bool
    zone: str = field(default="", compare=False)

    def before(self, other: Moment) -> bool | None:
        """Return whether this is before `other`; None if a missing time zone leaves that open (XSD's partial order)."""
        if self.zoned == other.zoned:
            return self.seconds < other.seconds
        gap = other.seconds - self.seconds
        return None if abs(gap) <= MAX_ZONE_OFFSET_SECONDS else gap > 0

    @property
    def offset(self) -> int:
        """The offset of the time zone from UTC, in seconds; positive is east."""
        return _offset(self.zone or None)

    def fields(self) -> Fields:
        """Return the calendar fields of the moment in its own time zone.

        >>> parse_date_time("2001-05-21T24:00:00+02:00").fields()
        Fields(year=2001, month=5, day=22, hours=0, minutes=0, seconds=Decimal('0'))
        """
        days, rest = divmod(self.seconds + self.offset, 86_400)
        cycles, day = divmod(days, _DAYS_IN_400_YEARS)
        date = dt.date.fromordinal(day + 1)
        hours, rest = divmod(rest, 3600)
        minutes, rest = divmod(rest, 60)
        return Fields(date.year + 400 * cycles, date.month, date.day, hours, minutes, _exact(rest))

    def date_text(self) -> str:
        """Return the date without its time zone."""
        year, month, day, *_ = self.fields()
        return f"{'-' if year < 0 else ''}{abs(year):04d}-{month:02d}-{day:02d}"

    def time_text(self) -> str:
        """Return the time without its time zone and without trailing zeros: `10:00:00`, `10:00:00.5`."""
        *_, hours, minutes, seconds = self.fields()
        return f"{hours:02d}:{minutes:02d}:{'0' if seconds < 10 else ''}{_plain(seconds)}"

    def zone_text(self) -> str:
        """Return the time zone, with UTC as `Z`; empty if there is none."""
        return "Z" if self.zoned and self.offset == 0 else self.zone


@dataclass(frozen=True, slots=True)
class Duration:
    """A duration in months and seconds, which do not convert into one another."""

    months: int
    seconds: Fraction

    def before(self, other: Duration) -> bool | None:
        """Return whether this is shorter than `other`; None if months would have to be compared with seconds."""
        if self.months == other.months == 0:
            return self.seconds < other.seconds
        if self.seconds == other.seconds == 0:
            return self.months < other.months
        return None

    def text(self, zero: str = "PT0S") -> str:
        """Return XSD's canonical text; `zero` is how the datatype writes a duration of zero.

        >>> Duration(0, Fraction(-8 * 3600)).text(), Duration(14, Fraction(86_400 + 90)).text()
        ('-PT8H', 'P1Y2M1DT1M30S')
        """
        years, months = divmod(abs(self.months), 12)
        days, rest = divmod(abs(self.seconds), 86_400)
        hours, rest = divmod(rest, 3600)
        minutes, seconds = divmod(rest, 60)
        date = "".join(f"{count}{unit}" for count, unit in ((years, "Y"), (months, "M"), (days, "D")) if count)
        time = "".join(f"{count}{unit}" for count, unit in ((hours, "H"), (minutes, "M")) if count)
        time += f"{_plain(_exact(seconds))}S" if seconds else ""
        if not date and not time:
            return zero
        sign = "-" if self.months < 0 or self.seconds < 0 else ""
        return f"{sign}P{date}{'T' if time else ''}{time}"


def parse_date_time(text: str) -> Moment | None:
    """Parse an xsd:dateTime; return None if the text is not one."""
    found = _DATE_TIME.fullmatch(text)
    if not found or len(text) > _MAX_YEAR_DIGITS + 60:
        return None
    year, month, day, hour, minute, second, zone = found.groups()
    date = _days(year, month, day)
    return None if date is None else _moment(date, hour, minute, second, zone, is_end_of_day=hour is None)


def parse_date_time_stamp(text: str) -> Moment | None:
    """Parse an xsd:dateTimeStamp, a dateTime that must have a time zone."""
    moment = parse_date_time(text)
    return moment if moment is not None and moment.zoned else None


def parse_date(text: str) -> Moment | None:
    """Parse an xsd:date; its moment is the midnight at which it begins."""
    found = _DATE_ONLY.fullmatch(text)
    if not found or len(text) > _MAX_YEAR_DIGITS + 20:
        return None
    year, month, day, zone = found.groups()
    date = _days(year, month, day)
    return None if date is None else _moment(date, None, None, None, zone)


def parse_time(text: str) -> Moment | None:
    """Parse an xsd:time; its moment is on the first day of the time line."""
    found = _TIME_ONLY.fullmatch(text)
    if not found or len(text) > _MAX_YEAR_DIGITS + 20:
        return None
    hour, minute, second, zone = found.groups()
    return _moment(0, hour, minute, second, zone)


def parse_duration(text: str) -> Duration | None:
    """Parse an xsd:duration; return None if the text is not one."""
    found = _DURATION.fullmatch(text)
    if not found or len(text) > 4 * _MAX_YEAR_DIGITS or text[-1] in "PT":
        return None
    sign = -1 if found[1] else 1
    years, months, days, hours, minutes = (int(part or 0) for part in found.groups()[1:6])
    seconds = ((days * 24 + hours) * 60 + minutes) * 60 + Fraction(found[7] or 0)
    return Duration(sign * (12 * years + months), sign * seconds)


def parse_day_time_duration(text: str) -> Duration | None:
    """Parse an xsd:dayTimeDuration: years and months must not be written, not even `P0Y`."""
    return None if "Y" in text or "M" in text.partition("T")[0] else parse_duration(text)


def parse_year_month_duration(text: str) -> Duration | None:
    """Parse an xsd:yearMonthDuration: days and times must not be written."""
    return None if "D" in text or "T" in text else parse_duration(text)


def _moment(
    days: int, hour: str | None, minute: str | None, second: str | None, zone: str | None, is_end_of_day: bool = False
) -> Moment:
    seconds = Fraction(days * 86_400 + int(hour or 0) * 3600 + int(minute or 0) * 60)
    seconds += Fraction(second or 0) + (86_400 if is_end_of_day else 0)
    return Moment(seconds - _offset(zone), zone is not None, zone or "")


def _offset(zone: str | None) -> int:
    if zone is None or zone == "Z":
        return 0
    sign = -1 if zone[0] == "-" else 1
    return sign * (int(zone[1:3]) * 3600 + int(zone[4:6]) * 60)


def _days(year_text: str, month_text: str, day_text: str) -> int | None:
    """Return the days since 0001-01-01 in the proleptic Gregorian calendar; None if the month has no such day."""
    year, month, day = int(year_text), int(month_text), int(day_text)
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if day > lengths[month - 1]:
        return None
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400 + sum(lengths[: month - 1]) + day - 1


def _exact(seconds: Fraction | int) -> Decimal:
    return _EXACT.divide(Decimal(seconds.numerator), Decimal(seconds.denominator))


def _plain(seconds: Decimal) -> str:
    text = format(seconds, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
