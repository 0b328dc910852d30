"""Messages as they appear."""

import pickle
from textwrap import dedent

import pytest
from support.parsing import parse

from sparqlish import (
    LimitExceeded,
    NotSupported,
    ParserLimits,
    SparqlishError,
    UnknownFunction,
    UnknownPrefix,
    WrongArity,
    line_column,
)  # fmt: skip


def message(text, **options):
    with pytest.raises(SparqlishError) as caught:
        parse(text, **options)
    return str(caught.value)


def test_a_syntax_error_shows_the_line_and_what_was_expected():
    assert message("SELECT ?x\nWHERE {\n  ?x foaf:name\n}") == dedent("""\
        found `}`, expected a variable, an IRI, a literal or a blank node (line 4, column 1)
          }
          ^""")


def test_an_unsupported_feature_is_named_with_its_place():
    assert message("ASK {\n  ?x foaf:name ?n .\n  SERVICE <urn:s> { ?x foaf:mbox ?m }\n}") == dedent("""\
        SERVICE is not supported in a subscription (line 3, column 3)
            SERVICE <urn:s> { ?x foaf:mbox ?m }
            ^""")


def test_end_of_text_points_behind_the_last_token():
    assert message("ASK { ?x foaf:name ?n   # and then?\n\n") == dedent("""\
        found the end of the text, expected `.`, `;`, `,` or `}` (line 1, column 22)
          ASK { ?x foaf:name ?n   # and then?
                               ^""")


def test_tabs_stay_aligned():
    assert message("ASK {\n\t?x\tfoaf:name ?n ?m }").splitlines()[1:] == [
        "  \t?x\tfoaf:name ?n ?m }",
        "  \t  \t             ^",
    ]


def test_wide_characters_take_two_columns_and_marks_none():
    assert message("ASK { ?日本 'e\u0301' ?m }").splitlines()[1:] == [
        "  ASK { ?日本 'e\u0301' ?m }",
        "             ^".replace("             ", " " * (2 + 12)),
    ]


def test_long_lines_are_windowed():
    text = "ASK { " + "?x ?y ?z . " * 20 + "?x ?y } " + "# " + "c" * 200
    lines = message(text).splitlines()
    assert lines[1].startswith("  ...")
    assert lines[1].endswith("...")
    assert len(lines[1]) < 90
    assert lines[1][lines[2].index("^")] == "}"


def test_windows_at_either_end_of_a_long_line():
    at_start = message("} " + "c" * 200).splitlines()
    assert at_start[1].startswith("  } ccc")
    assert at_start[2] == "  ^"
    at_end = message("ASK {" + " " * 200 + "?x }").splitlines()
    assert at_end[1].endswith("?x }")
    assert at_end[1][at_end[2].index("^")] == "}"


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_every_line_ending_counts_as_one_line(ending):
    text = ending.join(["ASK {", "?x ?y ?z .", "  ?x }"])
    with pytest.raises(SparqlishError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (3, 6)
    assert str(caught.value).splitlines()[1] == "    ?x }"


def test_what_a_terminal_would_act_upon_is_not_shown():
    shown = message("ASK { '\x1b[2J\0' \x00 }")
    assert "\x1b" not in shown
    assert "\0" not in shown
    message("ASK { '\ud800' }").encode("utf-8")


def test_a_found_string_of_many_lines_stays_on_one():
    assert len(message("ASK { ?x ?y ?z '''a\nb''' }").splitlines()) == 3


@pytest.mark.parametrize(
    ("text", "reason", "column"),
    [
        ("ASK { ?x ?y 'abc }", "the string is not closed by `'`", 13),
        ("ASK { ?x ?y '''abc }", "the string is not closed by `'''`", 13),
        (r"ASK { ?x ?y 'a\qc' }", r"`\q` is not an escape in a string", 15),
        ("ASK { ?x <http://a b> ?y }", "the IRI is not closed by `>`", 10),
        ("ASK { ?x ?y 'a'@ }", "`@` without a language tag", 16),
        ("ASK { ?x ?y $ }", "`$` without the name of a variable", 13),
        ("ASK { ?x ?y ~ }", "`~` has no meaning here", 13),
    ],
)
def test_lexical_errors(text, reason, column):
    with pytest.raises(SparqlishError) as caught:
        parse(text)
    assert str(caught.value).startswith(reason)
    assert caught.value.column == column


# `@` marks the place.
@pytest.mark.parametrize(
    ("marked", "found", "meant"),
    [
        ("ASK { FILTER(?v @=> 3) }", "=>", ">="),
        ("ASK { FILTER(?v @=< 3) }", "=<", "<="),
        ("ASK { FILTER(?v@=<3) }", "=<", "<="),
        ("ASK { FILTER(?v @== 3) }", "==", "="),
        ("ASK { FILTER(?v @<> 3) }", "<>", "!="),
        ("ASK { FILTER(?v@<>?w) }", "<>", "!="),
        ("ASK { FILTER(?v > 1 @AND ?w < 2) }", "AND", "&&"),
        ("ASK { FILTER(IF(?v @and (?w), 1, 2)) }", "and", "&&"),
        ("ASK { FILTER(?v > 1 @OR ?w < 2) }", "OR", "||"),
        ("SELECT (?v @or ?w AS ?x) { ?v ?w 1 }", "or", "||"),
        ("ASK { FILTER(@NOT ?v) }", "NOT", "!"),
        ("ASK { FILTER(?v && @not(?w)) }", "not", "!"),
        ("ASK { FILTER @NOT BOUND(?v) }", "NOT", "!"),
    ],
)
def test_an_operator_of_another_language_is_found_at_its_place(marked, found, meant):
    before, _, after = marked.partition("@")
    with pytest.raises(SparqlishError) as caught:
        parse(before + after)
    assert str(caught.value).startswith(f"found `{found}`: did you mean `{meant}`?")
    assert caught.value.column == len(before) + 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ASK { FILTER(?v = = 3) }", "found `=`, expected an expression"),
        ("ASK { FILTER(?v =<http://a b>) }", "the IRI is not closed"),
        ("ASK { FILTER(?v foo ?w) }", "found `foo`, expected `)` or an operator"),
        ("ASK { FILTER(?v <urn:a> ?w) }", "found `<urn:a>`, expected `)` or an operator"),
        ("ASK { ?v and ?w }", "found `and`, expected a predicate"),
    ],
)
def test_what_is_no_operator_elsewhere_gets_no_suggestion(text, reason):
    assert message(text).startswith(reason)


def test_an_early_syntax_error_comes_before_a_late_lexical_one():
    assert "SERVICE" in message("ASK { SERVICE <urn:s> { 'unclosed } }")


def test_an_error_carries_what_was_expected():
    with pytest.raises(SparqlishError) as caught:
        parse("SELECT ?x ?y")
    assert caught.value.expected == ("WHERE", "`{`")


@pytest.mark.parametrize(
    ("text", "kind", "data"),
    [
        ("ASK { ?x }", SparqlishError, {"expected": ("a predicate",)}),
        ("ASK { SERVICE <urn:s> {} }", NotSupported, {"feature": "SERVICE"}),
        ("ASK { { { } } }", LimitExceeded, {"limit": "depth", "value": 2}),
        ("ASK { ?x ex:p 1 }", UnknownPrefix, {"prefix": "ex"}),
        ("ASK { FILTER foo() }", UnknownFunction, {"function": "foo"}),
        ("ASK { FILTER STR() }", WrongArity, {"function": "STR", "given": 0}),
    ],
)
def test_errors_carry_data_and_survive_pickling(text, kind, data):
    with pytest.raises(SparqlishError) as caught:
        parse(text, limits=ParserLimits(depth=2))
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert type(error) is kind
        assert isinstance(error, ValueError)
        assert {name: getattr(error, name) for name in data} == data
        assert error.line == 1
        assert error.column > 1
        assert str(error) == str(caught.value)


def test_an_offset_has_a_line_and_a_column():
    text = "a\nb\r\nc\rd"
    assert [line_column(text, offset) for offset in (0, 1, 2, 5, 7, 8)] == [
        (1, 1), (1, 2), (2, 1), (3, 1), (4, 1), (4, 2),
    ]  # fmt: skip
