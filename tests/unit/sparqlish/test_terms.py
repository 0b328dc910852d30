"""Terms: each spelling and the value it stands for."""

import pytest
from support.parsing import parse

from sparqlish import IRI, BlankNode, Literal, SparqlishError, UnknownPrefix, Variable

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"


def term(text, **options):
    return parse(f"PREFIX : <http://e/> ASK {{ ?s ?p {text} }}", **options).where.elements[-1].object


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("?x", Variable("x")),
        ("$x", Variable("x")),
        ("<http://e/x>", IRI("http://e/x")),
        (":x", IRI("http://e/x")),
        (":", IRI("http://e/")),
        (":1a", IRI("http://e/1a")),
        (":a:b", IRI("http://e/a:b")),
        (":a.b", IRI("http://e/a.b")),
        (":a%20b", IRI("http://e/a%20b")),
        (r":a\~\.\-\!\$\&\'\(\)\*\+\,\;\=\/\?\#\@\%\_", IRI("http://e/a~.-!$&'()*+,;=/?#@%_")),
        ("foaf:name", IRI("http://xmlns.com/foaf/0.1/name")),
        ("_:x", BlankNode("x")),
        ("[]", BlankNode("b0")),
        ("()", IRI(RDF + "nil")),
        ("1", Literal("1", XSD + "integer")),
        ("+5", Literal("+5", XSD + "integer")),
        ("-18", Literal("-18", XSD + "integer")),
        ("007", Literal("007", XSD + "integer")),
        ("1.5", Literal("1.5", XSD + "decimal")),
        ("-.5", Literal("-.5", XSD + "decimal")),
        ("1e5", Literal("1e5", XSD + "double")),
        ("-1.E-5", Literal("-1.E-5", XSD + "double")),
        ("true", Literal("true", XSD + "boolean")),
        ("FALSE", Literal("false", XSD + "boolean")),
        ('"a"', Literal("a")),
        ("'a'", Literal("a")),
        ('""', Literal("")),
        ("''''''", Literal("")),
        ('"a\'b"', Literal("a'b")),
        ('"""a"b\n""c"""', Literal('a"b\n""c')),
        (r'"\t\b\n\r\f\\\"\'"', Literal("\t\b\n\r\f\\\"'")),
        (r'"\\n"', Literal(r"\n")),
        (r'"\\u0041"', Literal(r"\u0041")),
        (r'"\u0041\U0001F600"', Literal("A\U0001f600")),
        ('"a"@en', Literal("a", RDF + "langString", "en")),
        ('"a"@en-GB', Literal("a", RDF + "langString", "en-GB")),
        ('"a"^^xsd:date', Literal("a", XSD + "date")),
        ('"a"^^<http://e/t>', Literal("a", "http://e/t")),
        ('"a" ^^ :t', Literal("a", "http://e/t")),
        ("'#not a comment'", Literal("#not a comment")),
    ],
)
def test_a_term_is_parsed_as_expected(text, expected):
    assert term(text) == expected


def test_default_datatype_is_string():
    assert term('"a"').datatype == XSD + "string"
    assert term('"a"') == term('"a"^^xsd:string')


def test_prefixes_hide_one_another():
    assert term("foaf:x", prefixes={"foaf": "http://mine/"}) == IRI("http://mine/x")
    own = parse("PREFIX foaf: <http://own/> ASK { ?s ?p foaf:x }", prefixes={"foaf": "http://mine/"})
    assert own.where.elements[0].object == IRI("http://own/x")
    again = parse("PREFIX p: <http://one/> PREFIX p: <http://two/> ASK { ?s ?p p:x }")
    assert again.where.elements[0].object == IRI("http://two/x")


def test_unknown_prefix_names_it():
    with pytest.raises(UnknownPrefix) as caught:
        parse("ASK {\n ?s ex:p ?o }")
    assert (caught.value.prefix, caught.value.line, caught.value.column) == ("ex", 2, 5)
    with pytest.raises(UnknownPrefix) as caught:
        parse("ASK { ?s :p ?o }")
    assert caught.value.prefix == ""


def test_prefixes_that_are_no_iris_are_refused_when_used():
    assert parse("ASK { ?s foaf:p ?o }", prefixes={"bad": "a b"})
    with pytest.raises(SparqlishError, match="not an IRI"):
        parse("ASK { ?s bad:p ?o }", prefixes={"bad": "http://a b"})


@pytest.mark.parametrize("form", ["ex:a", "ex", ":a:", "<http://e/>", ""])
def test_prefix_declarations_need_a_colon_at_the_end(form):
    with pytest.raises(SparqlishError):
        parse(f"PREFIX {form} <http://e/> ASK {{}}")


def test_codepoint_escapes_come_before_tokens():
    query = parse(r"\u0041SK { ?x <http://e/\u0070> \u0022a\u0022 }")
    assert query.form == "ASK"
    assert query.where.elements[0].predicate == IRI("http://e/p")
    assert query.where.elements[0].object == Literal("a")


def test_a_signed_number_may_begin_with_an_escape():
    assert term(r"\u002D1") == Literal("-1", XSD + "integer")


def test_columns_after_codepoint_escapes_are_those_of_the_written_text():
    text = "ASK { ?\\u0078 ?\\U00000079 }"
    with pytest.raises(SparqlishError) as caught:
        parse(text)
    assert caught.value.column == text.index("}") + 1
    query = parse(r"ASK { ?\u0078 ?y ?z . ?a ?b ?c }")
    assert [triple.position for triple in query.where.elements] == [6, 22]


@pytest.mark.parametrize("escape", [r"\uD800", r"\U00110000", r"\UFFFFFFFF", r"\uDFFF"])
def test_escapes_of_no_character_are_refused(escape):
    with pytest.raises(SparqlishError, match="not a character"):
        term(f'"{escape}"')


@pytest.mark.parametrize("text", ["- 1", "+ 1", '"a"@', '"a"^^', '"a"^^?x', '"a"@en@fr', r'"\u12"', "+", "-x"])
def test_ill_formed_terms(text):
    with pytest.raises(SparqlishError):
        term(text)
