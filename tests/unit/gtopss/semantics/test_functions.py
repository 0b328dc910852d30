"""The table of functions: one declaration each, all against Oxigraph, and under any values."""

from __future__ import annotations

import itertools
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.evaluation import ALL, REST, TEXTS, TIMES, assert_agrees_with_oxigraph
from support.parsing import FUNCTIONS

import sparqlish
from gtopss import Engine
from gtopss.errors import InvalidQuery
from gtopss.language import subscription_from_text
from gtopss.model import Call
from gtopss.model.expressions import IS_A
from gtopss.model.terms import XSD, Term, iri, literal, parse_term
from gtopss.semantics import compile_error, functions
from gtopss.semantics.budget import BudgetExceeded, EvaluationBudget, EvaluationLimits
from gtopss.semantics.functions import DEFINITIONS, SIGNS, Function, function_arities
from gtopss.semantics.is_a import IS_A_FUNCTIONS
from gtopss.semantics.new_terms import NEW_TERM_FUNCTIONS
from gtopss.semantics.strings import text_of
from gtopss.semantics.values import FALSE, TRUE, TypeMismatch, Value, ValueKind, term_of, value_of
from sparqlish import printer
from sparqlish.functions import IS_A as IS_A_NAMES


def test_one_entry_in_the_table_adds_a_function_that_parses_evaluates_and_prints(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = Function(1, 1, lambda value: Value(ValueKind.INTEGER, len(text_of(value).split())))
    monkeypatch.setitem(functions.FUNCTIONS, "WORDCOUNT", words)
    text = "ASK { ?x <urn:p> ?title FILTER(wordCount(?title) > 2) }"
    engine = Engine(matcher="reference")
    engine.add(text, id="long titles")
    assert engine.match([("<urn:a>", "<urn:p>", '"one two three"')]).subscription_ids == ("long titles",)
    assert engine.match([("<urn:a>", "<urn:p>", '"one two"')]).subscription_ids == ()
    query = sparqlish.parse(text, functions=function_arities())
    assert "FILTER (WORDCOUNT(?title) > 2)" in sparqlish.print_query(query)
    assert sparqlish.parse(sparqlish.print_query(query), functions=function_arities()) == query
    assert "(WORDCOUNT(?title) > 2)" in str(subscription_from_text(text, "s").branches[0].tuples[0])
    with pytest.raises(InvalidQuery, match="takes 1 argument, here it has 2"):
        engine.add("ASK { ?x <urn:p> ?y FILTER(wordCount(?x, ?y) > 2) }")


def test_the_parser_the_model_and_the_table_name_the_same_functions() -> None:
    assert function_arities().keys() == functions.FUNCTIONS.keys()
    assert set(IS_A_NAMES.values()) == IS_A == IS_A_FUNCTIONS.keys()
    assert printer._LEVELS.keys() == SIGNS.keys()


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - NEW_TERM_FUNCTIONS))  # those become other calls
def test_the_parser_and_the_evaluator_take_the_same_numbers_of_arguments(name: str) -> None:
    for count in range(6):
        arguments = ["?y", "<urn:p>", '"a"'][:count] if name == "HAS" and count <= 3 else ["?y"] * count
        tree = Call(name, tuple(map(Term, arguments)))
        text = f"ASK {{ ?x <urn:p> ?y FILTER({name}({', '.join(arguments)})) }}"
        if compile_error(tree) is None:
            subscription_from_text(text, "s")
        else:
            with pytest.raises(InvalidQuery, match="takes"):
                subscription_from_text(text, "s")


ONE = [name for name, arity in FUNCTIONS.items() if arity == 1 and name != "BOUND"] + ["!", "+", "-"]
TWO = ["LANGMATCHES", "CONTAINS", "STRSTARTS", "STRENDS", "STRBEFORE", "STRAFTER", "STRLANG", "STRDT", "SAMETERM"]
TWO += ["CONCAT", "REGEX"]


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_argument_are_oxigraphs(name: str) -> None:
    assert_agrees_with_oxigraph(f"{name}({one})" for one in ALL)


@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_arguments_are_oxigraphs(name: str) -> None:
    assert_agrees_with_oxigraph(
        f"{name}({one}, {two})" for one, two in itertools.product([*TEXTS, "0", TIMES[0], *REST], repeat=2)
    )


APPLICABLE = [name for name, function in DEFINITIONS.items() if function.apply is not None]
WEIRD = [
    literal("9" * 4000, XSD + "integer"),
    literal("-" + "9" * 4000, XSD + "integer"),
    literal("9" * 5000, XSD + "integer"),
    literal("9" * 3990 + ".", XSD + "decimal"),
    literal("." + "9" * 3990, XSD + "decimal"),
    literal("9" * 20_000, XSD + "decimal"),
    literal("-0", XSD + "decimal"),
    *(literal(text, XSD + "double") for text in ("1e308", "-0", "5e-324", "NaN", "-INF", "1e-400", "1" * 9000)),
    *(literal(text, XSD + "float") for text in ("3.4e38", "1e-46", "NaN", "INF")),
    literal("300", XSD + "byte"),
    literal("99999999999999999999999999999-12-31T24:00:00-14:00", XSD + "dateTime"),
    literal("-0001-01-01T00:00:00.00000000000000000001", XSD + "dateTime"),
    literal("0000-02-29+14:00", XSD + "date"),
    literal("24:00:00Z", XSD + "time"),
    literal("-P" + "9" * 50 + "Y", XSD + "duration"),
    literal("PT0.00000000000000000001S", XSD + "dayTimeDuration"),
    literal("x", "urn:unknown"),
    literal("many", XSD + "integer"),
    literal("\x00\n\uffff\\\"'$1", language="en-GB-x-1"),
    literal("a" * 3000),
    literal("$1\\"),
    literal("(((a*)*)*)*"),
    literal("[a-z-[b]"),
    literal("urn:a\\b"),
    iri(""),
    iri("urn:é"),
    Term("_:b0"),
]
COMPUTED = [
    Value(ValueKind.DECIMAL, Decimal("1E+3900")), Value(ValueKind.DECIMAL, Decimal("1E-3900")),
    Value(ValueKind.INTEGER, -(10**3900)),
    Value(ValueKind.DOUBLE, -0.0), Value(ValueKind.FLOAT, 0.5), Value(ValueKind.STRING, "B"), TRUE, FALSE,
]  # fmt: skip


def terms() -> st.SearchStrategy[Term]:
    names = [name[1:-1] for name in DEFINITIONS if name.startswith("<")]
    texts = st.one_of(st.text(), st.from_regex(r"[-+]?[0-9]{1,9}(\.[0-9]{0,9})?(e[-+]?[0-9]{1,3})?", fullmatch=True))
    tags = st.sampled_from(["en", "fr", "de-ch"])
    return st.one_of(
        st.sampled_from(WEIRD),
        st.builds(literal, texts),
        st.builds(lambda text, tag: literal(text, language=tag), texts, tags),
        st.builds(literal, texts, st.sampled_from([*names, "urn:unknown"])),
    )


VALUES = st.one_of(terms().map(value_of), st.sampled_from(COMPUTED))
ARGUMENTS = {
    name: st.lists(VALUES, min_size=function.least, max_size=5 if function.most is None else function.most)
    for name, function in DEFINITIONS.items()
}


@settings(max_examples=settings().max_examples // 4)  # there are 80 functions
@given(data=st.data())
@pytest.mark.parametrize("name", APPLICABLE)
def test_only_type_errors_leave_a_function(name: str, data: st.DataObject) -> None:
    function = DEFINITIONS[name]
    try:
        result = apply(function, *data.draw(ARGUMENTS[name]))
        made = term_of(result)
    except (TypeMismatch, BudgetExceeded):
        return
    assert parse_term(made) == made
    if result.numeric or result.kind is ValueKind.BOOLEAN:
        again = value_of(made)
        assert again.kind is result.kind, made
        assert str(again.data) == str(result.data) or again.data == result.data


def apply(function: Function, *arguments: Value) -> Value:
    """Apply a function under the default limits."""
    assert function.apply is not None
    budget = [EvaluationBudget(EvaluationLimits())] if function.takes_budget else []
    return function.apply(*budget, *arguments)


def test_numbers_beyond_reason_are_errors() -> None:
    digits = value_of(literal("9" * 100_000, XSD + "decimal"))
    text = value_of(literal("9" * 1_000_000))
    for name, argument in [
        (f"<{XSD}integer>", digits),
        (f"<{XSD}integer>", text),
        (f"<{XSD}decimal>", text),
        (f"<{XSD}byte>", value_of(literal("1e300", XSD + "double"))),
    ]:
        with pytest.raises(TypeMismatch):
            apply(DEFINITIONS[name], argument)


def test_results_beyond_reason_exceed_the_budget() -> None:
    half = value_of(literal("a" * 2_000_001))
    huge = Value(ValueKind.DECIMAL, Decimal("1E+3900"))
    for name, arguments, limit in [
        ("CONCAT", [half, half], "row_text_limit"),
        ("REPLACE", [value_of(literal("aaaa")), value_of(literal("a")), half], "row_text_limit"),
        ("UCASE", [value_of(literal("a" * 4_000_001))], "row_text_limit"),
        ("LCASE", [value_of(literal("A" * 4_000_001))], "row_text_limit"),
        ("ENCODE_FOR_URI", [value_of(literal("é" * 4_000_001))], "row_text_limit"),
        ("WORDS", [value_of(literal("é" * 4_000_001)), value_of(literal("a"))], "row_text_limit"),
        ("*", [huge, huge], "number_limit"),
        ("*", [Value(ValueKind.INTEGER, 10**3900), Value(ValueKind.INTEGER, 10**3900)], "number_limit"),
    ]:
        with pytest.raises(BudgetExceeded) as caught:
            apply(DEFINITIONS[name], *arguments)
        assert caught.value.limit == limit, name
