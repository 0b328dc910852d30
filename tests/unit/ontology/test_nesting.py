from __future__ import annotations

import random

import pyoxigraph as ox
import pytest
from conftest import SOAK

from ontology import MalformedOntology, load
from ontology.limits import DocumentLimits
from ontology.nesting import BracketSyntax, find_too_deep


def depth(data: bytes, syntax: BracketSyntax = "turtle") -> int:
    return next(limit for limit in range(1_000) if find_too_deep(data, syntax, limit) is None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<urn:a> <urn:p> (1 (2) (3 [ <urn:q> () ])) .", 4),
        ('<urn:a> <urn:p> \'((\', "((", \'\'\'((\'((\'\'\', """(("((\\"""" .', 0),
        ("<urn:a> <urn:p> '))', (1), '))', ((1)) .", 2),
        ("<urn:a((> <urn:p> 1 . # ((((\r<urn:a> <urn:p> (1) .", 1),
        ("<urn:a> <urn:p> <urn:a#b> . # ((", 0),
        ("ex:a\\(b ex:p\\' (1) . ex:\\#a ex:p ((1)) .", 2),
        ("<urn:a> <urn:p> '\\'((', \"\\\\\", (1) .", 1),
        ("<urn:a> <urn:p> '', \"\", (1) .", 1),
        ("<urn:a> <urn:p> <<( <urn:a> <urn:p> <<(<urn:a><urn:p><urn:o>)>> )>> .", 2),
        ("<< <urn:a> <urn:p> << <urn:a> <urn:p> <urn:o>>>>> <urn:p> 1 {| <urn:p> [] |} .", 2),
        ("<urn:g> { <urn:a> <urn:p> (1), (2) } <urn:h> { }", 2),
        ("<urn:a> <urn:p> '((((", 0),
        ("<urn:a> <urn:p> ((((", 4),
    ],
)
def test_depth_ignores_brackets_in_strings_iris_and_comments(text: str, expected: int) -> None:
    assert depth(text.encode()) == expected
    assert depth(("\ufeff" + text).encode()) == expected


def test_operators_of_n3_open_no_iri() -> None:
    assert depth(b"{ ?x <= (1) } <= { ?y > ((2)) } . ?x <- <urn:a(> .", "n3") == 3


def test_depth_of_json() -> None:
    assert depth(rb'{"a[": ["\"[", "\\", [{}]]}', "json") == 4


@pytest.mark.parametrize("seed", range(20_000 if SOAK else 300))
def test_triple_terms_of_a_valid_document_are_never_deeper_than_counted(seed: int) -> None:
    """Random pieces that confuse a scanner. Whatever Oxigraph reads, its triple terms are no deeper than was found."""
    generator = random.Random(seed)
    pieces = [
        "'",
        '"',
        '"""',
        "'''",
        "\\",
        "#",
        "\n",
        "<",
        ">",
        ")>>",
        "(",
        ")",
        "[",
        "]",
        " . ",
        ", ",
        "urn:x",
        "\\u003e",
    ]

    def string() -> str:
        quote = generator.choice(["'", '"', "'''", '"""'])
        return quote + "".join(generator.choices(pieces, k=generator.randint(0, 6))) + quote

    def term(left: int) -> str:
        match generator.randrange(6):
            case 0 | 1 if left:
                return f"<<( <urn:{''.join(generator.choices(['(', ')', '#', 'a'], k=3))}> <urn:p> {term(left - 1)} )>>"
            case 2:
                return string()
            case 3:
                return f"#{''.join(generator.choices(pieces, k=3))}\n <urn:c>"
            case 4 if left:
                return f"( {term(left - 1)} )"
        return "<urn:b>"

    data = "".join(f"<urn:a> <urn:p> {term(6)} .\n" for _ in range(generator.randint(1, 5))).encode()
    deepest = 0
    try:
        for quad in ox.parse(data, format=ox.RdfFormat.TURTLE):
            level, part = 0, quad.object
            while isinstance(part, ox.Triple):
                level, part = level + 1, part.object
            deepest = max(deepest, level)
    except SyntaxError:
        pass
    assert depth(data) >= deepest


@pytest.mark.parametrize(
    ("data", "format"),
    [
        (b"<urn:a> <urn:p> ((1)) .", "turtle"),
        (b"{{ <urn:a> <urn:p> 1 }} <urn:p> 1 .", "n3"),
        (b'{"@id": "urn:a", "urn:p": [[1]]}', "json-ld"),
        ('{"@id": "urn:a", "urn:p": [[1]]}'.encode("utf-16-le"), "json-ld"),
        (b"<urn:a> <urn:p> <<(<urn:a> <urn:p> <<(<urn:a> <urn:p> <urn:o>)>>)>> .", "nt"),
    ],
)
def test_an_ontology_that_is_too_deep_is_refused(data: bytes, format: str) -> None:
    with pytest.raises(MalformedOntology, match="max_depth"):
        load(data, format, limits=DocumentLimits(max_depth=1))
