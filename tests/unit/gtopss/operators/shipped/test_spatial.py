"""The spatial operators."""

from __future__ import annotations

import pytest
from support.operator_stages import evaluate_call

from gtopss import Engine
from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.model.terms import Term, literal
from gtopss.operators import REGISTRY, InvalidPredicate, OperatorStage

GEO = "http://www.w3.org/2003/01/geo/wgs84_pos#"


TORONTO = (43.65, -79.38)


BRONX = "POLYGON ((-73.93 40.79, -73.75 40.79, -73.75 40.92, -73.93 40.92, -73.93 40.79))"


def test_distances_from_places_by_name() -> None:
    assert evaluate_call(REGISTRY, "nearPlace", *TORONTO, literal("Toronto"), 25)
    assert not evaluate_call(REGISTRY, "nearPlace", *TORONTO, literal("Montréal"), 25)
    assert evaluate_call(REGISTRY, "nearPlace", 42.98, -81.23, literal("London, CA"), 10)
    assert not evaluate_call(REGISTRY, "nearPlace", 42.98, -81.23, literal("London"), 10)
    ((row,),) = (evaluate_call(REGISTRY, "distanceFrom", 48.8566, 2.3522, literal("London"), "?km"),)
    assert 340 < float(row[Term("?km")].split('"')[1]) < 348
    ((nearest,),) = (evaluate_call(REGISTRY, "nearestPlace", 64.14, -21.94, "?place", "?km"),)
    assert nearest[Term("?place")] == literal("Reykjavík")


def test_points_lie_in_regions() -> None:
    assert evaluate_call(REGISTRY, "inRegion", 40.85, -73.87, literal(BRONX))
    assert not evaluate_call(REGISTRY, "inRegion", 40.70, -74.02, literal(BRONX))
    place = [(f"<{GEO}lat>", literal("40.85")), (f"<{GEO}long>", literal("-73.87"))]
    point = Publication("p", [("<urn:uav>", property, value) for property, value in place])
    assert evaluate_call(REGISTRY, "locIn", literal(BRONX), publication=point)
    wkt = literal("<http://www.opengis.net/def/crs/OGC/1.3/CRS84> POINT (-73.87 40.85)",
                  "http://www.opengis.net/ont/geosparql#wktLiteral")  # fmt: skip
    assert evaluate_call(
        REGISTRY, "locIn", literal(BRONX), publication=Publication("p", [("<urn:uav>", "<urn:at>", wkt)])
    )
    assert not evaluate_call(REGISTRY, "locIn", literal(BRONX))


def test_coordinates_of_another_system_are_converted() -> None:
    """A square around Marienplatz in Munich, in UTM zone 32, and the same point in five ways."""
    utm = "<http://www.opengis.net/def/crs/EPSG/0/25832> "
    square = f"{utm}POLYGON ((691500 5334700, 691700 5334700, 691700 5334900, 691500 5334900, 691500 5334700))"
    assert evaluate_call(REGISTRY, "inRegion", 48.13727, 11.57556, literal(square))
    assert not evaluate_call(REGISTRY, "inRegion", 48.13727, 11.58, literal(square))
    for wkt, inside in [
        (f"{utm}POINT (691608 5334766)", True),
        (f"{utm}POINT (691408 5334766)", False),
        ("<http://www.opengis.net/def/crs/EPSG/0/4326> POINT (48.13727 11.57556)", True),  # latitude first
        ("<http://www.opengis.net/def/crs/EPSG/0/4326> POINT (11.57556 48.13727)", False),
        ("POINT (11.57556 48.13727)", True),
    ]:
        at = literal(wkt, "http://www.opengis.net/ont/geosparql#wktLiteral")
        event = Publication("p", [("<urn:uav>", "<urn:at>", at)])
        assert bool(evaluate_call(REGISTRY, "locIn", literal(square), publication=event)) is inside, wkt


def test_distances_from_regions() -> None:
    def km(latitude: float, longitude: float) -> float:
        (row,) = evaluate_call(REGISTRY, "distanceToRegion", latitude, longitude, literal(BRONX), "?km")
        return float(row[Term("?km")].split('"')[1])

    assert km(40.85, -73.87) == 0
    assert km(40.70, -73.87) == pytest.approx(9.99, abs=0.05)  # 0.09 degrees of latitude
    assert km(40.85, -74.93) == pytest.approx(84.3, abs=0.5)  # a degree of longitude
    assert km(51.51, -0.13) == pytest.approx(5_557, rel=0.005)  # London
    stage = OperatorStage(REGISTRY)
    stage.add(
        ("s", 0), [call("distanceToRegion", -40.85, 106.13, literal(BRONX), "?km")]
    )  # the other side of the earth
    report = stage.evaluate(Publication("p", []), {("s", 0): [{}]})
    assert "more than 15,000 km" in report.undecided["s", 0][0].detail


@pytest.mark.parametrize("system", ["EPSG:25832", "http://www.opengis.net/def/crs/EPSG/0/25832"])
def test_a_point_is_converted(system: str) -> None:
    (row,) = evaluate_call(REGISTRY, "toWgs84", 691608, 5334766, literal(system), "?lat", "?long")
    latitude, longitude = (float(row[Term(name)].split('"')[1]) for name in ("?lat", "?long"))
    assert (latitude, longitude) == pytest.approx((48.1372724, 11.5755604), abs=1e-6)


def test_a_converted_point_is_the_input_of_another_operator() -> None:
    engine = Engine()
    engine.add(
        """SELECT ?place ?km { ?uav <urn:x> ?x ; <urn:y> ?y
           FILTER(toWgs84(?x, ?y, "EPSG:25832", ?lat, ?long)) FILTER(nearestPlace(?lat, ?long, ?place, ?km)) }""",
        id="where",
    )
    (match,) = engine.match([("<urn:uav>", "<urn:x>", literal("691608")), ("<urn:uav>", "<urn:y>", literal("5334766"))])
    assert [(str(row["place"]), float(row["km"]) < 5) for row in match.bindings] == [("Munich", True)]


def test_a_point_outside_of_its_system_is_unknown() -> None:
    stage = OperatorStage(REGISTRY)
    stage.add(("s", 0), [call("toWgs84", literal("1e99"), 1, literal("EPSG:25832"), "?lat", "?long")])
    report = stage.evaluate(Publication("p", []), {("s", 0): [{}]})
    assert "no place on earth" in report.undecided["s", 0][0].detail


def test_a_point_off_the_earth_is_unknown() -> None:
    stage = OperatorStage(REGISTRY)
    stage.add(("s", 0), [call("inRegion", 140, 10, literal(BRONX))])
    report = stage.evaluate(Publication("p", []), {("s", 0): [{}]})
    assert "no place on earth" in report.undecided["s", 0][0].detail


def test_invalid_constants_are_refused_at_registration() -> None:
    stage = OperatorStage(REGISTRY)
    for calls, reason in [
        (call("locIn", literal("POLYGON ((")), "not WKT"),
        (call("locIn", literal("<urn:nowhere> POINT (1 1)")), "not a known coordinate system"),
        (call("locIn", literal("<http://www.opengis.net/def/crs/EPSG/0/25832> POINT (1e99 1)")), "outside"),
        (call("toWgs84", 1, 1, literal("EPSG:0"), "?lat", "?long"), "not a known coordinate system"),
        (call("toWgs84", 1, 1, literal("EPSG:5703"), "?lat", "?long"), "1 axes"),
        (call("toWgs84", 1, 1, literal("+init=/etc/passwd:x"), "?lat", "?long"), "write it like EPSG:25832"),
        (call("nearPlace", 1, 1, literal("Atlantis Nova"), 5), "GeoNames"),
        (call("nearPlace", 1, 1, literal("Toronto"), literal("far")), "far"),
    ]:
        with pytest.raises(InvalidPredicate, match=reason):
            stage.add(("s", 0), [calls])
