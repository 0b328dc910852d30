"""Expensive operators on real pictures: a publication carries its picture, and each strategy asks in its own order."""

from pathlib import Path

from gtopss import Engine, Publication
from gtopss.operators import STRATEGIES

IMAGES = Path(__file__).parents[1] / "data" / "images"
GEO = "http://www.w3.org/2003/01/geo/wgs84_pos#"
PLACES = {"Bronx": (40.84, -73.87), "Queens": (40.73, -73.79), "Newark": (40.73, -74.17)}
BRONX = "POLYGON ((-73.93 40.79, -73.75 40.79, -73.75 40.92, -73.93 40.92, -73.93 40.79))"
CITY = "POLYGON ((-74.03 40.55, -73.70 40.55, -73.70 40.92, -74.03 40.92, -74.03 40.55))"

# After the paper's S1 to S5: a place, and what a recogniser sees in the picture. The expensive calls are written first.
SUBSCRIPTIONS = {
    "S1": f"?faces {{ ?x geo:lat ?lat FILTER(faceCount(?faces)) FILTER(?faces > 0) FILTER(locIn('{BRONX}')) }}",
    "S2": f"?faces {{ ?x geo:lat ?lat FILTER(faceCount(?faces)) FILTER(?faces = 0) FILTER(locIn('{CITY}')) }}",
    "S3": f"?h {{ ?x geo:lat ?lat FILTER(imageSize(?w, ?h)) FILTER(?w > ?h) FILTER(locIn('{CITY}')) }}",
    "S4": f"?w {{ ?x geo:lat ?lat FILTER(payloadType('jpeg')) FILTER(imageSize(?w, ?w)) FILTER(locIn('{BRONX}')) }}",
    "S5": "?km { ?x geo:lat ?lat; geo:long ?long FILTER(faceCount(1)) "
    "FILTER(distanceFrom(?lat, ?long, 'Newark', ?km)) FILTER(?km < 1) }",
}


def snapshots() -> list[Publication]:
    """Return each picture once for each place where a camera may have taken it."""
    return [
        Publication(
            f"{image.stem} in {place}",
            [("<urn:camera>", f"<{GEO}lat>", lat), ("<urn:camera>", f"<{GEO}long>", long)],
            payload=image.read_bytes(),
        )
        for image in sorted(IMAGES.glob("*.jpg"))
        for place, (lat, long) in PLACES.items()
    ]


for strategy in STRATEGIES:
    engine = Engine(strategy=strategy)
    for id, query in SUBSCRIPTIONS.items():
        engine.add(f"PREFIX geo: <{GEO}> SELECT {query}", id=id)
    reports = list(engine.match_many(snapshots()))
    usage = [each.operator_usage for each in reports if each.operator_usage]
    calls, cost = sum(each.calls for each in usage), sum(each.cost for each in usage)
    print(f"{strategy}: {calls} calls that cost {cost:.0f}, {sum(map(len, reports))} matches")

for report in reports:
    print(f"{report.publication_id}: {', '.join(match.subscription_id for match in report) or 'nothing'}")
