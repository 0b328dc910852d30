"""Random and mutated texts: a query (that prints and parses to itself) or a `SparqlishError`, nothing else, and soon.

GTOPSS_SOAK=1 runs 100,000 texts of each kind.
"""

import os
import random
import time

import pytest
from support.parsing import parse

from sparqlish import Query, SparqlishError, print_query
from sparqlish.tokens import tokenize

SEED = 20050510
TEXTS = 100_000 if os.environ.get("GTOPSS_SOAK") == "1" else 1_500
MAX_CPU_SECONDS = 5.0
"""For one text. The longest texts that are allowed take a tenth of it."""
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
ATOMS = ("?x", "?y", ":a", "1", "-2.5", "3e4", "'t'", "'t'@en", "'t'^^xsd:date", "true", "<urn:b>", "()")
SIGNS = "{}()[].;,<>?$*/+-!=^|&@#_:\\\"'\n\r\t \0é日\ud800\u0301"
WORDS = "''' \"\"\" << \\u \\u0041 _:x 1e 0. UNION a: : IN NOT EXISTS % %41"
PIECES = [piece for text in CORPUS for piece in tokenize(text).texts if piece] + [*SIGNS, *WORDS.split()]


def assert_well_formed(error):
    assert error.line >= 1
    assert error.column >= 1
    str(error).encode("utf-8")


def check(text):
    started = time.process_time()
    try:
        return prints_and_parses_to_itself(text)
    except SparqlishError as error:
        assert_well_formed(error)
        return False
    finally:
        assert time.process_time() - started < MAX_CPU_SECONDS, text


def prints_and_parses_to_itself(text):
    query = parse(text, operators=OPERATORS)
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
    assert [check(text) for text in CORPUS] == [True] * 8 + [False]


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


# --- texts from the grammar, up to the limits and beyond ------------------------------------------------------------


def grown(chance):
    """A text that follows the grammar, often deep or long, with some mistakes."""
    size = chance.choice((1, 3, 10, 100, 500))
    elements = " ".join(element(chance, chance.choice((1, 3, 60))) for _ in range(size))
    head = chance.choice(("ASK", "SELECT *", "SELECT DISTINCT ?x ?y", "SELECT REDUCED ?x", "SELECT"))
    return f"PREFIX : <urn:{'a' * chance.choice((1, 1000))}> {head} {{ {elements} }}"


def element(chance, depth):
    match chance.randrange(7):
        case 0:
            return "{ " + (element(chance, depth - 1) if depth > 0 else "") + " }"
        case 1:
            arms = [element(chance, min(depth, 2) - 1) if depth > 0 else "" for _ in range(chance.choice((2, 3, 20)))]
            return " UNION ".join(f"{{ {arm} }}" for arm in arms)
        case 2:
            return f"FILTER({nested(chance, depth)})"
        case 3:
            return f"BIND({nested(chance, min(depth, 3))} AS ?v{chance.randrange(1000)})"
        case 4:
            return f"VALUES ?x {{ {' '.join(atom(chance) for _ in range(chance.choice((0, 2, 200))))} }}"
        case 5:
            return f"?x :p {'[ :p ' * depth}{atom(chance)}{' ]' * depth} ."
    objects = ", ".join(atom(chance) for _ in range(chance.choice((1, 2, 50))))
    subject, property = chance.choice(("?x", ":a", "_:b", "[]")), chance.choice(("a", ":p", "?p", "a/rdfs:subClassOf*"))
    return f"{subject} {property} {objects} ."


def nested(chance, depth):
    """An expression that is `depth` deep on one side, and any other on the other side."""
    text = atom(chance)
    for _ in range(depth):
        sign, other = chance.choice(("+", "*", "-", "/", "=", "<", "&&", "||", ">=", "!=")), atom(chance)
        text = chance.choice((
            f"({text} {sign} {other})", f"({other} {sign} {text})", f"{text} {sign} {other}", f"!({text})", f"-{text}",
            f"CONCAT({text}, {other})", f"{other} IN ({text}, {other})", f"IF({text}, {other}, {other})",
            f"isA({text}, :c)",
        ))  # fmt: skip
    return text


def atom(chance):
    return chance.choice(ATOMS)


def test_texts_from_the_grammar():
    chance = random.Random(SEED)
    texts = TEXTS // 20  # they are long
    parsed = sum(check(grown(chance)) for _ in range(texts))
    assert 0.02 * texts < parsed < 0.9 * texts
    assert all(check(mutated(grown(chance), chance)) in (True, False) for _ in range(texts))
