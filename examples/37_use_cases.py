"""Three use cases that the G-ToPSS paper names (section 1): avoiding traffic jams, exploring the neighbourhood, and
finding unknown media objects. Operators convert coordinates, measure distances, and look into pictures."""

from pathlib import Path

from rdflib import Literal, Namespace, URIRef

from gtopss import Engine, Publication
from gtopss.reading.documents import read_document

DATA = Path(__file__).parents[1] / "data"
URN, JAM = Namespace("urn:"), URIRef("urn:jam")
# My way to work as a region, in the coordinates of the city's survey: UTM zone 32, in metres.
MY_WAY = """<http://www.opengis.net/def/crs/EPSG/0/25832>
    POLYGON ((690900 5334500, 692900 5334500, 692900 5335300, 690900 5335300, 690900 5334500))"""

engine = Engine()
engine.add(
    f"""SELECT ?what {{ ?jam <urn:what> ?what ; <urn:east> ?x ; <urn:north> ?y
        FILTER(toWgs84(?x, ?y, "EPSG:25832", ?lat, ?long)) FILTER(inRegion(?lat, ?long, '''{MY_WAY}''')) }}""",
    id="a traffic jam on my way",
)
engine.add(
    """SELECT ?title ?km { ?item rss:title ?title ; <http://www.georss.org/georsspoint> ?point
       BIND(STRBEFORE(STR(?point), " ") AS ?lat) BIND(STRAFTER(STR(?point), " ") AS ?long)
       FILTER(distanceFrom(?lat, ?long, "San Diego", ?km)) FILTER(?km < 150) }""",
    id="an earthquake in the neighbourhood",
)
engine.add(
    """SELECT ?name ?type ?faces { ?file <urn:name> ?name
       FILTER(payloadType(?type)) FILTER(faceCount(?faces)) FILTER(?faces > 0) }""",
    id="an unknown file that shows a person",
)

jams = [("stationary traffic at Isartor", 692100, 5334800), ("an accident in Pasing", 684000, 5335900)]
publications = [
    *(
        Publication(what, [(JAM, URN.what, Literal(what)), (JAM, URN.east, Literal(x)), (JAM, URN.north, Literal(y))])
        for what, x, y in jams
    ),
    *read_document((DATA / "feeds" / "usgs-earthquakes.atom").read_bytes()).publications,
    *(
        Publication(file.name, [(URIRef("urn:it"), URN.name, Literal(file.name))], payload=file.read_bytes())
        for file in sorted((DATA / "images").iterdir())
    ),
]
for report in engine.match_many(publications):
    for match in report:
        found = ", ".join(f"{name} {value}" for name, value in match.bindings[0].items())
        print(f"{match.subscription_id}: {found}")
print(f"{len(publications)} publications")
