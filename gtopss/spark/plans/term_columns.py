"""Convert terms to columns: their kind and value in forms that Spark compares exactly.

Spark's decimals end at 38 digits and its timestamps at microseconds; RDF's do not. Exact numbers and moments are
therefore *keys*: strings of any length that sort as the values do. Only floats and doubles, which are binary by
definition, become doubles. SQL computes the fields of a column (`term_readings`), and `semantics` those of a constant
of a subscription (`constant_reading`).

    kind      semantics.values.ValueKind, as a number
    text      what STR gives; null for a blank node
    language  of a literal, empty if it has none; null for other terms
    datatype  of a literal, its IRI
    key       of an exact number, a moment or a boolean
    zoned     whether a moment has a time zone
    wide      a number as a double; narrow: as a 32-bit float

Years of more than 26 digits sort above all others, but not among themselves: no constant may have one.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from gtopss.model.terms import RDF_LANG_STRING, XSD, XSD_STRING, Term, literal_parts
from gtopss.semantics.timeline import MAX_ZONE_OFFSET_SECONDS, Moment
from gtopss.semantics.values import INTEGER_RANGES, Value, ValueKind, promote, value_of

CONSTANT_READING = pa.struct(
    [
        ("kind", pa.int32()),
        ("term", pa.string()),
        ("text", pa.string()),
        ("key", pa.string()),
        ("low", pa.string()),
        ("high", pa.string()),
        ("zoned", pa.bool_()),
        ("wide", pa.float64()),
        ("narrow", pa.float64()),
    ]
)
"""A constant's reading; `low` and `high` are a moment's keys 14 hours earlier and later."""

_FIELDS = ("kind", "text", "language", "datatype", "key", "zoned", "wide", "narrow")
_MOMENTS = (ValueKind.DATE_TIME, ValueKind.DATE, ValueKind.TIME)
_NINES = "'0123456789', '9876543210'"
_YEAR_DIGITS = 26
_BLOCK = 3_652_425 * 86_400  # seconds of ten thousand years, after which the calendar and the last four digits repeat


# --- constants, by semantics ---------------------------------------------------------------------------------


def constant_reading(term: Term) -> dict[str, Any] | None:
    """Return the fields of a constant, or None if they cannot represent it: durations, and years of many digits."""
    value = value_of(term)
    made: dict[str, Any] = {"kind": int(value.kind), "term": term}
    if value.kind is ValueKind.DURATION:
        return None
    if value.kind in (ValueKind.STRING, ValueKind.LANGUAGE_STRING):
        made["text"] = literal_parts(term)[0]
    elif value.kind is ValueKind.BOOLEAN:
        made["key"] = "1" if value.data else "0"
    elif value.numeric:
        made |= _number_fields(value)
    elif value.kind in _MOMENTS:
        moment: Moment = value.data
        if abs(moment.seconds) >= 10 ** (_YEAR_DIGITS - 1) * _BLOCK // 10_000:
            return None
        gap = (0, -MAX_ZONE_OFFSET_SECONDS, MAX_ZONE_OFFSET_SECONDS)
        made["key"], made["low"], made["high"] = (moment_key(moment.seconds + by) for by in gap)
        made["zoned"] = moment.zoned
    return made


def _number_fields(value: Value) -> dict[str, Any]:
    _, wide, _ = promote(value, Value(ValueKind.DOUBLE, 0.0))
    narrow = None if value.kind is ValueKind.DOUBLE else promote(value, Value(ValueKind.FLOAT, 0.0))[1]
    exact = value.kind in (ValueKind.INTEGER, ValueKind.DECIMAL)
    return (
        {"wide": wide, "narrow": narrow, "key": number_key(format(value.data, "f" if value.kind else "d"))}
        if exact
        else {"wide": wide, "narrow": narrow}
    )


def number_key(text: str) -> str:
    """Return a string that sorts as the exact number does.

    >>> sorted(["10", "9.5", "-1.25", "-1.2", "0"], key=number_key)
    ['-1.25', '-1.2', '0', '9.5', '10']
    """
    whole, _, fraction = text.lstrip("+-").partition(".")
    whole, fraction = whole.lstrip("0"), fraction.rstrip("0")
    digits = f"{len(whole):04d}{whole}{fraction}"
    if text[0] == "-" and (whole or fraction):
        return f"0{_nines(digits)}~"
    return f"1{digits}"


def moment_key(seconds: Fraction) -> str:
    """Return a string that sorts as seconds on the time line do: whole seconds, then the fraction."""
    whole = floor(seconds)
    rest, fraction = seconds - whole, ""
    while rest:
        rest *= 10
        fraction += str(floor(rest))
        rest -= floor(rest)
    digits = str(abs(whole))
    digits = f"{len(digits):04d}{digits}"
    return (f"0{_nines(digits)}" if whole < 0 else f"1{digits}") + fraction


def _nines(digits: str) -> str:
    return digits.translate(str.maketrans("0123456789", "9876543210"))


# --- columns, by SQL -----------------------------------------------------------------------------------------


def term_readings(terms: DataFrame) -> DataFrame:
    """Return (term, reading) for a table of terms, without duplicates. It is computed before this returns.

    Each step is an exploded list of one element. Catalyst would substitute plain projections into each other, and into
    every condition that reads them, until the expression fills the driver's memory. It does not substitute through a
    generator, nor into a table that is already computed.
    """
    frame = terms.select("term").distinct()
    for step in _STEPS:
        fields = ", ".join(f"'_{field}', {sql.replace('$t', 'term')}" for field, sql in step.items())
        frame = frame.selectExpr("*", f"inline(array(named_struct({fields})))")
    struct = ", ".join(f"'{field}', _{field}" for field in _FIELDS)
    return frame.selectExpr("term", f"named_struct('term', term, {struct}) AS reading").localCheckpoint()


def _cases(*cases: tuple[str, str], otherwise: str = "NULL") -> str:
    return f"CASE {' '.join(f'WHEN {test} THEN {value}' for test, value in cases)} ELSE {otherwise} END"


def _unescaped(column: str) -> str:
    """Return SQL that undoes N-Triples' escapes. U+0001, which never occurs raw in a term, is the placeholder."""
    controls = [code for code in (*range(0x20), 0x7F, 0xFFFE, 0xFFFF) if code not in (8, 9, 10, 12, 13)]
    made = _replaced(column, r"'\\\\'", r"'\u0001b'")
    for letter, code in (("t", 9), ("b", 8), ("n", 10), ("r", 13), ("f", 12), ('"', 0x22)):
        made = _replaced(made, rf"'\\{letter}'", rf"'\u{code:04X}'")
    plain = made
    for code in controls:
        made = _replaced(made, rf"'\\u{code:04X}'", r"'\u0001x'" if code == 1 else rf"'\u{code:04X}'")
    made = f"IF(instr({column}, r'\\u') > 0, {made}, {plain})"
    made = _replaced(_replaced(made, r"'\u0001b'", r"'\\'"), r"'\u0001x'", r"'\u0001'")
    return f"IF(instr({column}, r'\\') = 0, {column}, {made})"


def _replaced(text: str, old: str, new: str) -> str:
    return f"replace({text}, {old}, {new})"


def _in_range() -> str:
    """Return SQL that tests whether an integer fits its derived type, by the keys of the type's bounds."""
    cases = []
    for name, (low, high) in INTEGER_RANGES.items():
        bounds = [f"_digits >= '{number_key(str(low))}'"] if low is not None else []
        bounds += [f"_digits <= '{number_key(str(high))}'"] if high is not None else []
        if bounds:
            cases.append((f"_name = '{name}'", " AND ".join(bounds)))
    return _cases(*cases, otherwise="true")


_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_ZONE = r"(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"
_DATE = r"-?(?:[1-9][0-9]{3,}|0[0-9]{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_TIME = r"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?|24:00:00(?:\.0+)?)"
_DURATION = (
    r"-?P(?=.)(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?"
    r"(?:T(?=.)(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?"
)


def _fits(pattern: str, longest: int) -> str:
    return rf"char_length(_raw) <= {longest} AND _raw RLIKE r'^(?:{pattern})\z'"


def _named(*names: str) -> str:
    return f"_name IN ({', '.join(repr(name) for name in names)})"


_WIDE = _cases(
    ("_raw IN ('INF', '+INF')", "double('Infinity')"),
    ("_raw = '-INF'", "double('-Infinity')"),
    ("_raw = 'NaN'", "double('NaN')"),
    otherwise="try_cast(_raw AS DOUBLE)",
)

_STEPS: tuple[dict[str, str], ...] = (
    {"suffix": "IF(left($t, 1) = '\"', substring_index($t, '\"', -1), NULL)"},
    {
        "raw": "substring($t, 2, char_length($t) - char_length(_suffix) - 2)",
        "name": f"IF(_suffix LIKE '^^<{XSD}%', substring(_suffix, {4 + len(XSD)}, char_length(_suffix) - "
        f"{4 + len(XSD)}), NULL)",
    },
    {
        "text": _cases(
            ("_suffix IS NOT NULL", _unescaped("_raw")),
            ("left($t, 1) = '<'", "substring($t, 2, char_length($t) - 2)"),
        ),
        "language": "IF(_suffix LIKE '@%', substring(_suffix, 2), IF(_suffix IS NULL, NULL, ''))",
        "datatype": _cases(
            ("_suffix IS NULL", "NULL"),
            ("_suffix = ''", f"'{XSD_STRING}'"),
            ("_suffix LIKE '@%'", f"'{RDF_LANG_STRING}'"),
            otherwise="substring(_suffix, 4, char_length(_suffix) - 4)",
        ),
        "sort": _cases(
            ("left($t, 1) = '<'", str(int(ValueKind.IRI))),
            ("left($t, 1) = '_'", str(int(ValueKind.BLANK))),
            ("_suffix = ''", str(int(ValueKind.STRING))),
            ("_suffix LIKE '@%'", str(int(ValueKind.LANGUAGE_STRING))),
            (f"{_named(*INTEGER_RANGES)} AND {_fits('[+-]?[0-9]{1,4000}', 4001)}", str(int(ValueKind.INTEGER))),
            (f"_name = 'decimal' AND {_fits(_NUMBER, 4010)}", str(int(ValueKind.DECIMAL))),
            (
                f"{_named('float', 'double')} AND {_fits(f'{_NUMBER}(?:[eE][+-]?[0-9]+)?|[+-]?INF|NaN', 10**9)}",
                f"IF(_name = 'float', {int(ValueKind.FLOAT)}, {int(ValueKind.DOUBLE)})",
            ),
            ("_name = 'boolean' AND _raw IN ('true', 'false', '1', '0')", str(int(ValueKind.BOOLEAN))),
            (f"_name = 'dateTime' AND {_fits(f'{_DATE}T{_TIME}{_ZONE}', 90)}", str(int(ValueKind.DATE_TIME))),
            (f"_name = 'dateTimeStamp' AND {_fits(f'{_DATE}T{_TIME}{_ZONE[:-1]}', 90)}", str(int(ValueKind.DATE_TIME))),
            (f"_name = 'date' AND {_fits(f'{_DATE}{_ZONE}', 50)}", str(int(ValueKind.DATE))),
            (f"_name = 'time' AND {_fits(f'{_TIME}{_ZONE}', 50)}", str(int(ValueKind.TIME))),
            (
                f"{_named('duration', 'dayTimeDuration', 'yearMonthDuration')} AND {_fits(_DURATION, 120)} "
                "AND right(_raw, 1) NOT IN ('P', 'T') "
                "AND (_name <> 'dayTimeDuration' OR "
                "(instr(_raw, 'Y') = 0 AND instr(substring_index(_raw, 'T', 1), 'M') = 0)) "
                "AND (_name <> 'yearMonthDuration' OR (instr(_raw, 'D') = 0 AND instr(_raw, 'T') = 0))",
                str(int(ValueKind.DURATION)),
            ),
            otherwise=str(int(ValueKind.OTHER)),
        ),
    },
    {
        "wide64": f"IF(_sort <= {int(ValueKind.DOUBLE)}, {_WIDE}, NULL)",
        "exact": f"_sort <= {int(ValueKind.DECIMAL)}",
        "whole": "trim(LEADING '0' FROM substring_index(trim(LEADING '+' FROM trim(LEADING '-' FROM _raw)), '.', 1))",
        "fraction": "IF(instr(_raw, '.') > 0, regexp_extract(_raw, r'\\.([0-9]*?)0*(?:[^0-9]|\\z)', 1), '')",
        "dated": f"_sort IN ({int(ValueKind.DATE_TIME)}, {int(ValueKind.DATE)})",
        "clock": f"IF(_sort IN ({int(ValueKind.DATE_TIME)}, {int(ValueKind.TIME)}), "
        "regexp_extract(_raw, r'(?:T|^)([0-9]{2}:[0-9]{2}:[0-9]{2})', 1), '00:00:00')",
        "zone": r"regexp_extract(_raw, r'(Z|[+-][0-9]{2}:[0-9]{2})\z', 1)",
        "date": r"regexp_extract(_raw, r'^-?([0-9]+-[0-9]{2}-[0-9]{2})', 1)",
    },
    {
        "numeral": "concat(lpad(string(char_length(_whole)), 4, '0'), _whole, _fraction)",
        "negative": "left(_raw, 1) = '-'",
        "years": "substring_index(_date, '-', 1)",
        "month": "try_cast(substring_index(substring_index(_date, '-', 2), '-', -1) AS INT)",
        "day": "try_cast(substring_index(_date, '-', -1) AS INT)",
        "offset": "IF(_zone IN ('', 'Z'), 0, try_cast(concat(left(_zone, 1), '1') AS INT) * "
        "(try_cast(substring(_zone, 2, 2) AS INT) * 3600 + try_cast(substring(_zone, 5, 2) AS INT) * 60))",
        "seconds": "try_cast(left(_clock, 2) AS INT) * 3600 + try_cast(substring(_clock, 4, 2) AS INT) * 60 "
        "+ try_cast(substring(_clock, 7, 2) AS INT)",
    },
    {
        "digits": "IF(_exact, IF(_negative AND (_whole <> '' OR _fraction <> ''), "
        f"concat('0', translate(_numeral, {_NINES}), '~'), concat('1', _numeral)), NULL)",
        "last4": "try_cast(right(_years, 4) AS INT)",
        "block": f"IF(char_length(_years) > {_YEAR_DIGITS}, CAST(1e{_YEAR_DIGITS - 3} AS DECIMAL(24, 0)), "
        "coalesce(try_cast(left(_years, char_length(_years) - 4) AS DECIMAL(24, 0)), 0))",
    },
    {
        "year": "IF(_negative AND _last4 > 0, 10000 - _last4, _last4)",
        "cycle": "IF(_negative, IF(_last4 > 0, -_block - 1, -_block), _block)",
    },
    {
        "leap": "_year % 4 = 0 AND (_year % 100 <> 0 OR _year % 400 = 0)",
        "past": "_year - 1",
    },
    {
        "longest": "CASE WHEN _month IN (4, 6, 9, 11) THEN 30 WHEN _month = 2 THEN IF(_leap, 29, 28) ELSE 31 END",
        "days": "CASE WHEN NOT _dated THEN 0L ELSE _past * 365L + floor(_past / 4) - floor(_past / 100) "
        "+ floor(_past / 400) + element_at(array(0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334), _month) "
        "+ IF(_leap AND _month > 2, 1, 0) + _day - 1 END",
    },
    {
        "kind": _cases(
            (f"_sort = {int(ValueKind.INTEGER)} AND NOT {_in_range()}", str(int(ValueKind.OTHER))),
            ("_dated AND _day > _longest", str(int(ValueKind.OTHER))),
            otherwise="_sort",
        ),
        "total": f"IF(_sort IN ({', '.join(str(int(kind)) for kind in _MOMENTS)}), "
        f"CAST(IF(_dated, _cycle, 0) AS DECIMAL(24, 0)) * {_BLOCK}BD + CAST(_days * 86400 + "
        f"IF(_sort = {int(ValueKind.TIME)}, _seconds % 86400, _seconds) - _offset AS DECIMAL(15, 0)), NULL)",
        "wide": f"IF(_sort = {int(ValueKind.FLOAT)}, double(float(_wide64)), _wide64)",
        "narrow": f"IF(_sort <= {int(ValueKind.FLOAT)}, double(float(_wide64)), NULL)",
    },
    {"span": "string(abs(_total))"},
    {
        "zoned": "_zone <> ''",
        "key": _cases(
            (f"_kind = {int(ValueKind.OTHER)}", "NULL"),
            ("_exact", "_digits"),
            (f"_sort = {int(ValueKind.BOOLEAN)}", "IF(_raw IN ('true', '1'), '1', '0')"),
            (
                "_total < 0",
                f"concat('0', translate(concat(lpad(string(char_length(_span)), 4, '0'), _span), {_NINES}), _fraction)",
            ),
            ("_total >= 0", "concat('1', lpad(string(char_length(_span)), 4, '0'), _span, _fraction)"),
        ),
    },
)
"""The fields of a term, step by step: a step may read the fields of earlier ones. `$t` is the term's column."""
