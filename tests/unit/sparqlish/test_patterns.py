"""Groups and what stands in them."""

import pytest
from support.parsing import parse

from sparqlish import (
    IRI,
    Bind,
    BlankNode,
    Call,
    Filter,
    Group,
    Literal,
    Query,
    SparqlishError,
    Triple,
    Union,
    Values,
    Variable,
    line_column,
)  # fmt: skip

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XSD = "http://www.w3.org/2001/XMLSchema#"
S, P, O = Variable("s"), Variable("p"), Variable("o")  # noqa: E741
X, Y, Z = Variable("x"), Variable("y"), Variable("z")
p, q = IRI("http://e/p"), IRI("http://e/q")
FIRST, REST, NIL = IRI(RDF + "first"), IRI(RDF + "rest"), IRI(RDF + "nil")


def number(text):
    return Literal(text, XSD + "integer")


def elements(body):
    return parse(f"PREFIX : <http://e/> ASK {{ {body} }}").where.elements


def test_select_and_ask_forms_are_parsed():
    assert parse("SELECT ?x $y WHERE { ?x ?y ?z }") == Query("SELECT", (X, Y), False, Group((Triple(X, Y, Z),)))
    assert parse("select distinct * where{}") == Query("SELECT", None, True, Group(()))
    assert parse("SELECT REDUCED ?x {}") == Query("SELECT", (X,), False, Group(()), reduced=True)
    assert parse("Ask Where { }") == Query("ASK", None, False, Group(()))


def test_select_of_a_variable_that_nothing_binds():
    assert parse("SELECT ?nothing { ?x ?y ?z }").variables == (Variable("nothing"),)


@pytest.mark.parametrize(
    "body",
    ["?s :p ?o", "?s :p ?o .", "?s :p ?o ;", "?s :p ?o ; .", "?s :p ?o ;;; ;", "?s :p ?o#comment\n.", "?s:p?o"],
)
def test_one_triple_in_many_spellings(body):
    assert elements(body) == (Triple(S, p, O),)


def test_shared_subjects_and_predicates():
    assert elements("?s :p 1, 2 ;; :q ?x . ?x a :p") == (
        Triple(S, p, number("1")),
        Triple(S, p, number("2")),
        Triple(S, q, X),
        Triple(X, IRI(RDF + "type"), p),
    )


def test_variables_in_all_positions_and_literal_subjects():
    assert elements("?s ?p ?o . 'a' :p ?o") == (Triple(S, P, O), Triple(Literal("a"), p, O))


def test_property_lists_become_triples_of_blank_nodes():
    a, b = BlankNode("b0"), BlankNode("b1")
    assert elements("?s :p [ :q ?x ; :p [ :q 1 ] ] .") == (
        Triple(a, q, X),
        Triple(b, q, number("1")),
        Triple(a, p, b),
        Triple(S, p, a),
    )
    assert elements("[ :p ?x ]") == (Triple(a, p, X),)
    assert elements("[ :p ?x ; ] :q ?y .") == (Triple(a, p, X), Triple(a, q, Y))
    assert elements("[] :q [] .") == (Triple(a, q, b),)


def test_collections_become_rdf_lists():
    a, b = BlankNode("b0"), BlankNode("b1")
    assert elements("?s :p (1 ?x)") == (
        Triple(a, FIRST, number("1")),
        Triple(a, REST, b),
        Triple(b, FIRST, X),
        Triple(b, REST, NIL),
        Triple(S, p, a),
    )
    assert elements("?s :p ()") == (Triple(S, p, NIL),)
    assert elements("() :p ?x") == (Triple(NIL, p, X),)
    assert elements("(1)") == (Triple(a, FIRST, number("1")), Triple(a, REST, NIL))
    assert elements("((?x) [])")[0] == Triple(b, FIRST, X)


def test_generated_labels_avoid_the_texts_own():
    found = elements("[] :p _:b0 . _:b2 :p [] . [] :p ?x")
    assert found == (
        Triple(BlankNode("b1"), p, BlankNode("b0")),
        Triple(BlankNode("b2"), p, BlankNode("b3")),
        Triple(BlankNode("b4"), p, X),
    )


@pytest.mark.parametrize(
    "body",
    [
        "_:a :p ?x . { ?x :q _:a }", "{ _:a :p ?x } UNION { _:a :q ?x }", "_:a :p ?x . {} _:a :q ?x",
        "_:a :p ?x BIND (1 AS ?z) _:a :q ?x", "_:a :p ?x VALUES ?z { 1 } _:a :q ?x", "{ _:a :p ?x } _:a :q ?x",
    ],
)  # fmt: skip
def test_a_label_belongs_to_one_basic_graph_pattern(body):
    with pytest.raises(SparqlishError, match="`_:a` stands in two basic graph patterns") as caught:
        elements(body)
    assert caught.value.column == len("PREFIX : <http://e/> ASK { ") + body.rindex("_:a") + 1


def test_a_filter_does_not_end_a_basic_graph_pattern():
    assert len(elements("_:a :p ?x FILTER (?x > 1) _:a :q ?x . _:a a/rdfs:subClassOf* :p . _:a :p 1")) == 5


def test_a_filter_may_be_anywhere_in_its_group():
    test = Filter(Call("BOUND", (X,)))
    assert elements("FILTER BOUND(?x)") == (test,)
    assert elements("FILTER (BOUND(?x)) . ?x :p ?y FILTER bound(?x) ?y :p ?z . FILTER Bound(?x)") == (
        test, Triple(X, p, Y), test, Triple(Y, p, Z), test,
    )  # fmt: skip


def test_values():
    assert elements("VALUES ?x { 1 :p UNDEF 'a'@en -1 true }") == (
        Values(
            (X,),
            (
                (number("1"),), (p,), (None,), (Literal("a", RDF + "langString", "en"),), (number("-1"),),
                (Literal("true", XSD + "boolean"),),
            ),
        ),
    )  # fmt: skip
    assert elements("VALUES (?x ?y) { (1 UNDEF) (UNDEF 2) }") == (
        Values((X, Y), ((number("1"), None), (None, number("2")))),
    )
    assert elements("VALUES (?x) { (1) }") == elements("VALUES ?x { 1 }")
    assert elements("VALUES () { () () }") == (Values((), ((), ())),)
    assert elements("VALUES ?x {}") == (Values((X,), ()),)


def test_trailing_values_is_joined_with_the_whole_group():
    query = parse("SELECT * { ?x ?y ?z } VALUES ?x { 1 }")
    assert query.where.elements == (Group((Triple(X, Y, Z),)), Values((X,), ((number("1"),),)))


def test_unions_and_groups():
    branch = Group((Triple(S, p, O),))
    assert elements("{ ?s :p ?o } UNION { ?s :p ?o } union { ?s :p ?o }") == (Union((branch,) * 3),)
    assert elements("{ ?s :p ?o }") == (branch,)
    assert elements("{ ?s :p ?o } { ?s :p ?o } ?s :p ?o . {}") == (branch, branch, Triple(S, p, O), Group(()))
    assert elements("{ { ?s :p ?o } UNION { } }") == (Group((Union((branch, Group(()))),)),)


def test_bind_assigns_a_new_variable():
    assert elements("?x :p ?y BIND (?y + 1 AS ?z)") == (
        Triple(X, p, Y),
        Bind(Call("+", (Y, number("1"))), Z),
    )
    assert elements("BIND (1 AS ?x) ?x :p ?y")[1] == Triple(X, p, Y)
    assert elements("FILTER (?x > 1) BIND (1 AS ?x)")
    assert elements("{ BIND (1 AS ?x) } UNION { BIND (2 AS ?x) }")


@pytest.mark.parametrize(
    "before",
    [
        "?x :p ?y", "?y ?x ?z", "?y :p ?x", "VALUES ?x { 1 }", "BIND (1 AS ?x)", "{ ?x :p ?y }",
        "{} UNION { { VALUES (?y ?x) {} } }", "[ :p ?x ]",
    ],
)  # fmt: skip
def test_bind_needs_a_new_variable(before):
    with pytest.raises(SparqlishError, match=r"\?x is already used in this group"):
        elements(f"{before} BIND (1 AS ?x)")


def test_positions_lead_to_lines_and_columns():
    text = "ASK {\n  ?x ?p 1, 2 ;\n     ?q 3 .\n  FILTER (?x > 1)\n BIND (1 AS ?z) VALUES ?w {}\n}"
    found = [line_column(text, element.position) for element in parse(text).where.elements]
    assert found == [(2, 3), (2, 12), (3, 6), (4, 3), (5, 2), (5, 17)]


def test_positions_take_no_part_in_comparison():
    assert parse("ASK{?x ?y ?z FILTER(?x)}") == parse("ASK {\n\n ?x ?y ?z\n FILTER (?x) }")
    assert hash(parse("ASK{?x ?y ?z}")) == hash(parse("ASK { ?x ?y ?z }"))


@pytest.mark.parametrize(
    "marked",
    [
        "?x @}", "?x :p @}", "?x :p ?y @?z }", "?x :p ?y @?z :p ?w }", "@. }", "?x :p ?y . @. }", "?x @'a' ?y }",
        "?x :p ?y , @}", "?x @_:p ?y }", "[] @. }", "() @. }", "[ ] @}", "[ ?p @] }", "?x :p [ :q ?y @}",
        "?x :p (1 2 @}", "?x :p @] }", "FILTER @?x }", "FILTER @}", "FILTER (@) }", "FILTER (?x @}", "FILTER @:p }",
        "@UNION {} }", "{} UNION @}", "BIND (1 AS @2) }", "BIND (1@) }", "BIND @1 AS ?x }", "VALUES ?x @1 }",
        "VALUES ?x { @?y } }", "VALUES (?x ?y) { @(1) } }", "VALUES (?x) { @(1 2) } }", "VALUES (?x) { @1 } }",
        "VALUES @{ } }", "VALUES ?x { @_:a } }", "VALUES (@1) {} }", "VALUES ?x { @(1) } }", "@foo }", "true @}",
        "VALUES (?x) { (1 @} }", "?x :p ?y@",
    ],
)  # fmt: skip
def test_ill_formed_groups_are_refused_at_the_marked_place(marked):
    before, _, after = ("ASK {\n" + marked).partition("@")
    with pytest.raises(SparqlishError) as caught:
        parse(before + after, prefixes={"": "http://e/"})
    assert (caught.value.line, caught.value.column) == (2, len(before) - len("ASK {\n") + 1)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "#", "{", "SELECT", "SELECT {}", "SELECT * ?x {}", "SELECT ?x * {}", "SELECT DISTINCT REDUCED * {}",
        "ASK", "ASK WHERE", "ASK {", "ASK {} {}", "ASK {} ASK {}", "ASK {} }", "ASK * {}", "WHERE {}", "PREFIX",
        "BASE", "BASE x", "BASE x: ASK {}", "PREFIX x: y: ASK {}", "ASK {} PREFIX : <http://e/>", "ASK {} VALUES",
        "ASK {} VALUES ?x { 1 } VALUES ?y { 1 }", "SELECT ?x, ?y {}", "ASK {} .", "SELECT (?x) {}",
    ],
)  # fmt: skip
def test_ill_formed_queries(text):
    with pytest.raises(SparqlishError):
        parse(text)
