"""Subscribe without SPARQL: one line of words, topics, authors and dates."""

from pathlib import Path

from gtopss import Engine, GtopssError
from gtopss.reading.documents import read_document
from gtopss.short_form import ShortForm, to_query

DATA = Path(__file__).parent.parent / "data"
TOPICS = DATA / "ontologies" / "iptc-mediatopics-en-GB.ttl"

engine = Engine(taxonomy=TOPICS, matcher="naive")
labels = engine.taxonomy.labels
for line in ("drugs = topic:health (marijuana OR painkillers) -title:buzz", 'fed = "interest rates" OR bernanke'):
    short = ShortForm.read(line)
    engine.add(short.query(lambda: labels), id=short.id)
for item in read_document((DATA / "news" / "news.nq").read_bytes(), source="news.nq").publications:
    for match in engine.match(item):
        title = next(o for _, p, o in item.triples if p == "<http://purl.org/rss/1.0/title>")
        print(f"{match.subscription_id}: {title}")
print(to_query("author:jacobsen -words:sponsored after:2026-01-01"))
try:
    ShortForm.read("topic:helth").query(lambda: labels)
except GtopssError as error:
    print(error)
