from __future__ import annotations

import warnings

import pytest
from support.feed_samples import rss

from gtopss import Engine
from gtopss.reading.documents import read_document
from gtopss.short_form import FIELDS, to_query
from ontology import Axioms, Taxonomy
from ontology.labels import LABEL_PROPERTIES, Labels
from sparqlish.errors import SparqlishError

HEALTH, VACCINE, OTHER = "http://t.example/health", "http://t.example/vaccine", "http://t.example/wellbeing"
PREFERRED, *_, ALTERNATIVE, _HIDDEN = LABEL_PROPERTIES
TAXONOMY = Taxonomy.from_axioms(
    Axioms(
        subclasses=((VACCINE, HEALTH),),
        labels=(
            (HEALTH, PREFERRED, "health", "en"),
            (HEALTH, PREFERRED, "Gesundheit", "de"),
            (VACCINE, PREFERRED, "vaccine", "en"),
            (OTHER, PREFERRED, "well-being", "en"),
            (OTHER, ALTERNATIVE, "health", "en"),
            (OTHER, ALTERNATIVE, "double", "en"),
            (VACCINE, ALTERNATIVE, "double", "en"),
        ),
    )
)
LABELS = TAXONOMY.labels
ITEMS = {
    "plain": "<title>Open source in space</title>",
    "sponsored": "<title>Open source</title><description>&lt;p>Sponsored&lt;/p> text</description>",
    "jab": "<title>A jab</title><category domain='http://t.example/'>vaccine</category><author>a@b.example (Ann "
    "Jacobsen)</author>",
    "category": "<title>Stay well</title><category>Health</category><pubDate>Wed, 14 Jan 2026 09:00:00 GMT</pubDate>",
    "label": "<title>Jabs</title><category> VACCINE </category>",
    "old": "<title>Open closed</title><pubDate>Sat, 10 Jan 2004 09:00:00 GMT</pubDate>",
}
FEEDS = {
    "BBC News": ("plain", "jab"),
    "The Times": ("sponsored", "category", "label", "old"),
}


@pytest.fixture(scope="module")
def publications() -> list[tuple[str, object]]:
    made: list[tuple[str, object]] = []
    for title, names in FEEDS.items():
        items = "".join(f"<item><guid>urn:{name}</guid>{ITEMS[name]}</item>" for name in names)
        feed = rss(items, f"<title>{title}</title><link>http://{title[:3].strip()}.example/</link>")
        made += [(each.id.removeprefix("urn:"), each) for each in read_document(feed).publications]
    return made


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("open", "plain sponsored old"),
        ('"open source"', "plain sponsored"),
        ('"source open"', ""),
        ("sponsored", "sponsored"),
        ("title:sponsored", ""),
        ('words:"open source" -words:sponsored', "plain"),
        ("-sponsored", "plain jab category label old"),
        ("space OR jab", "plain jab"),
        ("open -(space OR sponsored)", "old"),
        ("-(open source)", "jab category label old"),
        ("author:jacobsen", "jab"),
        ("-author:jacobsen", "plain sponsored category label old"),
        ("source:bbc", "plain jab"),
        ("-source:bbc", "sponsored category label old"),
        ("source:<http://BBC.example/>", "plain jab"),
        ("-source:<http://BBC.example/>", "sponsored category label old"),
        ("topic:health", "jab category label"),
        ("topic:GESUNDHEIT", "jab category label"),
        (f"topic:<{HEALTH}>", "jab category label"),
        (f"-topic:<{HEALTH}>", "plain sponsored old"),
        ("-topic:health", "plain sponsored old"),
        ("topic:vaccine", "jab label"),
        ("-topic:vaccine", "plain sponsored category old"),
        ("category:health", "category"),
        ("-category:health", "plain sponsored jab label old"),
        ("after:2026-01-01", "category"),
        ("before:2026", "old"),
        ("-before:2026", "category"),
        ("-after:2026", "old"),
        ("-language:fr", ""),
        ("after:2004-01-10 before:2004-01-11", "old"),
        ("after:2004-1-11", "category"),
        ("-open (jab OR -topic:health)", "jab"),
        ("(open OR topic:(health OR vaccine)) source:times after:2026", "category"),
        ("spac*", "plain"),
        (r'"a \"b\" \\ c"', ""),
    ],
)
def test_what_it_finds(text: str, expected: str, publications: list[tuple[str, object]]) -> None:
    engine = Engine(matcher="naive", taxonomy=TAXONOMY)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        engine.add(to_query(text, lambda: LABELS), id="s")
    found = [name for name, each in publications if engine.match(each)]  # type: ignore[arg-type]
    assert sorted(found) == sorted(expected.split())


def test_a_topic_without_an_ontology_is_a_category() -> None:
    assert to_query("topic:health") == to_query("category:health")


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("a topic:helth", f"did you mean <{HEALTH}> (health)", 9),
        ("topic:football", "`gtopss terms` finds topics. For a category", 7),
        ("topic:double", f"label of 2 topics: write topic:<IRI> with one of <{VACCINE}> (vaccine), <{OTHER}>", 7),
        ("after:tomorrow", "is not a day", 7),
        ("before:2026-02-30", "is not a day", 8),
        ("after:٢٠٢٦-99", "is not a day", 7),
        ("language:klingonisch!", "is not a language", 10),
        ("title:<urn:a>", "takes words, not an IRI", 7),
    ],
)
def test_a_mistake_has_its_place(text: str, message: str, column: int) -> None:
    with pytest.raises(SparqlishError) as error:
        to_query(text, lambda: LABELS)
    assert message in str(error.value)
    assert error.value.column == column


def test_labels_are_loaded_only_for_topics() -> None:
    def fail() -> Labels:
        raise AssertionError

    to_query("words:a -author:b after:2026 category:c source:d language:en title:e", fail)
    assert set(FIELDS) == {"words", "author", "after", "before", "category", "source", "language", "title", "topic"}
