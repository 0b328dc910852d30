"""Against other parsers: rdflib's algebra, pyoxigraph's answers, and the W3C's queries."""

import json
from pathlib import Path

import pyoxigraph as ox
import pytest
import rdflib
from rdflib.compare import isomorphic
from rdflib.plugins.sparql import prepareQuery
from support.parsing import parse

from sparqlish import IRI, BlankNode, Group, Literal, Triple, Union, Variable, print_query

DATA = Path(__file__).parents[2] / "data"
INDEXES = {
    name: [entry["query"] for entry in json.loads((DATA / f"w3c_{name}_index.json").read_text("utf-8"))]
    for name in ("dev", "features")
}
QUERIES = sorted({DATA / path for path in INDEXES["dev"]})
WHOLE_QUERIES = sorted({DATA / path for path in INDEXES["features"]})
PREFIXES = {"foaf": "http://xmlns.com/foaf/0.1/", "xsd": "http://www.w3.org/2001/XMLSchema#"}

TYPICAL = """PREFIX bib: <http://example.org/bib#>
SELECT ?paper ?year WHERE {
  ?paper bib:author "Arno Jacobsen" ; bib:conference ?conference .
  ?conference bib:year ?year .
  FILTER (?year > 1999)
  FILTER (CONTAINS(STR(?paper), "toronto"))
}"""


def triples(group):
    for element in group.elements:
        if isinstance(element, Triple):
            yield element
        elif isinstance(element, Group):
            yield from triples(element)
        elif isinstance(element, Union):
            for branch in element.branches:
                yield from triples(branch)


def as_rdflib(term):
    match term:
        case IRI(value):
            return rdflib.URIRef(value)
        case Variable(name):
            return rdflib.URIRef(f"urn:variable:{name}")
        case BlankNode(label):
            return rdflib.BNode(label)
        case Literal(lexical, _, str(language)):
            return rdflib.Literal(lexical, lang=language)
        case Literal(lexical, datatype):
            return rdflib.Literal(lexical, datatype=rdflib.URIRef(datatype))


def own_graph(text):
    graph = rdflib.Graph()
    for triple in triples(parse(text).where):
        graph.add((as_rdflib(triple.subject), as_rdflib(triple.predicate), as_rdflib(triple.object)))
    return graph


def rdflib_graph(text):
    """All triple patterns of rdflib's algebra; a plain literal there is a string here.

    rdflib normalises some lexical forms (`+5`) and not others: all are made anew, and so normalised, on both sides.
    """
    graph = rdflib.Graph()

    def converted(term):
        if isinstance(term, rdflib.Variable):
            return rdflib.URIRef(f"urn:variable:{term}")
        if isinstance(term, rdflib.Literal) and term.language is None:
            return rdflib.Literal(str(term), datatype=term.datatype or rdflib.XSD.string)
        return term

    def walk(part):
        for triple in dict.get(part, "triples", ()):  # rdflib's own `get` answers with the key
            graph.add(tuple(converted(term) for term in triple))
        for key in ("p", "p1", "p2"):
            if isinstance(dict.get(part, key), dict):
                walk(part[key])

    walk(prepareQuery(text).algebra)
    return graph


def test_the_queries_are_there():
    assert (len(INDEXES["dev"]), len(INDEXES["features"])) == (45, 94)
    assert all(path.exists() for path in (*QUERIES, *WHOLE_QUERIES))


@pytest.mark.parametrize("path", WHOLE_QUERIES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_whole_w3c_queries_are_printed_as_they_were_read(path):
    text = path.read_text("utf-8")
    query = parse(text, base="http://e/")
    assert parse(print_query(query)) == query
    ox.Store().query(print_query(query))  # which raises SyntaxError for what is not SPARQL


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_w3c_queries_have_the_triples_that_rdflib_reads(path):
    text = path.read_text("utf-8")
    query = parse(text)
    assert parse(print_query(query)) == query
    own = own_graph(text)
    assert len(own) > 0
    assert isomorphic(own, rdflib_graph(text))


# Local names with escapes (`p:a\\~b`) are left to pyoxigraph: rdflib keeps their backslashes.
SHAPES = [
    TYPICAL,
    "PREFIX : <http://e/> ASK { ?x :p [ :q ?y ; :r [ :s 1 ] ] , ( 1 ( ?z ) [] ) ; a :C ;; . () :p () . (1) :q [] }",
    "PREFIX : <http://e/> ASK { [ :p 1 ] . [ :q 1 ; ] :r 2 . (1 2) . [] :s [] }",
    "PREFIX : <http://e/> SELECT * { { ?x :p ?y } UNION { ?x :q _:a . _:a :r _:b } UNION { } { ?z a ?w } ?w ?v ?u }",
    "BASE <http://e/a/b> PREFIX p: <c#> SELECT * { <../d> p:x.y <?q> . <#f> p:a-b p:1:2 FILTER (?x > 1) }",
    "BASE <http://e/a/b> PREFIX p: <c#> SELECT * { p: p:%41 p:b.c }",
    "PREFIX : <http://e/> ASK { ?x :p 'a', \"b\", '''c\n\"d''', \"\"\"e'f\"\"\", 'g'@en, 'h'^^:t }",
    "PREFIX : <http://e/> ASK { ?x :p 1, -2, +3, 3.5, 4e5, true, false }",
    "PREFIX é: <http://é/> PREFIX a.b: <http://ab/> ASK { ?été é:è a.b:c_d }",
    "ASK { ?x <http://e/A> 'a\\\\ b \\u00e9' # comment\n }",
]


@pytest.mark.parametrize("text", SHAPES)
def test_shapes_have_the_triples_that_rdflib_reads(text):
    assert isomorphic(own_graph(text), rdflib_graph(text))


def as_oxigraph(term):
    if isinstance(term, IRI):
        return ox.NamedNode(term.value)
    if term.language is not None:
        return ox.Literal(term.lexical, language=term.language)
    return ox.Literal(term.lexical, datatype=ox.NamedNode(term.datatype))


TERMS = [
    "<http://e/x>", "foaf:a", "foaf:a.b", "foaf:a:b", "foaf:1a", "foaf:%41", "foaf:", r"foaf:a\,b\.c",
    "foaf:_a-b", "'a'", '"a"', "''", '""', "'''a'b'''", '"""a"b""c"""', "'''\n'''", r"'\t\n\r\b\f\\\'\"'", r"'\u00e9'",
    r"'\U0001F600'", r"'\\u0041'", "'é'", "'a'@en", "'a'@en-gb", "'a'^^xsd:date", "'a'^^<http://e/t>", "1", "01", "-1",
    "+1", "1.5", "-.5", "0.50", "1e5", "1.E5", ".5e-1", "+1.5E+3", "true", "false", "'1'^^xsd:integer", "'#'", "'<a>'",
]  # fmt: skip


@pytest.mark.parametrize("term", TERMS)
def test_pyoxigraph_finds_the_term_that_the_parser_read(term):
    declared = "".join(f"PREFIX {prefix}: <{namespace}> " for prefix, namespace in PREFIXES.items())
    text = f"{declared} SELECT ?s {{ ?s <http://e/p> {term} }}"
    value = as_oxigraph(parse(text).where.elements[0].object)
    store = ox.Store()
    store.add(ox.Quad(ox.NamedNode("http://e/right"), ox.NamedNode("http://e/p"), value))
    store.add(ox.Quad(ox.NamedNode("http://e/wrong"), ox.NamedNode("http://e/p"), ox.Literal("something else")))
    assert [str(row["s"]) for row in store.query(text)] == ["<http://e/right>"]


ACCEPTED_BY_SPARQL = {
    "ASK { ?x ?y ?z FILTER (?x = 1 && ?y != 2 || ?z IN (1, 2) && ?x NOT IN ()) }": True,
    "ASK { FILTER (?a = ?b = ?c) }": False,
    "ASK { FILTER ?a }": False,
    "ASK { ?x ?y ?z ?w ?v ?u }": False,
    "ASK { ?x ?y ?z . . }": False,
    "ASK { . }": False,
    "ASK { [] }": False,
    "ASK { [ ?p ?o ] }": True,
    "ASK { () }": False,
    "ASK { (1) }": True,
    "ASK { ?x ?y ?z ; ; . }": True,
    "ASK { ?x ?y ?z , }": False,
    "ASK { ?x ?y ?z BIND (1 AS ?x) }": False,
    "ASK { BIND (1 AS ?x) ?x ?y ?z }": True,
    "ASK { VALUES (?x ?y) { (1) } }": False,
    "ASK { VALUES () { () } }": True,
    "ASK { _:a ?p ?o . { _:a ?p ?o } }": False,
    "ASK { _:a ?p ?o FILTER (1) _:a ?p ?o }": True,
    "ASK { ?x ?y 1.}": True,
    "SELECT * { ?x ?y ?z } VALUES ?x { 1 }": True,
    "SELECT { ?x ?y ?z }": False,
    "ASK { FILTER CONTAINS(?x) }": False,
    "ASK { FILTER COALESCE() }": True,
    "ASK { ?x ?y 'a\nb' }": False,
    "ASK { ?x ?y 'a\\q' }": False,
    "ASK { FILTER (1 +2 -3) }": True,
}


@pytest.mark.parametrize("text", ACCEPTED_BY_SPARQL)
def test_pyoxigraph_accepts_the_same_texts(text):
    for reader in (lambda: ox.Store().query(text), lambda: parse(text)):
        if ACCEPTED_BY_SPARQL[text]:
            reader()
        else:
            with pytest.raises((SyntaxError, ValueError)):
                reader()
