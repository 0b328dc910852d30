"""Match four feeds in three formats. Items of every format have the same vocabulary (docs/feeds.md)."""

from pathlib import Path

from gtopss import Engine
from gtopss.reading.documents import read_document

FEEDS = Path(__file__).parent.parent / "data" / "feeds"
PREFIXES = """
PREFIX rss: <http://purl.org/rss/1.0/>
PREFIX dc: <http://purl.org/dc/elements/1.1/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX cap: <urn:oasis:names:tc:emergency:cap:1.1>
PREFIX georss: <http://www.georss.org/georss>
"""

engine = Engine()
engine.add(
    PREFIXES + 'SELECT ?title WHERE { ?item a rss:item ; rss:title ?title . FILTER words(?title, "TFS") }',
    id="TFS",
)
engine.add(
    PREFIXES
    + """SELECT ?title ?when WHERE { ?item rss:title ?title ; dc:date ?when .
         FILTER (?when < "2003-06-01T00:00:00Z"^^xsd:dateTime) }""",
    id="before June 2003",
)
engine.add(
    PREFIXES + 'SELECT ?event ?until WHERE { ?alert cap:event ?event ; cap:severity "Minor" ; cap:expires ?until }',
    id="minor alerts",
)
engine.add(
    PREFIXES
    + """SELECT ?title ?height WHERE { ?quake rss:title ?title ; georss:elev ?height .
         FILTER (xsd:decimal(?height) < -50000) }""",
    id="deep earthquakes",
)

found = set()
for name in ("woodwardweb.rss10.rdf", "nasa-liftoff.rss20.xml", "nws-cap-alerts.atom", "usgs-earthquakes.atom"):
    feed = read_document((FEEDS / name).read_bytes(), source=name)
    print(f"{name}: {feed.kind}, {len(feed.publications)} items")
    for publication in feed.publications:
        for match in engine.match(publication):
            found.add(match.subscription_id)
            for row in match.bindings:
                print(f"  {match.subscription_id}: " + ", ".join(str(value) for value in row.values()))

assert {"TFS", "before June 2003", "minor alerts"} <= found
