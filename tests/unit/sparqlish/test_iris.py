"""RFC 3986, section 5.4, and the schemes that urllib does not resolve."""

import pytest
from support.parsing import parse

from sparqlish import IRI, SparqlishError
from sparqlish.iris import resolve

NORMAL = {
    "g:h": "g:h", "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g",
    "//g": "http://g", "?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q#s",
    "g#s": "http://a/b/c/g#s", "g?y#s": "http://a/b/c/g?y#s", ";x": "http://a/b/c/;x", "g;x": "http://a/b/c/g;x",
    "g;x?y#s": "http://a/b/c/g;x?y#s", "": "http://a/b/c/d;p?q", ".": "http://a/b/c/", "./": "http://a/b/c/",
    "..": "http://a/b/", "../": "http://a/b/", "../g": "http://a/b/g", "../..": "http://a/", "../../": "http://a/",
    "../../g": "http://a/g",
}  # fmt: skip
ABNORMAL = {
    "../../../g": "http://a/g", "../../../../g": "http://a/g", "/./g": "http://a/g", "/../g": "http://a/g",
    "g.": "http://a/b/c/g.", ".g": "http://a/b/c/.g", "g..": "http://a/b/c/g..", "..g": "http://a/b/c/..g",
    "./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/", "g/./h": "http://a/b/c/g/h", "g/../h": "http://a/b/c/h",
    "g;x=1/./y": "http://a/b/c/g;x=1/y", "g;x=1/../y": "http://a/b/c/y", "g?y/./x": "http://a/b/c/g?y/./x",
    "g?y/../x": "http://a/b/c/g?y/../x", "g#s/./x": "http://a/b/c/g#s/./x", "g#s/../x": "http://a/b/c/g#s/../x",
    "http:g": "http:g",
}  # fmt: skip


@pytest.mark.parametrize(("reference", "expected"), [*NORMAL.items(), *ABNORMAL.items()])
def test_rfc_3986_examples(reference, expected):
    assert resolve("http://a/b/c/d;p?q", reference) == expected


@pytest.mark.parametrize(
    ("base", "reference", "expected"),
    [
        ("urn:example:feed", "#items", "urn:example:feed#items"),
        ("urn:example:feed", "other", "urn:other"),
        ("urn:example:feed", "", "urn:example:feed"),
        ("file:///a/b/c", "../d", "file:///a/d"),
        ("file:///a/b/c", "", "file:///a/b/c"),
        ("file:///", "x", "file:///x"),
        ("http://a", "g", "http://a/g"),
        ("http://a", "?q", "http://a?q"),
        ("http://a/b#frag", "", "http://a/b"),
        ("http://a/b", "//h:1/x/../y", "http://h:1/y"),
        ("tag:e,2005:x/y", "z", "tag:e,2005:x/z"),
        ("http://é/ü/", "ö", "http://é/ü/ö"),
        ("urn:a", "../" * 3 + "b", "urn:b"),
        ("urn:a", "./..", "urn:"),
    ],
)
def test_references_are_resolved_against_bases_of_other_schemes(base, reference, expected):
    assert resolve(base, reference) == expected


def test_an_absolute_iri_stays_as_it_is():
    assert resolve("http://a/b", "http://x/a/../b") == "http://x/a/../b"


def subject(text, **options):
    return parse(text, **options).where.elements[0].subject


def test_base_of_the_text_and_of_the_caller():
    assert subject("ASK { <x> ?p ?o }", base="http://e/a/b") == IRI("http://e/a/x")
    assert subject("BASE <c/> ASK { <x> ?p ?o }", base="http://e/a/b") == IRI("http://e/a/c/x")
    assert subject("BASE <http://e/> BASE <f/> PREFIX : <g#> ASK { :x ?p ?o }") == IRI("http://e/f/g#x")
    assert subject("PREFIX : <http://p/> BASE <http://e/> ASK { :x ?p ?o }") == IRI("http://p/x")


def test_relative_without_base_is_an_error():
    with pytest.raises(SparqlishError, match="relative") as caught:
        parse("ASK { ?x <p> ?y }")
    assert (caught.value.line, caught.value.column) == (1, 10)


@pytest.mark.parametrize("base", ["relative", "", "http://a b/", "http://a/<"])
def test_a_base_must_be_absolute(base):
    with pytest.raises(SparqlishError, match="not an absolute IRI"):
        parse("ASK {}", base=base)
