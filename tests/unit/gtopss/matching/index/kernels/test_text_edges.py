"""Text constraints as edges: what is searched, what is found, and what it may cost."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.answers import answers, ask_directly

from gtopss import Engine, Publication
from gtopss.errors import NeverMatches
from gtopss.language import subscription_from_text
from gtopss.matching.index.encode import OVER_WORK, encode_batch
from gtopss.matching.index.matcher import IndexMatcher
from gtopss.model.terms import Term, literal
from ontology import Taxonomy

TITLE, TEXT = "<urn:title>", "<urn:text>"


def compare(filters: Sequence[str], publication: Publication, pattern: str = f"?x {TITLE} ?t") -> set[str]:
    """Return the filters that match, each by its own subscription, as naive answers it too."""
    subscriptions = [
        subscription_from_text(f"SELECT * {{ {pattern} FILTER({each}) }}", id=each) for each in dict.fromkeys(filters)
    ]
    expected = ask_directly("naive", Taxonomy(), subscriptions, publication)
    engine = Engine(allow_cartesian=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NeverMatches)
        for each in subscriptions:
            engine.add(each)
    assert answers(engine.match(publication)) == expected
    assert answers(engine.match(publication)) == expected  # from segments now, if the first was from the buffer
    return set(expected)


def item(*titles: str, text: str = "") -> Publication:
    """A publication with these titles, and a text."""
    triples = [("<urn:item>", TITLE, Term(each) if each[0] in '"<_' else literal(each)) for each in titles]
    return Publication("p", [*triples, ("<urn:item>", TEXT, literal(text))])


def matching(filters: Sequence[str], publication: Publication, pattern: str = f"?x {TITLE} ?t") -> list[bool]:
    found = compare(filters, publication, pattern)
    return [each in found for each in filters]


def test_escapes_are_no_letters() -> None:
    filters = [r'CONTAINS(?t, "n")', r'CONTAINS(?t, "\n")', r'CONTAINS(?t, "\\")', r'CONTAINS(?t, "\"")']
    assert matching(filters, item(r'"a\tb"')) == [False, False, False, False]
    assert matching(filters, item(r'"a\nb"')) == [False, True, False, False]
    assert matching(filters, item(r'"a\\nb"')) == [True, False, True, False]
    assert matching(filters, item(r'"\""')) == [False, False, False, True]
    engine = Engine()
    for each in filters:
        engine.add(f"SELECT ?t {{ ?x {TITLE} ?t FILTER({each}) }}", id=each)
    for written, expected in [
        (r"\n", {filters[1]}), (r"\u006E", {filters[0]}), (r"\U0000006E", {filters[0]}), (r"\u000A", {filters[1]}),
        (r"\\n", {filters[0], filters[2]}), (r"\u005Cn", {filters[0], filters[2]}), (r"\u0022", {filters[3]}),
        (r"\t\b\f\'\r", set()),
    ]:  # fmt: skip
        line = f'<urn:x> {TITLE} "a{written}b" .\n'
        for data in (line, line.encode()):
            assert set(engine.match(data, "nt").subscription_ids) == expected, written


@pytest.mark.parametrize(
    "character", ["a", "é", "ß", "Ж", "ए", "日", "한", "\uffee", "👍", "𠀀", "\U0003fffd", "\U0010fffd"]
)
def test_characters_of_all_planes(character: str) -> None:
    before, after = chr(ord(character) - 1), chr(ord(character) + 1)
    filters = [
        f'{function}({mapped}, "{needle}")'
        for function in ("CONTAINS", "STRSTARTS", "STRENDS")
        for mapped in ("?t", "STR(?t)", "LCASE(?t)", "UCASE(?t)")
        for needle in (character, before, after, character * 2, f"{character}\u0301", f"x{character}")
    ]
    titles = [character, f"x{character}", f"{character}x", f"{character}\u0301", before, after]
    assert compare(filters, item(*titles, f'"\\U{ord(character):08X}"'))
    assert compare([f'CONTAINS(?t, "{character}")'], item(f'"\\U{ord(character):08X}y"'))


def test_without_str_only_strings_count() -> None:
    filters = ['CONTAINS(?t, "a")', 'CONTAINS(STR(?t), "a")', 'STRSTARTS(LCASE(STR(?t)), "urn:a")']
    assert matching(filters, item('"a"')) == [True, True, False]
    assert matching(filters, item('"a"@en')) == [True, True, False]
    assert matching(filters, item('"a"^^<http://www.w3.org/2001/XMLSchema#string>')) == [True, True, False]
    assert matching(filters, item('"a"^^<urn:type>')) == [False, True, False]
    assert matching(filters, item("<urn:A>")) == [False, False, True]
    assert matching(filters, item("_:urn:a".replace("urn:", ""))) == [False, False, False]
    assert matching(filters, item('"x"^^<urn:a>', '"x"@a')) == [False, False, False]


def test_the_language_of_a_needle() -> None:
    filters = [
        'CONTAINS(?t, "x"@en)', 'STRSTARTS(?t, "x"@EN)', 'STRENDS(LCASE(?t), "x"@en)', 'CONTAINS(STR(?t), "x")',
        'LCASE(?t) = "x"@en', 'LCASE(?t) = "x"', '?t = "x"@en', 'UCASE(?t) IN ("X"@en, "Y")', '?t = "x"',
    ]  # fmt: skip
    for title in ('"x"', '"x"@en', '"x"@EN', '"x"@de', '"X"@en', '"x"@en-gb', '"y"', '"y"@en', '"yx"@en', "<urn:x>"):
        compare(filters, item(title))
    assert matching(filters[:2], item('"x"@en', '"x"@de')) == [True, True]
    assert matching(filters[:2], item('"x"', '"x"@de', '"x"@en-gb')) == [False, False]


def test_a_constant_in_another_datatype_of_strings() -> None:
    typed = '"x"^^<http://www.w3.org/2001/XMLSchema#string>'
    for each in (f"CONTAINS(?t, {typed})", f"?t = {typed}", f"?t IN ({typed}, 5)", f"sameTerm(?t, {typed})"):
        assert matching([each], item('"x"')) == [True]
        assert matching([each], item('"x"@en')) == [each.startswith("CONTAINS")]


def test_case_mappings_that_change_the_length() -> None:
    words = [
        "ß",
        "ẞ",
        "SS",
        "ss",
        "ı",
        "I",
        "i",
        "İ",
        "i\u0307",
        "Σ",
        "σ",
        "ς",
        "ΟΔΟΣ",
        "οδος",
        "οδοσ",
        "ﬁ",
        "FI",
        "ŉ",
        "K",
    ]
    filters = [
        f'{mapping}(?t) = "{change(word)}"'
        for mapping, change in (("LCASE", str.lower), ("UCASE", str.upper))
        for word in words
    ]
    filters += [each.replace("(?t) = ", "(STR(?t)) = ") for each in filters]
    filters += [f"CONTAINS({each.replace(' = ', ', ')})" for each in filters]
    for word in words:
        assert compare(filters, item(word, f"a{word}"))


def test_in_over_all_kinds_of_constants() -> None:
    members = ["<urn:a>", '"a"', '"a"@en', '"A"', "5", "5.0", "true", '"5"', '"2020-01-01"^^xsd:date', '"x"^^<urn:t>']
    filters = [f"?t IN ({', '.join(members[begin:end])})" for begin in range(0, 10, 3) for end in range(begin + 1, 11)]
    filters += [each.replace("?t", "STR(?t)", 1) for each in filters]
    filters += [f"!({each})" for each in filters] + ["?t IN ()", '?t NOT IN ("a", "b")', '"a" IN (?t, "b")']
    titles = ["<urn:a>", '"a"', '"a"@en', '"5"^^<http://www.w3.org/2001/XMLSchema#integer>', '"x"^^<urn:t>', "_:b"]
    for title in titles:
        compare(filters, item(title))
    assert compare(filters, item(*titles))


def test_a_property_variable_binds_no_virtual_relation() -> None:
    filters = [
        'CONTAINS(?t, "flood")',
        'CONTAINS(?t, "flood") || STRSTARTS(LCASE(?t), "a")',
        'CONTAINS(?t, "flood") || CONTAINS(STR(?x), "item")',
        'words(?t, "flood")',
        '?t IN ("a flood", 5)',
    ]
    found = matching(filters, item("a flood", "b", text="flood"), "?x ?p ?t")
    assert found == [True] * 5
    assert matching(['CONTAINS(?t, "flood")'], item("a flood"), "?x ?p ?t . ?y ?q ?t") == [True]
    assert matching(['CONTAINS(STR(?p), "title")', 'CONTAINS(STR(?p), "contains")'], item("a"), "?x ?p ?t") == [
        True,
        False,
    ]


def test_a_disjunction_gives_each_solution_once() -> None:
    publication = item("ab", "abab", "a", "b", "c", text="ab")
    filters = [
        'CONTAINS(?t, "a") || CONTAINS(?t, "b")',
        'CONTAINS(?t, "a") || CONTAINS(LCASE(?t), "a") || CONTAINS(UCASE(?t), "A")',
        'CONTAINS(?t, "a") || CONTAINS(?t, "a")',
        '(CONTAINS(?t, "a") && CONTAINS(?t, "b")) || CONTAINS(?t, "c")',
        'CONTAINS(?t, "a") || CONTAINS(STR(?x), "item")',
        'LCASE(?t) = "ab" || CONTAINS(?t, "ab") || words(?t, "ab")',
        'CONTAINS(?t, "a") && (CONTAINS(?t, "b") || CONTAINS(?t, "c"))',
        '!CONTAINS(?t, "a") || CONTAINS(?t, "b")',
    ]
    assert len(compare(filters, publication)) == len(filters)
    both = ['CONTAINS(?t, "a") && CONTAINS(?u, "b")', 'CONTAINS(?t, "ab") || CONTAINS(?u, "b")', '?t = "a" || ?u = "b"']
    assert len(compare(both, publication, f"?x {TITLE} ?t ; {TITLE} ?u")) == 3
    assert len(compare(both, publication, f"?x {TITLE} ?t ; {TEXT} ?u")) == 3


def test_a_disjunction_of_many_conjunctions() -> None:
    pairs = [f'(CONTAINS(?t, "a{number} ") && CONTAINS(?t, "b{number} "))' for number in range(200)]
    engine = Engine()
    engine.add(f"SELECT ?t {{ ?x {TITLE} ?t FILTER({' || '.join(pairs)}) }}", id="pairs")
    assert engine.match(item("a7 b7 a8 ")).subscription_ids == ("pairs",)
    assert engine.match(item("a7 b8 ")).subscription_ids == ()


def test_constraints_on_subjects_and_on_variables_in_several_edges() -> None:
    linked = Publication(
        "p",
        [
            ("<urn:flood:1>", "<urn:next>", "<urn:flood:2>"), ("<urn:flood:2>", "<urn:next>", "<urn:dry:3>"),
            ("<urn:flood:1>", TITLE, '"x"'), ("<urn:dry:3>", "<urn:next>", "<urn:dry:3>"), ("_:b", "<urn:next>", "_:b"),
        ],
    )  # fmt: skip
    filters = [
        'CONTAINS(STR(?a), "flood")', 'CONTAINS(STR(?b), "flood")', 'STRENDS(STR(?b), "3")',
        'CONTAINS(STR(?a), "flood") && CONTAINS(STR(?b), "flood")', 'CONTAINS(STR(?a), "1") || CONTAINS(STR(?b), "3")',
        "?a IN (<urn:flood:1>, <urn:dry:3>)", 'CONTAINS(?a, "flood")',
    ]  # fmt: skip
    for pattern in (
        "?a <urn:next> ?b",
        "?a <urn:next> ?b . ?b <urn:next> ?c",
        "?a <urn:next> ?b . ?b ?p ?b",
        "?a ?b ?c",
    ):
        compare(filters, linked, pattern)
    assert matching(filters, linked, "?a <urn:next> ?b . ?a <urn:title> ?t") == [
        True,
        True,
        False,
        True,
        True,
        True,
        False,
    ]


def test_constraints_on_computed_values() -> None:
    pattern = f'?x {TITLE} ?t BIND(CONCAT(?t, "!") AS ?u)'
    filters = [
        'CONTAINS(?u, "d!")',
        'CONTAINS(?t, "d!")',
        'CONTAINS(?u, "d!") && CONTAINS(?t, "flood")',
        'words(?u, "flood")',
    ]
    filters += [
        'CONTAINS(?u, "zzz") || CONTAINS(?t, "flood")',
        'CONTAINS(?u, "d!") || CONTAINS(?t, "zzz")',
        'LCASE(?u) = "flood!"',
    ]
    assert matching(filters, item("flood"), pattern) == [True, False, True, True, True, True, True]


def test_a_subscription_without_edges() -> None:
    assert matching(['CONTAINS("flood", "oo")', 'CONTAINS("flood", "x")'], item("x"), "") == [True, False]


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 8, 99, 100, 101, 10_000])
def test_needles_of_many_lengths(length: int) -> None:
    needle = ("abcdefg日" * length)[:length]
    filters = [f'{each}, "{needle}")' for each in ("CONTAINS(?t", "STRSTARTS(?t", "STRENDS(?t", "CONTAINS(LCASE(?t)")]
    filters += [f'LCASE(?t) = "{needle}"', f'?t = "{needle}"', f'?t IN ("{needle}", "other")', f'STR(?t) = "{needle}"']
    other = needle[:-1] + "x"
    assert matching(filters, item(needle)) == [True] * 8
    assert matching(filters, item(other, f"{other}y")) == [False] * 8
    assert matching(filters, item(f"{needle}{other}")) == [True, True, False, True] + [False] * 4
    assert matching(filters, item(f"{other}{needle}")) == [True, False, True, True] + [False] * 4


# --- limits ---------------------------------------------------------------------------------------------------


def nested(count: int) -> Engine:
    engine = Engine()
    for length in range(1, count + 1):
        test = f'CONTAINS(?t, "{"a" * length}")'
        engine.add(f"SELECT ?t {{ ?x {TITLE} ?t FILTER({test}) }}", id=str(length))
    return engine


def test_nested_needles_reach_a_limit_by_name() -> None:
    """A thousand of them at each of ten million positions would be ten billion hits."""
    engine = nested(1_000)
    long = f'<urn:x> {TITLE} "{"a" * 10_000_000}" .\n'.encode()
    short = f'<urn:x> {TITLE} "{"a" * 1_000}" .\n'.encode()
    hostile, harmless = engine.match_many([long, short], "nt", bindings=False)
    assert hostile.limits_reached == ("publication_work_limit",)
    assert harmless.limits_reached == ()
    assert len(harmless.subscription_ids) == 1_000


def test_texts_after_the_limit_are_not_searched() -> None:
    """Otherwise each of them would still have the needles that it begins with, and hits would have no limit."""
    matcher = IndexMatcher(Taxonomy(), publication_work_limit=100_000)
    for length in range(1, 101):
        query = f'SELECT ?t {{ ?x {TITLE} ?t FILTER(CONTAINS(?t, "{"a" * length}")) }}'
        matcher.add(subscription_from_text(query, id=str(length)))
    texts = [f"{'a' * 100}{number}" for number in range(5_000)]
    one, many = (item(*texts[:count]) for count in (1, 5_000))
    encoding = matcher._writer.open_view(flush=True).encoding
    hits = len(encode_batch([one], encoding).batch.subject) - len(one.triples)
    assert hits == 100
    encoded = encode_batch([many], encoding)
    assert encoded.over_limit.tolist() == [OVER_WORK]
    assert len(encoded.batch.subject) - len(many.triples) < 10 * hits


def test_the_triples_that_texts_add_are_limited() -> None:
    engine = Engine(expansion_limit=50)
    for number in range(100, 200):
        engine.add(f'SELECT ?t {{ ?x {TITLE} ?t FILTER(CONTAINS(?t, "n{number}")) }}', id=str(number))
    few, many = (item(" ".join(f"n{number}" for number in range(100, end))) for end in (150, 151))
    over, under = engine.match_many([many, few])
    assert over.limits_reached == ("expansion_limit",)
    assert under.limits_reached == ()
    assert len(under.subscription_ids) == len(over.subscription_ids) == 50


HITS_WITHOUT_END = """
import resource
from gtopss import Engine
engine = Engine()
for length in range(1, 101):
    needle = "a" * length
    for number in range(10):
        engine.add(f'SELECT ?t {{ ?x <urn:p> ?t FILTER(CONTAINS(?t, "{needle}") || CONTAINS(?t, "{number}!")) }}')
engine.match(b'<urn:x> <urn:p> "b" .', "nt")
resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))
text = "a" * 120
data = "".join(f'<urn:x> <urn:p> "{number} {text}" .\\n' for number in range(40_000)).encode()
report = engine.match(data, "nt", bindings=False)
print(sorted(report.limits_reached))
"""


@pytest.mark.slow
def test_hits_without_end_take_little_memory() -> None:
    """A thousand texts in each of 40,000 terms: only as many are kept as may become triples."""
    done = subprocess.run(
        [sys.executable, "-c", HITS_WITHOUT_END], capture_output=True, text=True, check=False, timeout=600,
        cwd=Path(__file__).parents[6],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2_000:]
    assert "expansion_limit" in done.stdout
