"""XSD dates, times and durations as numbers on a time line.

Python's `datetime` stops at year 9999, has no year 0 and rounds to microseconds; XSD (1.1, part 2, section 3.3)
has none of these limits, so lexical forms are read here into exact seconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

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
_DIGITS = 30  # a year of more digits is an attack on our arithmetic, not a date
FOURTEEN_HOURS = 14 * 3600


@dataclass(frozen=True, slots=True)
class Moment:
    """A point on the time line: seconds from 0001-01-01T00:00:00 (UTC where zoned, local time where not)."""

    seconds: Fraction
    zoned: bool

    def before(self, other: Moment) -> bool | None:
        """Whether this lies before `other`; None where a missing time zone leaves it open (XSD's partial order)."""
        if self.zoned == other.zoned:
            return self.seconds < other.seconds
        gap = other.seconds - self.seconds
        return None if abs(gap) <= FOURTEEN_HOURS else gap > 0


@dataclass(frozen=True, slots=True)
class Duration:
    """Months and seconds do not convert into one another, so a duration is both."""

    months: int
    seconds: Fraction

    def before(self, other: Duration) -> bool | None:
        if self.months == other.months == 0:
            return self.seconds < other.seconds
        if self.seconds == other.seconds == 0:
            return self.months < other.months
        return None


def parse_date_time(text: str) -> Moment | None:
    found = _DATE_TIME.fullmatch(text)
    if not found or len(text) > _DIGITS + 60:
        return None
    year, month, day, hour, minute, second, zone = found.groups()
    date = _days(year, month, day)
    return None if date is None else _moment(date, hour, minute, second, zone, "24:" in text)


def parse_date(text: str) -> Moment | None:
    found = _DATE_ONLY.fullmatch(text)
    if not found or len(text) > _DIGITS + 20:
        return None
    year, month, day, zone = found.groups()
    date = _days(year, month, day)
    return None if date is None else _moment(date, None, None, None, zone)


def parse_time(text: str) -> Moment | None:
    found = _TIME_ONLY.fullmatch(text)
    if not found or len(text) > _DIGITS + 20:
        return None
    hour, minute, second, zone = found.groups()
    return _moment(0, hour, minute, second, zone)


def parse_duration(text: str) -> Duration | None:
    found = _DURATION.fullmatch(text)
    if not found or len(text) > 4 * _DIGITS or text[-1] in "PT":
        return None
    sign = -1 if found[1] else 1
    years, months, days, hours, minutes = (int(part or 0) for part in found.groups()[1:6])
    seconds = ((days * 24 + hours) * 60 + minutes) * 60 + Fraction(found[7] or 0)
    return Duration(sign * (12 * years + months), sign * seconds)


def _moment(
    days: int, hour: str | None, minute: str | None, second: str | None, zone: str | None, late: bool = False
) -> Moment:
    seconds = Fraction(days * 86_400 + int(hour or 0) * 3600 + int(minute or 0) * 60)
    seconds += Fraction(second or 0) + (86_400 if late else 0)
    return Moment(seconds - _offset(zone), zone is not None)


def _offset(zone: str | None) -> int:
    if zone is None or zone == "Z":
        return 0
    sign = -1 if zone[0] == "-" else 1
    return sign * (int(zone[1:3]) * 3600 + int(zone[4:6]) * 60)


def _days(year_text: str, month_text: str, day_text: str) -> int | None:
    """Days from 0001-01-01 in the proleptic Gregorian calendar; None for a day the month does not have."""
    year, month, day = int(year_text), int(month_text), int(day_text)
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if day > lengths[month - 1]:
        return None
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400 + sum(lengths[: month - 1]) + day - 1
