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


LANGUAGES = {
    "silent": "<title>one</title>",
    "french": "<title>two</title><dc:language>fr-CA</dc:language>",
}
EVERYTHING = {"silent", "french", "silent of dutch", "french of dutch", "bare"}
TRIPLE = "<urn:bare> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://purl.org/rss/1.0/item> ."


def _read(title: str, items: dict[str, str], more: str = "") -> list[tuple[str, object]]:
    written = "".join(f"<item><guid>urn:{name}</guid>{item}</item>" for name, item in items.items())
    feed = rss(written, f"<title>{title}</title><link>http://{title[:3].strip()}.example/</link>{more}")
    return [(each.id.removeprefix("urn:"), each) for each in read_document(feed).publications]


@pytest.fixture(scope="module")
def publications() -> list[tuple[str, object]]:
    return [each for title, names in FEEDS.items() for each in _read(title, {name: ITEMS[name] for name in names})]


@pytest.fixture(scope="module")
def publications_with_languages() -> list[tuple[str, object]]:
    """The items of a feed that says its language and of one that does not, and one without a feed."""
    dutch = [(f"{name} of dutch", each) for name, each in _read("Dutch", LANGUAGES, "<language>nl</language>")]
    return [*_read("Any", LANGUAGES), *dutch, ("bare", read_document(TRIPLE.encode()).publications[0])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("language:fr", {"french", "french of dutch"}),
        ("language:nl", {"silent of dutch"}),
        ("-language:nl", {"silent", "french", "french of dutch", "bare"}),
        ("-language:fr", {"silent", "silent of dutch", "bare"}),
        ("-language:ca", EVERYTHING),
        ("-(language:fr OR language:nl)", {"silent", "bare"}),
        ("-language:fr -language:nl -source:dutch -after:2000", {"silent", "bare"}),
        ("-language:fr OR two", EVERYTHING),
        ("-source:dutch", {"silent", "french", "bare"}),
        ("-source:<http://Dut.example/>", {"silent", "french", "bare"}),
        (" ".join(f"-language:{a}{b}" for a in "abcde" for b in "xyzvw"), EVERYTHING),
    ],
)
def test_what_an_item_does_not_say_is_not_what_is_unwanted(
    text: str, expected: set[str], publications_with_languages: list[tuple[str, object]]
) -> None:
    engine = Engine(matcher="naive")
    engine.add(to_query(text), id="s")
    assert {name for name, each in publications_with_languages if engine.match(each)} == expected  # type: ignore[arg-type]


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
        ("-before:2026", "plain sponsored jab category label"),
        ("-after:2026", "plain sponsored jab label old"),
        ("-before:2004 -after:2026", "plain sponsored jab label old"),
        ("-language:fr", "plain sponsored jab category label old"),
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
        ("a *", "words takes a * only at the end", 3),
        ('"econom* x"', "words takes a * only at the end", 1),
        ("# foo", "there is none in '#'", 1),
        ("a -source:!", "there is none in '!'", 11),
        ('topic:"..."', "the ontology has no topic", 7),
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
