"""Subscriptions to words in titles: workload i, and its variants.

A title is a real one with the words of two topics after it. A topic is six made-up words, of which a title has five.
There are more topics where there are more subscriptions, so a title matches about as many of a hundred thousand as of a
thousand, and the different words are more than the subscriptions.

| workload     | a subscription tests the title for                                                              |
|--------------|-------------------------------------------------------------------------------------------------|
| `i`          | one to three words of a topic, or two words of a real title and one of a topic, by CONTAINS       |
| `i-contains` | one word of a topic, by CONTAINS                                                                |
| `i-regex`    | the same word between spaces, with an ending, by REGEX, which RE2 must verify                   |
| `i-mixed`    | a word by `words`, beside a subject of the item and is-a of its class                           |
| `i-graph`    | nothing; only the subject and the class                                                         |

Needles that come from real titles are words wherever they occur, so that a substring search and a search for words
find the same titles.
"""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from gtopss.experiments.workloads.class_hierarchy import SCHEMA, schema_org
from gtopss.experiments.workloads.workload import Workload, random_generator
from gtopss.model import Call, Publication, Subscription, Term, Triple
from gtopss.model.expressions import call, instance_of, words
from gtopss.model.terms import RDF_TYPE, XSD, iri, literal
from gtopss.sample_data import sample_data
from ontology import Taxonomy

TITLES_FILE = "uci-news-aggregator-slice.csv"
RSS, DC = "http://purl.org/rss/1.0/", "http://purl.org/dc/elements/1.1/"
TITLE, LINK, DESCRIPTION = (iri(RSS + name) for name in ("title", "link", "description"))
CREATOR, DATE, SUBJECT = (iri(DC + name) for name in ("creator", "date", "subject"))

WORDS_OF_TOPIC, WORDS_OF_TITLE, TOPICS_OF_TITLE = 6, 5, 2
VOCABULARY = 1.6  # made-up words for each subscription
SUBSCRIBERS_OF_SUBJECT = 20  # in the mixed workload
_CONSONANTS, _VOWELS = "bdfgklmnprstvwz", "aeiou"
_SYLLABLES = [consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS]
_WORD = re.compile(r"[a-z]{6,}")
_ENDS = frozenset(' ,;!?-()"')


@cache
def real_titles() -> tuple[str, ...]:
    """Return the titles of the shipped news."""
    with sample_data("news", TITLES_FILE).open(encoding="utf-8", newline="") as file:
        return tuple(row["TITLE"] for row in csv.DictReader(file) if row["TITLE"])


@cache
def real_words() -> frozenset[str]:
    """Return the words of real titles that are words wherever they occur: none is a part of another word."""
    text = "\n".join(real_titles()).lower()
    ends = _ENDS | {"\n"}
    spoiled, found = set[str](), set[str]()
    for match in _WORD.finditer(text):
        before, after = text[match.start() - 1 : match.start()] or "\n", text[match.end() : match.end() + 1] or "\n"
        (found if before in ends and after in ends else spoiled).add(match[0])
    longer = found | spoiled
    parts = {each[start:end] for each in longer for start in range(len(each)) for end in range(start + 6, len(each) + 1)
             if end - start < len(each)}  # fmt: skip
    return frozenset(found - spoiled - parts)


def made_up_word(number: int) -> str:
    """Return the word with a number: a q and four syllables, and so no part of another, nor of an English word."""
    syllables = []
    for _ in range(4):
        number, syllable = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[syllable])
    return "q" + "".join(syllables)


def keywords(size: int) -> Workload:
    """One to three needles each, by CONTAINS(LCASE(?title), ...)."""
    return _workload("i", "words in titles", size, _keyword_tests)


def titles_without_words(size: int) -> Workload:
    """No needle: what the memory of `keywords` is compared with."""
    return _workload("i-titles", "titles, without words", size, lambda size, chance: [])


def one_keyword(size: int) -> Workload:
    """One needle each, by CONTAINS: what `patterns` is compared with."""
    title = "one word each, by CONTAINS"
    return _workload("i-contains", title, size, lambda size, chance: [_contains(_one(size, chance))])


def patterns(size: int) -> Workload:
    """One regular expression each, with a literal inside, that finds what CONTAINS finds."""
    return _workload(
        "i-regex",
        "one word each, by REGEX",
        size,
        lambda size, chance: [call("REGEX", "?title", literal(f"(^| ){_one(size, chance)}(s|es|ed)?( |$)"))],
    )


def words_and_graph(size: int) -> Workload:
    """A subject, is-a of the item's class, and a word."""
    return _mixed("i-mixed", "a subject, is-a and a word", size, with_words=True)


def graph_without_words(size: int) -> Workload:
    """A subject and is-a of the item's class: what `words_and_graph` is compared with."""
    return _mixed("i-graph", "a subject and is-a, without words", size, with_words=False)


# --- subscriptions -------------------------------------------------------------------------------------------------


def _workload(name: str, title: str, size: int, tests: Callable[[int, random.Random], list[Call]]) -> Workload:
    def subscriptions() -> Iterator[Subscription]:
        chance = random_generator("i", size, "subscriptions")
        for number in range(size):
            yield Subscription(f"s{number}", [("?item", TITLE, "?title")], where=tests(size, chance))

    return Workload(name, title, size, subscriptions, lambda count: _publications(size, count), has_text=True)


def _contains(needle: str) -> Call:
    return call("CONTAINS", call("LCASE", "?title"), literal(needle))


def _topics(size: int) -> int:
    return max(TOPICS_OF_TITLE, int(VOCABULARY * size) // WORDS_OF_TOPIC)


def _topic_words(topic: int) -> list[str]:
    return [made_up_word(WORDS_OF_TOPIC * topic + place) for place in range(WORDS_OF_TOPIC)]


def _one(size: int, chance: random.Random) -> str:
    return chance.choice(_topic_words(chance.randrange(_topics(size))))


def _keyword_tests(size: int, chance: random.Random) -> list[Call]:
    kind = chance.random()
    topic = _topic_words(chance.randrange(_topics(size)))
    if kind >= 0.85:
        known = real_words()
        real = sorted(set(_WORD.findall(chance.choice(real_titles()).lower())) & known)
        return [_contains(each) for each in [*chance.sample(real, min(2, len(real))), chance.choice(topic)]]
    count = 1 if kind < 0.25 else 2 if kind < 0.75 else 3
    return [_contains(each) for each in chance.sample(topic, count)]


def _mixed(name: str, title: str, size: int, *, with_words: bool) -> Workload:
    taxonomy = schema_org()
    leaves = _leaves(taxonomy)

    def subscriptions() -> Iterator[Subscription]:
        chance = random_generator("i-mixed", size, "subscriptions")
        for number in range(size):
            topic = chance.randrange(max(2, size // SUBSCRIBERS_OF_SUBJECT))
            above = sorted(taxonomy.superclasses(chance.choice(leaves)[1:-1]))
            cls = iri(chance.choice(above)) if above else chance.choice(leaves)
            tests = [instance_of("item", cls), words("title", chance.choice(_topic_words(topic)))]
            edges = [("?item", SUBJECT, _subject(topic)), ("?item", TITLE, "?title")]
            yield Subscription(f"s{number}", edges, where=tests if with_words else tests[:1])

    def publications(count: int) -> list[Publication]:
        return _publications(size, count, max(2, size // SUBSCRIBERS_OF_SUBJECT), leaves)

    return Workload(name, title, size, subscriptions, publications, taxonomy, has_text=True)


# --- publications --------------------------------------------------------------------------------------------------


@cache
def _leaves_of(version: int) -> tuple[Term, ...]:
    taxonomy = schema_org()
    classes = [iri(name) for name in sorted(taxonomy.classes) if name.startswith(SCHEMA)]
    return tuple(cls for cls in classes if not taxonomy.subclasses(cls[1:-1]))


def _leaves(taxonomy: Taxonomy) -> tuple[Term, ...]:
    return _leaves_of(taxonomy.version)


def _subject(topic: int) -> Term:
    return iri(f"http://example.org/subject/{topic}")


def _publications(
    size: int, count: int, topics: int | None = None, classes: Sequence[Term] = (iri(RSS + "item"),)
) -> list[Publication]:
    chance = random_generator("i", size, "publications")
    return [Publication.trusted(f"p{i}", _item(i, topics or _topics(size), classes, chance)) for i in range(count)]


def _item(number: int, topics: int, classes: Sequence[Term], chance: random.Random) -> list[Triple]:
    """Return an item of a feed, whose description is HTML."""
    chosen = chance.sample(range(topics), TOPICS_OF_TITLE)
    made_up = [word for topic in chosen for word in chance.sample(_topic_words(topic), WORDS_OF_TITLE)]
    titles = real_titles()
    title = " ".join([chance.choice(titles), *made_up])
    about = [chance.choice(titles) for _ in range(3)]
    item = iri(f"http://example.org/news/{number}")
    return [
        (item, RDF_TYPE, chance.choice(classes)),
        (item, TITLE, literal(title.title() if number % 2 else title)),
        (item, LINK, iri(f"http://example.org/read/{number}")),
        (item, DESCRIPTION, literal(f"<p>{about[0]}</p><p><b>{about[1]}</b> &amp; {about[2]}</p>")),
        (item, CREATOR, literal(f"Author {chance.randrange(1_000)}")),
        (item, DATE, literal(f"2014-03-{chance.randint(1, 28):02}", XSD + "date")),
        *((item, SUBJECT, _subject(topic)) for topic in chosen),
    ]
