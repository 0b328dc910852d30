"""Match plain-text categories with the classes of an ontology, by their labels; and why they match."""

from pathlib import Path

from gtopss import Engine
from gtopss.reading.documents import read_document

TOPICS = Path(__file__).parent.parent / "data" / "ontologies" / "iptc-mediatopics-en-GB.ttl"
DC = "http://purl.org/dc/elements/1.1/"
MEDTOP = "http://cv.iptc.org/newscodes/mediatopic/"
FEED = b"""<rss version="2.0"><channel><title>News</title>
  <item><title>A shot in the arm</title><category>Vaccine</category></item>
  <item><title>Ten days of rest</title><category> HEALTH </category></item>
  <item><title>Zwei Impfungen</title><category>Impfstoff</category></item>
  <item><title>Extra time</title><category>Soccer</category></item>
</channel></rss>"""

engine = Engine(taxonomy=TOPICS)
engine.add(
    f"""
    PREFIX medtop: <{MEDTOP}>
    SELECT ?title ?category WHERE {{
        ?item rss:title ?title ; dc:subject ?category FILTER labelled(?category, medtop:07000000)
    }}""",
    id="health",
)
items = read_document(FEED, source="news.rss").publications


def show() -> None:
    for item in items:
        for match in engine.match(item):
            print(match.subscription_id, *(str(match.bindings[0][name]) for name in ("title", "category")), sep=" | ")


show()

# The ontology is in English. Another label counts from the next item on.
(vaccine,) = engine.taxonomy.labelled("vaccine", f"{MEDTOP}07000000")
engine.taxonomy.add_label(vaccine, "Impfstoff", "de")
print("affected:", *engine.affected_by_taxonomy())
show()

for item in (items[2], items[3]):
    print(engine.explain(item, "health").text({"medtop": MEDTOP, "rss": "http://purl.org/rss/1.0/", "dc": DC}))
