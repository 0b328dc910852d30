"""Read the table of the UCI News Aggregator as publications with IPTC media topics.

The table gives each story one of four categories. If the headline contains the name of a topic, the item gets that
topic too, so that is-a constraints have a hierarchy to use: "Film" is a topic two levels below "arts, culture,
entertainment and media".
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice

from gtopss.feeds.iris import absolute_iri
from gtopss.feeds.namespaces import DC, DCTERMS
from gtopss.feeds.vocabulary import DATE, ITEM, LINK, TITLE, TOPIC
from gtopss.model import Publication
from gtopss.model.terms import RDF_TYPE, XSD, Term, Triple, iri, literal

MEDIA_TOPICS = "http://cv.iptc.org/newscodes/mediatopic/"
CATEGORY_TOPICS = {"b": "04000000", "t": "13000000", "e": "01000000", "m": "07000000"}
"""The media topics of business, science and technology, entertainment, and health."""
PUBLISHER, STORY = Term(f"<{DC}publisher>"), Term(f"<{DCTERMS}relation>")


def read_news(data: bytes, topics: Mapping[str, str], *, every: int = 1) -> Iterator[Publication]:
    """Yield every `every`-th row as a publication. `topics` maps names of topics, in lower case, to their IRIs."""
    rows = csv.DictReader(io.StringIO(data.decode("utf-8")))
    for row in islice(rows, 0, None, every):
        if row["CATEGORY"] not in CATEGORY_TOPICS or not (row["TIMESTAMP"] or "").isdigit():
            continue  # the slice ends in the middle of a row
        when = datetime.fromtimestamp(int(row["TIMESTAMP"]) / 1000, UTC)
        subject = iri(f"urn:uci-news:{row['ID']}")
        link = absolute_iri(row["URL"].replace("\\", ""), None)
        triples = [
            (subject, RDF_TYPE, ITEM),
            (subject, TITLE, literal(row["TITLE"])),
            (subject, PUBLISHER, literal(row["PUBLISHER"])),
            (subject, DATE, literal(when.strftime("%Y-%m-%dT%H:%M:%SZ"), XSD + "dateTime")),
            (subject, STORY, iri(f"urn:uci-news:story:{row['STORY']}")),
            *((subject, TOPIC, iri(topic)) for topic in _topics(row["TITLE"], row["CATEGORY"], topics)),
        ]
        if link is not None:
            triples.append((subject, LINK, iri(link)))
        yield Publication.trusted(f"urn:uci-news:{row['ID']}", triples, source="UCI News Aggregator", published_at=when)


def _topics(title: str, category: str, topics: Mapping[str, str]) -> Iterator[str]:
    found = {MEDIA_TOPICS + CATEGORY_TOPICS[category]: None}
    words = re.findall(r"[a-z]+", title.lower())
    for size in (1, 2):
        for start in range(len(words) - size + 1):
            name = " ".join(words[start : start + size])
            if name in topics:
                found[topics[name]] = None
    yield from found


def topic_names(triples: Iterable[Triple]) -> dict[str, str]:
    """Return the preferred names of one or two words in a SKOS vocabulary, in lower case, with their IRIs."""
    label = "<http://www.w3.org/2004/02/skos/core#prefLabel>"
    names = {}
    for subject, property, object_ in triples:
        if property == label and subject.startswith(f"<{MEDIA_TOPICS}"):
            name = object_[1 : object_.rindex('"')].lower()
            if re.fullmatch(r"[a-z]+(?: [a-z]+)?", name):
                names[name] = subject[1:-1]
    return names
