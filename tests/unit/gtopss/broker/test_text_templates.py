from __future__ import annotations

import pytest

from gtopss.broker import text_templates
from gtopss.broker.text_templates import TextTemplates
from gtopss.errors import InvalidQuery
from gtopss.language import subscription_from_text
from gtopss.model import Subscription

SHAPES = [
    "SELECT * {{ ?x <urn:{0}> <urn:{1}> }}",
    "SELECT ?x {{ ?x <urn:{0}> ?y . ?y <urn:{1}> <urn:{0}> }}",
    "SELECT DISTINCT ?x {{ ?x <urn:p{0}> ?y FILTER isA(?y, <urn:{1}>) }}",
    'SELECT ?x {{ ?x rss:title ?t FILTER words(?t, "word{0} term{1}") }}',
    'SELECT ?x {{ ?x rss:title ?t FILTER(words(?t, "a{0}") || !words(?t, "b{1}")) }}',
    "SELECT * {{ {{ ?x <urn:{0}> ?y }} UNION {{ ?x <urn:{1}> ?y }} }}",
    "SELECT * {{ ?x <urn:{0}> ?y FILTER(?y IN (<urn:{1}>, <urn:c>)) }}",
    "SELECT * {{ ?x <urn:{0}> ?y BIND(<urn:{1}> AS ?z) }}",
    "ASK {{ <urn:{0}> <urn:{1}> <urn:{1}> }}",
    'SELECT * {{ ?x <urn:{0}> "text of <urn:{1}>" }} # <urn:{1}>',
    "SELECT * {{ ?x <urn:{0}> '{1}' FILTER(?x < 5) }}",
    "PREFIX a: <urn:{0}> SELECT * {{ ?x a:b <urn:{1}> }}",
    'SELECT * {{ ?x <urn:{0}> "5"^^<urn:{1}> }}',
    "SELECT * {{ ?x <urn:{0}>+ <urn:{1}> }}",
    "SELECT * {{ ?x <urn:{0}> ?y OPTIONAL {{ ?y <urn:{1}> ?z }} }}",
    "SELECT * {{ ?x <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:{0}> ; <urn:{1}> ?y }}",
    '# PREFIX \nSELECT * {{ ?x <urn:{0}> """long <urn:{1}>""" }}',
    "SELECT * {{ ?x <urn:{0}> <urn:{1}> . ?x <urn:{1}> <urn:{0}> }}",
    "SELECT * {{ ?x rss:title ?y ; <http://purl.org/rss/1.0/{0}> ?y ; <urn:{1}> ?z }}",
    "SELECT * {{ ?x ?p ?y VALUES ?p {{ rss:title <urn:{1}> }} VALUES ?p {{ <http://purl.org/rss/1.0/{0}> }} }}",
    "SELECT * {{ ?x <urn:{0}> ?y FILTER(<http://www.w3.org/2001/XMLSchema#integer>(?y) = 5) . ?y <urn:{1}> ?z }}",
]


CONSTANTS = ["ab", "cd", "ee", "ff", ("title", "a"), "ba", ("b", "title"), ("title", "title"), "xy"]


def parse(text: str, id: str) -> Subscription:
    return subscription_from_text(text, id)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_subscription_is_the_one_that_the_parser_makes(shape: str) -> None:
    templates = TextTemplates(parse)
    for number, values in enumerate(CONSTANTS):
        text = shape.format(*values)
        assert templates.subscription(text, f"s{number}") == parse(text, f"s{number}")


@pytest.mark.parametrize(
    "words", ["a\tb", "a\fb", "a\x7fb", "a\x01b", "a\u2028b", "a\x85b", "caf\xe9 \U0001d4b3", "a*"]
)
def test_odd_characters_of_words_become_the_term_that_the_parser_makes(words: str) -> None:
    text = 'SELECT ?t {{ ?x <urn:p> ?t FILTER words(?t, "{}") }}'
    templates = TextTemplates(parse)
    for number, each in enumerate(("one", "two", words)):
        assert templates.subscription(text.format(each), f"s{number}") == parse(text.format(each), f"s{number}")


@pytest.mark.parametrize("shape", SHAPES[:9])
def test_a_text_of_a_known_shape_is_not_parsed(shape: str) -> None:
    parsed: list[str] = []
    templates = TextTemplates(lambda text, id: parsed.append(text) or parse(text, id))  # type: ignore[func-returns-value]
    for number in range(10):
        templates.subscription(shape.format(f"a{number}", f"b{number}"), f"s{number}")
    assert len(parsed) == 2  # the first text, and its shape


def test_texts_that_repeat_constants_elsewhere_have_another_shape() -> None:
    shapes = {
        text_templates._shape_of(f"SELECT * {{ ?x <urn:{a}> <urn:{b}> }}").text  # type: ignore[union-attr]
        for a, b in (("a", "b"), ("c", "d"), ("a", "a"), ("b", "b"))
    }
    assert len(shapes) == 2


def test_a_text_that_is_wrong_is_refused_as_by_the_parser() -> None:
    templates = TextTemplates(parse)
    for _ in range(2):
        with pytest.raises(InvalidQuery):
            templates.subscription("SELECT * { ?x <urn:a> }", "s")


def test_a_limited_number_of_shapes_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_templates, "MAX_SHAPES", 3)
    templates = TextTemplates(parse)
    for number in range(5):
        text = f"SELECT * {{ ?x <urn:a> ?v{number} }}"
        assert templates.subscription(text, "s") == parse(text, "s")
    assert len(templates._known) == 3
