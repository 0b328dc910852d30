"""Dates, times and durations on the time line."""

from __future__ import annotations

from gtopss.semantics.timeline import parse_date, parse_date_time, parse_duration, parse_time


def test_the_time_line() -> None:
    assert parse_date_time("2001-05-21T24:00:00Z") == parse_date_time("2001-05-22T00:00:00Z")
    assert parse_date_time("2001-05-21T12:00:00+02:00") == parse_date_time("2001-05-21T10:00:00Z")
    assert parse_date_time("-0001-12-31T23:59:59Z").before(parse_date_time("0000-01-01T00:00:00Z"))  # type: ignore[union-attr, arg-type]
    assert parse_time("10:00:00Z") == parse_time("12:00:00+02:00")
    assert parse_date("2000-02-29") is not None
    assert parse_date("1900-02-29") is None
    assert parse_duration("P1Y") == parse_duration("P12M")
    assert parse_duration("PT36H") == parse_duration("P1DT12H")
    for text in ("2001-13-01", "01-01-01", "2001-1-1", "2001-05-21+15:00", "", "１２３４-01-01"):
        assert parse_date(text) is None, text
    for text in ("P", "PT", "P1S", "1Y", "P-1Y", ""):
        assert parse_duration(text) is None, text


def test_texts_beyond_reason_are_no_dates() -> None:
    assert parse_date("9" * 30 + "-01-01") is not None
    assert parse_date("9" * 60 + "-01-01") is None
    assert parse_date_time("9" * 90 + "-01-01T00:00:00") is None
    assert parse_time("00:00:00." + "0" * 60) is None
    assert parse_duration(f"P{'9' * 200}Y") is None
