"""Random and mutated texts: a query (that prints and parses to itself) or a `SparqlishError`, nothing else.

GTOPSS_SOAK=1 runs 100,000 texts of each kind.
"""

import os
import random

import pytest
from support.parsing import parse

from sparqlish import Query, SparqlishError, print_query
from sparqlish.tokens import tokenize

SEED = 20050510
TEXTS = 100_000 if os.environ.get("GTOPSS_SOAK") == "1" else 1_500
OPERATORS = {"locIn": 2, "near": (1, 3)}
CORPUS = [
    'PREFIX : <http://e/> SELECT ?x ?y WHERE { ?x :p "a" ; :q ?y . ?y a :C FILTER (?y > 1.5 && !(?x = :z)) }',
    "BASE <http://e/a/b> ASK { <c> <#p> [ a foaf:Person ; foaf:name 'x'@en-GB ] , ( 1 -2.5 3e4 ) . }",
    "SELECT DISTINCT * { { ?x a foaf:A } UNION { ?x a foaf:B . FILTER isA(?x, foaf:C) } UNION { } } VALUES ?x { 1 }",
    "ASK { ?x a/rdfs:subClassOf* foaf:C ; foaf:p true, false . BIND (?y + 1 * -2 / ?z - 3 AS ?w) _:a ?b _:c }",
    'ASK { VALUES (?a ?b) { (1 "x"^^xsd:date) (UNDEF <http://e/>) } FILTER (?a IN (1, 2) || ?b NOT IN ()) }',
    "ASK { ?x dc:date ?d FILTER (xsd:integer(?d) >= 3 && REGEX(STR(?d), '^a', \"i\") && locIn(?x, near(?d))) }",
    'ASK { ?x dc:title """long "quoted" \\n text""", \'\'\'other\'\'\' # note\n . \\u003Fy dc:a\\~b.c ?\\U0000007A }',
    "SELECT REDUCED $x { ?x ?y ?z . OPTIONAL { ?x ?y ?z } MINUS { } GRAPH ?g { } } GROUP BY ?x ORDER BY ?y LIMIT 5",
    "SELECT (SUM(?x) AS ?n) FROM NAMED <http://e/> { { SELECT ?x { } } FILTER NOT EXISTS { << ?a ?b ?c >> dc:a+ ?d } }",
]  # fmt: skip
SIGNS = "{}()[].;,<>?$*/+-!=^|&@#_:\\\"'\n\r\t \0é日\ud800\u0301"
WORDS = "''' \"\"\" << \\u \\u0041 _:x 1e 0. UNION a: : IN NOT EXISTS % %41"
PIECES = [piece for text in CORPUS for piece in tokenize(text).texts if piece] + [*SIGNS, *WORDS.split()]


def assert_well_formed(error):
    assert error.line >= 1
    assert error.column >= 1
    str(error).encode("utf-8")


def check(text):
    try:
        query = parse(text, operators=OPERATORS)
    except SparqlishError as error:
        assert_well_formed(error)
        return False
    assert isinstance(query, Query)
    assert parse(print_query(query), operators=OPERATORS) == query
    return True


def mutated(text, chance):
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(text) + 1)
        end = min(len(text), at + chance.randint(0, 6))
        kind = chance.randrange(5)
        if kind == 0:
            text = text[:at] + text[end:]
        elif kind == 1:
            text = text[:at] + chance.choice(PIECES) + text[at:]
        elif kind == 2:
            text = text[:at] + chance.choice(PIECES) + text[end:]
        elif kind == 3:
            text = text[:at] + text[at:end] * chance.randint(2, 5) + text[end:]
        else:
            other = chance.choice(CORPUS)
            cut = chance.randrange(len(other))
            text = text[:at] + other[cut : cut + chance.randint(1, 40)] + text[end:]
    return text


def shuffled_tokens(text, chance):
    pieces = tokenize(text).texts[:-1]
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(pieces))
        if chance.random() < 0.5:
            pieces[at] = chance.choice(PIECES)
        else:
            other = chance.randrange(len(pieces))
            pieces[at], pieces[other] = pieces[other], pieces[at]
    return " ".join(pieces)


def test_the_texts_that_are_mutated_parse_or_fail_as_expected():
    assert [check(text) for text in CORPUS] == [True] * 7 + [False] * 2


@pytest.mark.parametrize("mutate", [mutated, shuffled_tokens])
def test_mutated_texts(mutate):
    chance = random.Random(SEED)
    parsed = sum(check(mutate(chance.choice(CORPUS), chance)) for _ in range(TEXTS))
    # A mutation that nothing survives, or that changes nothing, tests nothing.
    assert 0.02 * TEXTS < parsed < 0.9 * TEXTS


def test_random_sequences_of_pieces():
    chance = random.Random(SEED)
    for _ in range(TEXTS):
        check("ASK { " + chance.choice(["", " "]).join(chance.choices(PIECES, k=chance.randint(1, 25))))


def test_every_beginning_of_every_text():
    for text in CORPUS:
        for end in range(len(text)):
            check(text[:end])
