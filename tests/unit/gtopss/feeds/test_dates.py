from __future__ import annotations

import calendar
import datetime as dt
import random
from email.utils import format_datetime

import pytest
from feedparser.datetimes import _parse_date
from hypothesis import given
from hypothesis import strategies as st

from gtopss.feeds.dates import date_line, date_literal, is_timestamp, parse_date
from gtopss.model.terms import XSD, literal

WRITTEN = [
    "Tue, 03 Jun 2003 09:39:21 GMT", "Tue, 3 Jun 2003 09:39 EST", "03 Jun 2003 09:39:21 +0200",
    "Thu, 01 Jan 04 19:48:21 GMT",
    "2003-12-31T10:14:55Z", "2003-12-31T10:14:55.25-08:00", "2003-12-31T10:14+0100", "2003-12-31 10:14:55 +01:00",
    "2003-12-31", "2003-12", "2003", "20031231", "2003-12-31T10:14:55",
    "Mon Jan  5 10:14:55 2004", "2004-01-05T24:00:00Z",
]  # fmt: skip


@pytest.mark.parametrize("text", WRITTEN)
def test_dates_are_feedparser_s(text: str) -> None:
    theirs, ours = _parse_date(text), parse_date(text)
    if theirs is None or ours is None:
        assert ours is None
    else:
        assert int(ours.timestamp()) == calendar.timegm(theirs)


@given(st.datetimes(min_value=dt.datetime(1000, 1, 1), timezones=st.just(dt.UTC)))
def test_a_literal_is_read_back(moment: dt.datetime) -> None:
    written = date_literal(moment).split('"')[1]
    assert date_literal(moment) == literal(written, XSD + "dateTime")
    assert is_timestamp(written)
    assert parse_date(written) == moment


@given(st.text(max_size=60))
def test_any_text_is_a_date_or_none(text: str) -> None:
    moment = parse_date(text)
    assert moment is None or moment.tzinfo is dt.UTC


@pytest.mark.parametrize("text", ["2003-02-30T00:00:00Z", "9999-12-31T23:59:59-14:00", "0000-00-00", ""])
def test_impossible_dates_are_none(text: str) -> None:
    assert parse_date(text) is None
    assert not is_timestamp(text)


def test_dates_in_the_usual_forms_are_the_same_as_in_any_form() -> None:
    chance, found = random.Random(1), 0
    for _ in range(1_000):
        moment = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=chance.randrange(2**31))
        for text in (format_datetime(moment), format_datetime(moment, usegmt=True), f"{moment:%Y-%m-%dT%H:%M:%SZ}"):
            if chance.random() < 0.5:
                at = chance.randrange(len(text))
                text = text[:at] + chance.choice("0123456789 :-T+,aZ\u0663") + text[at + 1 :]
            line = date_line(text)
            assert (line[0] if line else None) == parse_date(text), text
            found += line is not None
    assert found > 1_500
