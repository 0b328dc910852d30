"""Expressions: precedence, association, functions and their arguments."""

import pytest
from support.parsing import FUNCTIONS, parse

import sparqlish
from sparqlish import (
    IRI,
    Call,
    Literal,
    NotSupported,
    SparqlishError,
    UnknownFunction,
    Variable,
    WrongArity,
)  # fmt: skip

XSD = "http://www.w3.org/2001/XMLSchema#"
OPERATORS = {"locIn": 2, "near": (2, 3), "any": None, "many": (1, None), "Locate": 1}
A, B, C, D = (Variable(name) for name in "abcd")
ONE, TWO = Literal("1", XSD + "integer"), Literal("2", XSD + "integer")


def expression(text):
    query = parse(f"PREFIX : <http://e/> ASK {{ FILTER ({text}) }}", operators=OPERATORS)
    return query.where.elements[0].expression


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("?a", A),
        ("((?a))", A),
        (":x", IRI("http://e/x")),
        ("'s'", Literal("s")),
        ("true", Literal("true", XSD + "boolean")),
        ("?a || ?b", Call("||", (A, B))),
        ("?a || ?b || ?c", Call("||", (A, B, C))),
        ("(?a || ?b) || ?c", Call("||", (Call("||", (A, B)), C))),
        ("?a || ?b && ?c", Call("||", (A, Call("&&", (B, C))))),
        ("?a && ?b || ?c", Call("||", (Call("&&", (A, B)), C))),
        ("?a && ?b && ?c", Call("&&", (A, B, C))),
        ("?a = ?b && ?c != ?d", Call("&&", (Call("=", (A, B)), Call("!=", (C, D))))),
        ("?a < ?b + 1", Call("<", (A, Call("+", (B, ONE))))),
        ("?a<=?b", Call("<=", (A, B))),
        ("?a>=?b", Call(">=", (A, B))),
        ("?a > ?b", Call(">", (A, B))),
        ("?a - ?b - ?c", Call("-", (Call("-", (A, B)), C))),
        ("?a - (?b - ?c)", Call("-", (A, Call("-", (B, C))))),
        ("?a / ?b * ?c", Call("*", (Call("/", (A, B)), C))),
        ("?a + ?b * ?c", Call("+", (A, Call("*", (B, C))))),
        ("(?a + ?b) * ?c", Call("*", (Call("+", (A, B)), C))),
        ("?a -1", Call("-", (A, ONE))),
        ("?a-1*2", Call("-", (A, Call("*", (ONE, TWO))))),
        ("?a +1", Call("+", (A, ONE))),
        ("?a + -1", Call("+", (A, Literal("-1", XSD + "integer")))),
        ("-1", Literal("-1", XSD + "integer")),
        ("- 1", Call("unary-", (ONE,))),
        ("-(1)", Call("unary-", (ONE,))),
        ("-?a", Call("unary-", (A,))),
        ("+?a", Call("unary+", (A,))),
        ("!?a", Call("!", (A,))),
        ("!!?a", Call("!", (Call("!", (A,)),))),
        ("!?a = ?b", Call("=", (Call("!", (A,)), B))),
        ("!(?a = ?b)", Call("!", (Call("=", (A, B)),))),
        ("-?a * ?b", Call("*", (Call("unary-", (A,)), B))),
        ("?a IN (1, 2)", Call("in", (A, ONE, TWO))),
        ("?a in ()", Call("in", (A,))),
        ("?a NOT IN (1)", Call("not in", (A, ONE))),
        ("?a + 1 not in (?b)", Call("not in", (Call("+", (A, ONE)), B))),
        ("?a = ?b || ?c IN (1)", Call("||", (Call("=", (A, B)), Call("in", (C, ONE))))),
        ("xsd:integer(?a)", Call(f"<{XSD}integer>", (A,))),
        ("<http://e/f>()", Call("<http://e/f>", ())),
        (":f(?a, ?b)", Call("<http://e/f>", (A, B))),
        ("isA(?a, :x)", Call("isA", (A, IRI("http://e/x")))),
        ("ISA(?a, ?b)", Call("isA", (A, B))),
        ("instanceof(?a, ?b)", Call("instanceOf", (A, B))),
        ("directlya(?a, ?b)", Call("directlyA", (A, B))),
        ("AncestorOf(?a, ?b)", Call("ancestorOf", (A, B))),
        ("locIn(?a, ?b)", Call("locIn", (A, B))),
        ("near(?a, ?b)", Call("near", (A, B))),
        ("near(?a, ?b, ?c)", Call("near", (A, B, C))),
        ("any()", Call("any", ())),
        ("many(?a, ?b, ?c, ?d)", Call("many", (A, B, C, D))),
        ("NOW ( )", Call("NOW", ())),
        ("URI(?a)", Call("IRI", (A,))),
        ("isURI(?a)", Call("ISIRI", (A,))),
        ("sameTerm(?a, ?b)", Call("SAMETERM", (A, B))),
        ("if(?a, ?b, ?c)", Call("IF", (A, B, C))),
        ("concat()", Call("CONCAT", ())),
    ],
)
def test_an_expression_is_parsed_as_expected(text, expected):
    assert expression(text) == expected


ARITIES = {
    "STR": [1], "LANG": [1], "LANGMATCHES": [2], "DATATYPE": [1], "BOUND": [1], "IRI": [1], "URI": [1], "ABS": [1],
    "CEIL": [1], "FLOOR": [1], "ROUND": [1], "CONCAT": [0, 1, 2, 5], "STRLEN": [1], "UCASE": [1], "LCASE": [1],
    "ENCODE_FOR_URI": [1], "CONTAINS": [2], "STRSTARTS": [2], "STRENDS": [2], "STRBEFORE": [2], "STRAFTER": [2],
    "YEAR": [1], "MONTH": [1], "DAY": [1], "HOURS": [1], "MINUTES": [1], "SECONDS": [1], "TIMEZONE": [1], "TZ": [1],
    "NOW": [0], "MD5": [1], "SHA1": [1], "SHA256": [1], "SHA384": [1], "SHA512": [1], "COALESCE": [0, 1, 2, 5],
    "IF": [3], "STRLANG": [2], "STRDT": [2], "SAMETERM": [2], "ISIRI": [1], "ISURI": [1], "ISBLANK": [1],
    "ISLITERAL": [1], "ISNUMERIC": [1], "REGEX": [2, 3], "SUBSTR": [2, 3], "REPLACE": [3, 4],
    "WORDS": [2],
    "LABELLED": [2],
    "HAS": [2, 3],
    "BNODE": [0, 1],
    "UUID": [0],
    "STRUUID": [0],
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(ARITIES))
def test_each_builtin_takes_its_arguments_and_no_others(name):
    for count in range(6):
        text = f"{name.lower()}({', '.join(['?a'] * count)})"
        if count in ARITIES[name] or (name in ("CONCAT", "COALESCE")):
            call = expression(text)
            assert call.function == {"URI": "IRI", "ISURI": "ISIRI"}.get(name, name)
            assert len(call.arguments) == count
        else:
            with pytest.raises(WrongArity) as caught:
                expression(text)
            assert caught.value.given == count


def test_no_builtin_is_missing_from_the_table_above():
    assert set(FUNCTIONS) == set(ARITIES)


@pytest.mark.parametrize("text", ["isA(?a)", "isA(?a, ?b, ?c)", "locIn(?a)", "near(?a)", "many()", "Locate()"])
def test_arity_of_the_other_functions(text):
    with pytest.raises(WrongArity) as caught:
        expression(text)
    assert caught.value.column == len("PREFIX : <http://e/> ASK { FILTER (") + 1


def test_a_wrong_number_of_arguments_is_named_with_its_place():
    with pytest.raises(WrongArity) as caught:
        expression("REGEX(?a)")
    assert str(caught.value).startswith("REGEX takes 2 or 3 arguments, here it has 1 (line 1, column 36)")
    assert (caught.value.function, caught.value.given, caught.value.expected) == (
        "REGEX",
        1,
        ("2 or 3 arguments",),
    )


def test_unknown_functions_get_close_names():
    with pytest.raises(UnknownFunction) as caught:
        expression("?a > 1 && locin(?a, ?b)")
    assert caught.value.function == "locin"
    assert caught.value.expected[0] == "locIn"
    assert caught.value.column == 46
    with pytest.raises(UnknownFunction, match="CONTAINS"):
        expression("contain(?a, 'x')")
    with pytest.raises(UnknownFunction, match="no operator of that name") as caught:
        parse("ASK { FILTER zzzzzz(?a) }")
    assert caught.value.expected == ()


def test_operators_must_be_handed_in():
    with pytest.raises(UnknownFunction):
        parse("ASK { FILTER locIn(?a, ?b) }")
    assert parse("ASK { FILTER locIn(?a, ?b) }", operators={"locIn": 2})


def test_without_functions_any_name_may_be_called():
    def read(text):
        return sparqlish.parse(f"ASK {{ FILTER ({text}) }}", operators={"locIn": 2}).where.elements[0].expression

    assert read("wordCount(?a, ?b)") == Call("WORDCOUNT", (A, B))
    assert read("locIn(?a, ?b)") == Call("locIn", (A, B))
    assert read("isa(?a, ?b)") == Call("isA", (A, B))
    assert read("uri(?a)") == Call("IRI", (A,))
    for text in ("RAND()", "BOUND()", "BOUND(1)", "IRI()", "locIn(?a)"):
        with pytest.raises(SparqlishError):
            read(text)


def test_filters_without_brackets():
    for text in ("isA(?a, ?b)", "locIn(?a, ?b)", "regex(?a, 'x')", "xsd:boolean(?a)", "<http://e/f>(?a)"):
        query = parse(f"ASK {{ FILTER {text} }}", operators=OPERATORS)
        assert isinstance(query.where.elements[0].expression, Call)


@pytest.mark.parametrize("name", ["RAND", "rand"])
def test_chance_is_refused_by_name(name):
    with pytest.raises(NotSupported, match="an answer must not depend on chance") as caught:
        expression(f"{name}() = 1")
    assert caught.value.feature == name.upper()


@pytest.mark.parametrize("name", ["COUNT", "sum", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"])
def test_aggregates_are_refused_in_filters(name):
    with pytest.raises(SparqlishError, match=f"{name.upper()} stands only in SELECT, HAVING and ORDER BY") as caught:
        expression(f"1 < {name}(DISTINCT ?a)")
    assert caught.value.column == 40


@pytest.mark.parametrize(
    "text",
    [
        "", "?a ?b", "?a =", "= ?a", "?a = ?b = ?c", "?a < ?b < ?c", "?a IN ?b", "?a NOT (?b)", "?a IN (1) IN (2)",
        "(?a", "?a)", "?a ||", "STR", "STR ?a", "STR(?a", "STR(?a,)", "STR(,)", "BOUND(1)", "BOUND(STR(?a))", "_:a",
        "[]", "?a & ?b", "?a | ?b", "a", "?a == ?b", "?a AS ?b", "!", "1 2", "foo", "isA", ":f(DISTINCT ?a)",
        "?a IN (1",
    ],
)  # fmt: skip
def test_ill_formed_expressions(text):
    with pytest.raises(SparqlishError):
        expression(text)
