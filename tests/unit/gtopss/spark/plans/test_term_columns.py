"""Terms as Spark reads them, against `semantics`: where the two differ, an answer would."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import SparkSession
from support.strategies import BLANKS, LITERALS, NODES

from gtopss.model.terms import XSD, Term, is_literal, literal, literal_parts
from gtopss.semantics.values import value_of
from gtopss.spark.plans.term_columns import constant_reading, term_readings

_LONG = "9" * 50
NUMBERS = ["1", "-1", "+1", "01", "-0", "007.50", "-.5", ".5", "5.", "1e400", "-1E-400", "INF", "+INF", "-INF", "NaN"]
NUMBERS += [
    "inf",
    "abc",
    "",
    " 1",
    "1\n",
    "128",
    "-129",
    "256",
    f"{_LONG}.1",
    f"-{_LONG}.1",
    "16777217",
    "3.4028236e38",
]
NUMBERS += ["3.4028235677973366e38", "1.0000000596046448", "true", "false", "TRUE", "18446744073709551616"]
TYPES = ["integer", "byte", "unsignedByte", "positiveInteger", "nonPositiveInteger", "unsignedLong", "decimal", "float"]
TYPES += ["double", "boolean", "string"]
DATES = [
    "2001-05-21",
    "2001-02-29",
    "2000-02-29",
    "1900-02-29",
    "-0001-03-01",
    "0000-02-29",
    "-0004-02-29",
    "12001-01-01",
]
DATES += ["-12001-01-01", "-10000-02-29", "2001-13-01", "2001-1-1", "20010-02-30", f"{'9' * 25}-01-01", "02001-01-01"]
TIMES = [
    "00:00:00",
    "24:00:00.0",
    "24:00:01",
    "23:59:59.999",
    "10:00:00.50",
    "10:00:60",
    "10:00:00.0000000000000000001",
]
ZONES = ["", "Z", "+02:00", "-14:00", "+14:01", "-05:30"]
DURATIONS = ["P1Y", "PT1S", "P", "PT", "P1YT", "P1M", "PT1M", "-P1D", "P1Y2M3DT4H5M6.7S", "P1.5Y", "1Y"]
TEXTS = [
    'a"b',
    "a\\b",
    "\\n",
    "a\nb\\nc",
    "\x01",
    "\\u0001\x01\\b\x01b\x01x",
    "\x00\x7f\ufffe\uffff",
    "\b\f\r\t",
    "ü😀",
]


def _terms() -> list[Term]:
    made = [*NODES, *BLANKS, *LITERALS]
    made += [literal(text, XSD + name) for name in TYPES for text in NUMBERS]
    for zone in ZONES:
        made += [literal(date + zone, XSD + "date") for date in DATES]
        made += [literal(time + zone, XSD + "time") for time in TIMES]
        for name in ("dateTime", "dateTimeStamp"):
            made += [literal(f"{date}T{time}{zone}", XSD + name) for date in DATES for time in TIMES]
    made += [literal(text, XSD + n) for text in DURATIONS for n in ("duration", "dayTimeDuration", "yearMonthDuration")]
    for text in TEXTS:
        made += [literal(text), literal(text, language="en-gb"), literal(text, "urn:x")]
    return list(dict.fromkeys(made))


def test_spark_reads_terms_as_semantics_does(spark: SparkSession) -> None:
    terms = _terms()
    rows = term_readings(spark.createDataFrame(pa.table({"term": pa.array(terms, pa.string())}))).collect()
    read = {row.term: row.reading.asDict() for row in rows}
    assert set(read) == set(terms)
    assert {term: _said(read[term], term) for term in terms} == {term: _wanted(term) for term in terms}


def _said(reading: dict[str, object], term: Term) -> dict[str, str]:
    return {name: _text(reading[name]) for name in _wanted(term)}


def _wanted(term: Term) -> dict[str, str]:
    wanted: dict[str, object] = {"kind": int(value_of(term).kind)}
    if is_literal(term):
        lexical, datatype, language = literal_parts(term)
        wanted |= {"text": lexical, "datatype": datatype, "language": language or ""}
    constant = constant_reading(term) or {}
    wanted |= {name: constant[name] for name in ("key", "zoned", "wide", "narrow") if name in constant}
    return {name: _text(value) for name, value in wanted.items()}


def _text(value: object) -> str:
    """Because NaN is not itself; and no integer is -0.0, nor does it matter."""
    return repr(value + 0.0 if isinstance(value, float) else value)
