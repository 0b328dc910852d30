"""Subscriptions to words: as words, in any case and script, and in the text of HTML; and why they match."""

from gtopss import Engine, GtopssError, Publication
from gtopss.model.terms import literal

engine = Engine()
for name, needle in [("open source", "open source"), ("prefix", "open sour*"), ("Tokyo", "東京"), ("café", "CAFÉ")]:
    engine.add(f'SELECT ?title {{ ?item rss:title ?title FILTER words(?title, "{needle}") }}', id=name)
engine.add('SELECT ?item { ?item rss:description ?html FILTER words(?html, "AT&T") }', id="in HTML")

RSS = "http://purl.org/rss/1.0/"
ITEMS = [
    ("News from the Open-Source world", "<p>Nothing <b>else</b></p>"),
    ("They reopen sources", "<a href='https://at.t/'>a link</a>"),  # not these words; and markup is no words
    ("東京都の天気", ""),
    ("Le Cafe\u0301 des Arts", "<p><i>A</i>T&amp;T said</p>"),  # é as two characters
]
for number, (title, description) in enumerate(ITEMS):
    item = f"<urn:item:{number}>"
    triples = [(item, f"<{RSS}title>", literal(title)), (item, f"<{RSS}description>", literal(description))]
    for name in sorted(engine.match(Publication(item, triples)).subscription_ids):
        print(f"{name}: {title}")

# An explanation shows the words where they were found, or the text in which they were not.
news = Publication("news", [("<urn:item>", f"<{RSS}title>", literal("After years, a big Open-Source release"))])
for name in ("open source", "Tokyo"):
    print(engine.explain(news, name).text({"rss": RSS}))

try:
    engine.add('ASK { ?item rss:title ?title FILTER words(?title, "open* source") }', id="refused")
except GtopssError as error:
    print(error)
