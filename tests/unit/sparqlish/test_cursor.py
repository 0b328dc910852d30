"""Limits, and texts written to hurt: always an answer, always soon."""

import sys

import pytest
from support.parsing import parse

from sparqlish import LimitExceeded, ParserLimits, Query, SparqlishError, print_query

HUGE = 200_000
NO_LIMITS = ParserLimits(length=10**9, patterns=10**9)
DEEP = {
    "groups": ("ASK " + "{" * 64 + "}" * 64, "{"),
    "brackets": ("ASK {FILTER " + "(" * 63 + "1" + ")" * 63 + "}", "("),
    "not": ("ASK {FILTER (" + "!" * 62 + "?x)}", "!"),
    "minus": ("ASK {FILTER (" + "- " * 62 + "?x)}", "- "),
    "lists": ("ASK {?x ?y " + "[?y " * 63 + "1" + "]" * 63 + "}", "[?y "),
    "collections": ("ASK {?x ?y " + "(" * 63 + "1" + ")" * 63 + "}", "("),
    "calls": ("ASK {FILTER " + "STR(" * 63 + "?x" + ")" * 63 + "}", "STR("),
    "in": ("ASK {FILTER (" + "1 IN (" * 62 + "1" + ")" * 62 + ")}", "1 IN ("),
    "paths": ("ASK {?x " + "(" * 63 + "a" + ")" * 63 + " ?y}", "("),
    "sums": ("ASK {FILTER (" + "?x + " * 64 + "1)}", "?x + "),
}


@pytest.mark.parametrize("name", DEEP)
def test_depth_is_64_and_not_65(name):
    text, step = DEEP[name]
    query = parse(text)
    assert parse(print_query(query)) == query
    deeper = text.replace(step, step * 2, 1)
    with pytest.raises(LimitExceeded) as caught:
        parse(deeper)
    assert (caught.value.limit, caught.value.value) == ("depth", 64)


def test_the_height_of_a_tree_counts_not_only_its_brackets():
    inner = "1" + "+1" * 40
    with pytest.raises(LimitExceeded, match="64 deep"):
        parse(f"ASK {{FILTER (({inner}){'+1' * 30})}}")
    assert parse(f"ASK {{FILTER (({inner}){'+1' * 20})}}")


def test_long_chains_of_or_do_not_nest():
    query = parse("ASK { FILTER (" + " || ".join(f"?x = {n}" for n in range(5_000)) + ") }")
    assert len(query.where.elements[0].expression.arguments) == 5_000
    assert parse(print_query(query)) == query


def test_the_length_of_a_text_is_limited():
    assert parse("ASK {}" + " " * 94, limits=ParserLimits(length=100))
    with pytest.raises(LimitExceeded, match="100 characters long, this one has 101") as caught:
        parse("ASK {}" + " " * 95, limits=ParserLimits(length=100))
    assert (caught.value.limit, caught.value.value) == ("length", 100)
    with pytest.raises(LimitExceeded):
        parse("x" * 100_001)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("?x ?y 1, 2, 3, 4 .", 4), ("?x ?y (1 2) .", 5), ("?x ?y [ ?y 1 ] .", 2), ("FILTER (1) FILTER (1)", 2),
        ("VALUES ?x { 1 2 3 }", 3), ("BIND (1 AS ?x) BIND (1 AS ?y)", 2), ("?x a/rdfs:subClassOf* ?y, ?z", 2),
        ("VALUES (?x ?y) { (1 2) (2 3) }", 2),
    ],
)  # fmt: skip
def test_the_number_of_patterns_is_limited(body, count):
    text = f"ASK {{ {body} }}"
    assert parse(text, limits=ParserLimits(patterns=count))
    with pytest.raises(LimitExceeded) as caught:
        parse(text, limits=ParserLimits(patterns=count - 1))
    assert (caught.value.limit, caught.value.value) == ("patterns", count - 1)


HOSTILE = {
    "(": "(" * HUGE, "{": "ASK" + "{" * HUGE, "!": "ASK{FILTER(" + "!" * HUGE, "[": "ASK{?x ?y " + "[?y " * HUGE,
    "collection": "ASK{?x ?y " + "(" * HUGE, "minus": "ASK{FILTER(" + "-" * HUGE, "minus ": "ASK{FILTER(" + "- " * HUGE,
    "path": "ASK{?x " + "(" * HUGE, "calls": "ASK{FILTER " + "STR(" * HUGE, "digits": "ASK{?x ?y " + "1" * 10**6 + "}",
    "decimals": "ASK{?x ?y " + "1." * HUGE, "exponents": "ASK{?x ?y " + "1e" * HUGE,
    "quotes": "ASK{?x ?y " + '"' * HUGE,
    "unclosed": "ASK{?x ?y " + '"a\n' * HUGE, "unclosed long": "ASK{?x ?y '''" + "a' " * HUGE,
    "unclosed mixed": "'''x" * HUGE + '"""x' * HUGE, "escapes": 'ASK{?x ?y """' + '\\"' * HUGE,
    "comments": "#\n" * HUGE + "ASK{}", "comment": "ASK{}" + "# " * HUGE, "spaces": "ASK{}" + " " * HUGE,
    "words": "a." * HUGE, "names": "ASK{" + "rdf:b." * HUGE, "dots": "ASK{rdf:b" + "." * HUGE, "nodes": "_:a." * HUGE,
    "<": "ASK{" + "<" * HUGE, "<a": "ASK{" + "<a" * HUGE, "?": "?" * HUGE, "%": "ASK{rdf:a" + "%20" * HUGE,
    "codepoints": "\\u0041" * HUGE, "half codepoints": "\\U0041" * HUGE, "backslashes": "\\" * HUGE, "nul": "\0" * HUGE,
    "surrogates": "\ud800" * HUGE, "one surrogate": "ASK{?x ?y '\udfff'}", "sums": "ASK{FILTER(" + "1+" * HUGE,
    "semicolons": "ASK{?x ?y ?z" + ";" * HUGE + "}", "function": "ASK{FILTER " + "a" * HUGE + "()}",
    "prefix": "ASK{" + "a" * HUGE + ":b", "language": "ASK{?x ?y 'a'@" + "a-" * HUGE, "lines": "\r" * HUGE + "}",
    "base": "BASE <urn:a> ASK{<" + "../" * HUGE + "> ?x ?y}", "steps": "ASK{?x a" + "/a" * HUGE,
    "groups": "ASK{" + "{}" * HUGE + "}", "values": "ASK{VALUES ?x {" + "1 " * HUGE, "wide": "\U0001f600" * HUGE,
    "combining": "ASK{ ?x" + "\u0301" * HUGE, "or": "ASK{FILTER(1" + "||1" * HUGE + ")}",
    "triples": "ASK{" + "[]?y[]." * HUGE,
}  # fmt: skip


def query_or_error(text, limits):
    try:
        return parse(text, limits=limits)
    except SparqlishError as error:
        return error


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_end_soon(name):
    text = HOSTILE[name]
    for limits in (ParserLimits(), NO_LIMITS):
        outcome = query_or_error(text, limits)
        assert isinstance(outcome, Query) or len(str(outcome).encode("utf-8")) < 1_000
        # No clock here: quadratic work on these lengths takes minutes, and would be noticed.


def test_no_recursion_error_whatever_the_limits():
    for step in ("{", "{FILTER(" + "(" * 50_000, "{FILTER(" + "!" * 50_000, "{?x ?y " + "[?y " * 50_000):
        with pytest.raises(LimitExceeded) as caught:
            parse("ASK" + step * (50_000 if len(step) == 1 else 1), limits=ParserLimits(10**9, 10**6, 10**6))
        assert caught.value.limit == "depth"


def test_no_recursion_error_however_deep_the_caller():
    text = "ASK {FILTER " + "(" * 60 + "1" + ")" * 60 + "}"
    outcomes = set()

    def sink(depth):
        if depth:
            return sink(depth - 1)
        try:
            return type(parse(text)).__name__
        except LimitExceeded:
            return "LimitExceeded"

    room = sys.getrecursionlimit() - len(_frames())
    for left in range(60, 330, 10):
        outcomes.add(sink(room - left))
    assert outcomes == {"Query", "LimitExceeded"}


def _frames():
    frame, frames = sys._getframe(), []
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    return frames
