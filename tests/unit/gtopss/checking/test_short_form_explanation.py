from __future__ import annotations

import pytest
from support.feed_samples import rss

from gtopss import Engine
from gtopss.checking.short_form_explanation import ShortFormExplainer
from gtopss.model import Publication
from gtopss.model.terms import RDF_TYPE
from gtopss.reading.documents import read_document, read_publications
from gtopss.short_form import ShortForm
from ontology import Axioms, Taxonomy
from ontology.labels import LABEL_PROPERTIES
from sparqlish import PREFIXES

HEALTH = "http://t.example/health"
TAXONOMY = Taxonomy.from_axioms(Axioms(labels=((HEALTH, LABEL_PROPERTIES[0], "health", "en"),)))
ITEM = "<item><guid>urn:i</guid><title>Star City</title><pubDate>Tue, 03 Jun 2003 09:39:21 GMT</pubDate></item>"
FEED = rss(ITEM, "<title>Liftoff News</title><language>en-us</language>")


def explained(text: str, data: bytes = FEED) -> str:
    (publication,) = read_publications(data)
    engine = Engine(taxonomy=TAXONOMY, matcher="naive")
    short = ShortForm.read(f"q = {text}")
    engine.add(short.query(lambda: TAXONOMY.labels), id="q")
    explainer = ShortFormExplainer(engine, {"q": short}, lambda: TAXONOMY.labels, PREFIXES)
    return explainer.text(publication, engine.explain(publication, "q"))


def test_each_condition_has_a_mark_and_a_reason() -> None:
    assert explained("star -author:bot -city source:liftoff").splitlines() == [
        "q does not match urn:i:",
        '  ✔ star             the words "star" found: «Star» City',
        '  ✔ -author:bot      the words "bot" not found: there is no text',
        '  ✘ -city            the words "city" found: Star «City»',
        '  ✔ source:liftoff   the words "liftoff" found: «Liftoff» News',
    ]


def test_alternatives_are_indented() -> None:
    assert explained('linux OR (title:"star city" after:2003) OR NOT (city before:2003)').splitlines() == [
        "q matches urn:i:",
        "  ✔ one of",
        '    ✘ linux               the words "linux" not found in "Star City"',
        "    ✔ all of",
        '      ✔ title:"star city"   the words "star city" found: «Star City»',
        '      ✔ after:2003          the date is "2003-06-03T09:39:21Z"',
        "    ✔ one of",
        '      ✘ -city               the words "city" found: Star «City»',
        '      ✔ -before:2003        the date is "2003-06-03T09:39:21Z"',
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("language:fr", '✘ language:fr   the language is "en-us"'),
        ("-language:fr", '✔ -language:fr   the language is "en-us"'),
        ("author:jim", "✘ author:jim   there is no author"),
        ("topic:health", "✘ topic:health   there is no category"),
        ("-topic:health", '✔ -topic:health   the words "health" not found: there is no text'),
        ("-after:2000", '✘ -after:2000   the date is "2003-06-03T09:39:21Z"'),
        ("source:<urn:x>", "✘ source:<urn:x>"),
    ],
)
def test_the_words_of_the_short_form_are_used(text: str, line: str) -> None:
    shown = explained(text)
    assert line in shown
    assert not any(word in shown for word in ("WORDS", "HAS", "has(", "words(", "labelled", "?"))


def test_an_item_without_a_date_says_so() -> None:
    undated = rss("<item><guid>urn:i</guid><title>x</title></item>")
    assert "✘ after:2000   there is no date" in explained("after:2000", undated)
    assert "✔ -after:2000   there is no date" in explained("-after:2000", undated)


def test_controls_in_a_condition_are_escaped() -> None:
    assert "\\u202E" in explained('"a\u202eb"')


def test_two_items_in_one_publication_are_left_to_the_query() -> None:
    item = "a <http://purl.org/rss/1.0/item> ; <http://purl.org/rss/1.0/title>"
    turtle = f'<urn:a> {item} "star" . <urn:b> {item} "city" .'.encode()
    assert len(read_document(turtle).publications) == 1
    assert 'words(?text1, "star")' in explained("star city", turtle)


def test_what_is_missing_is_one_line_and_nothing_if_no_condition_holds() -> None:
    (publication,) = read_publications(FEED)
    texts = ("star moon", "sun moon")
    engine = Engine(matcher="naive")
    short_forms = {text: ShortForm.read(text) for text in texts}
    for text, short in short_forms.items():
        engine.add(short.query(), id=text)
    engine.add("SELECT ?x { ?x a rss:item ; rss:titel ?t }", id="query")
    explainer = ShortFormExplainer(engine, short_forms, None, PREFIXES)
    found = {id: explainer.missing(publication, engine.explain(publication, id)) for id in (*texts, "query")}
    assert found == {
        "star moon": 'moon: the words "moon" not found in "Star City"',
        "sun moon": None,
        "query": "no triple matches ?x  rss:titel  ?t",
    }


@pytest.mark.parametrize(
    ("text", "is_near"),
    [("star moon", True), ("moon -linux", False), ("-star", True), ("moon OR (-linux sun)", False)],
)
def test_an_item_is_near_if_a_condition_without_a_minus_holds(text: str, is_near: bool) -> None:
    (publication,) = read_publications(FEED)
    engine = Engine(matcher="naive")
    short = ShortForm.read(f"q = {text}")
    engine.add(short.query(lambda: TAXONOMY.labels), id="q")
    explainer = ShortFormExplainer(engine, {"q": short}, lambda: TAXONOMY.labels, PREFIXES)
    assert (explainer.missing(publication, engine.explain(publication, "q")) is not None) is is_near


def test_a_topic_is_named_by_its_label_without_its_iri() -> None:
    taxonomy = Taxonomy(subclasses=[("http://t.example/20", "http://t.example/07")])
    for number, label in (("20", "vaccines"), ("07", "health")):
        taxonomy.add_label(f"http://t.example/{number}", label, "en")
    engine = Engine(taxonomy=taxonomy, matcher="naive")
    short = ShortForm.read("q = topic:health")
    engine.add(short.query(lambda: taxonomy.labels), id="q")
    item = Publication(
        "i",
        [
            ("<urn:i>", RDF_TYPE, "<http://purl.org/rss/1.0/item>"),
            ("<urn:i>", "<http://purl.org/dc/terms/subject>", "<http://t.example/20>"),
        ],
    )
    explainer = ShortFormExplainer(engine, {"q": short}, lambda: taxonomy.labels, PREFIXES)
    assert explainer.text(item, engine.explain(item, "q")).endswith('✔ topic:health   "vaccines" → "health"')
