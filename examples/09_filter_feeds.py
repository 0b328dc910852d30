"""Filter real feeds of several formats by subscriptions and write the matching items as one Atom feed."""

from datetime import UTC, datetime
from pathlib import Path

from gtopss import Engine
from gtopss.engine.subscription_files import read_subscriptions
from gtopss.feeds.entries import entry_of
from gtopss.feeds.writing import to_atom
from gtopss.reading.documents import read_document

DATA = Path(__file__).parent.parent / "data"

engine = Engine(taxonomy=DATA / "ontologies" / "iptc-mediatopics-en-GB.ttl")
engine.add_many(each for each in read_subscriptions(DATA / "subscriptions") if not isinstance(each, Exception))

found = []
for path in sorted((DATA / "feeds").iterdir()):
    feed = read_document(path.read_bytes(), source=path.name)
    hits = [each for each in feed.publications if engine.match(each, bindings=False)]
    print(f"{feed.kind:>6}  {path.name}: {len(hits)} of {len(feed.publications)} items")
    found.extend(hits)

print("first:", entry_of(found[0]).title)
print(len(to_atom(found, title="Filtered", now=datetime.now(UTC)).splitlines()), "lines of Atom")
