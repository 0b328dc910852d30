"""XSD dates, times and durations as numbers on a time line.

Python's `datetime` stops at year 9999, has no year 0 and rounds to microseconds; XSD (1.1, part 2, section 3.3)
has none of these limits, so lexical forms are read here into exact seconds, and written back from them.
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
_DIGITS = 30  # a year of more digits is an attack on our arithmetic, not a date
_EXACT = Context(prec=4 * _DIGITS + 20)  # more than any text we read has digits
_FOUR_CENTURIES = 146_097  # days, after which the calendar repeats
FOURTEEN_HOURS = 14 * 3600


class Fields(NamedTuple):
    """A moment as its own time zone's calendar and clock show it."""

    year: int
    month: int
    day: int
    hours: int
    minutes: int
    seconds: Decimal


@dataclass(frozen=True, slots=True)
class Moment:
    """A point on the time line: seconds from 0001-01-01T00:00:00 (UTC where zoned, local time where not).

    `zone` is the time zone as it was written, which does not tell two moments apart.
    """

    seconds: Fraction
    zoned: bool
    zone: str = field(default="", compare=False)

    def before(self, other: Moment) -> bool | None:
        """Whether this lies before `other`; None where a missing time zone leaves it open (XSD's partial order)."""
        if self.zoned == other.zoned:
            return self.seconds < other.seconds
        gap = other.seconds - self.seconds
        return None if abs(gap) <= FOURTEEN_HOURS else gap > 0

    @property
    def offset(self) -> int:
        """The time zone, in seconds east of UTC."""
        return _offset(self.zone or None)

    def fields(self) -> Fields:
        """
        >>> parse_date_time("2001-05-21T24:00:00+02:00").fields()
        Fields(year=2001, month=5, day=22, hours=0, minutes=0, seconds=Decimal('0'))
        """
        days, rest = divmod(self.seconds + self.offset, 86_400)
        cycles, day = divmod(days, _FOUR_CENTURIES)
        date = dt.date.fromordinal(day + 1)
        hours, rest = divmod(rest, 3600)
        minutes, rest = divmod(rest, 60)
        return Fields(date.year + 400 * cycles, date.month, date.day, hours, minutes, _exact(rest))

    def date_text(self) -> str:
        year, month, day, *_ = self.fields()
        return f"{'-' if year < 0 else ''}{abs(year):04d}-{month:02d}-{day:02d}"

    def time_text(self) -> str:
        """Without fractions that say nothing: `10:00:00`, `10:00:00.5`."""
        *_, hours, minutes, seconds = self.fields()
        return f"{hours:02d}:{minutes:02d}:{'0' if seconds < 10 else ''}{_plain(seconds)}"

    def zone_text(self) -> str:
        return "Z" if self.zoned and self.offset == 0 else self.zone


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

    def text(self, zero: str = "PT0S") -> str:
        """XSD's canonical text; `zero` is the type's way to write nothing.

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
    found = _DATE_TIME.fullmatch(text)
    if not found or len(text) > _DIGITS + 60:
        return None
    year, month, day, hour, minute, second, zone = found.groups()
    date = _days(year, month, day)
    return None if date is None else _moment(date, hour, minute, second, zone, late=hour is None)


def parse_date_time_stamp(text: str) -> Moment | None:
    """xsd:dateTimeStamp: a dateTime that must have a time zone."""
    moment = parse_date_time(text)
    return moment if moment is not None and moment.zoned else None


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


def parse_day_time_duration(text: str) -> Duration | None:
    """xsd:dayTimeDuration: no years or months may be written, not even none of them."""
    return None if "Y" in text or "M" in text.partition("T")[0] else parse_duration(text)


def parse_year_month_duration(text: str) -> Duration | None:
    return None if "D" in text or "T" in text else parse_duration(text)


def _moment(
    days: int, hour: str | None, minute: str | None, second: str | None, zone: str | None, late: bool = False
) -> Moment:
    seconds = Fraction(days * 86_400 + int(hour or 0) * 3600 + int(minute or 0) * 60)
    seconds += Fraction(second or 0) + (86_400 if late else 0)
    return Moment(seconds - _offset(zone), zone is not None, zone or "")


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


def _exact(seconds: Fraction | int) -> Decimal:
    return _EXACT.divide(Decimal(seconds.numerator), Decimal(seconds.denominator))


def _plain(seconds: Decimal) -> str:
    text = format(seconds, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
