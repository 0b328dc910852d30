"""The spatial operators."""

from __future__ import annotations

import pytest
from support.operator_stages import evaluate_call

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


def test_a_point_off_the_earth_is_unknown() -> None:
    stage = OperatorStage(REGISTRY)
    stage.add(("s", 0), [call("inRegion", 140, 10, literal(BRONX))])
    report = stage.evaluate(Publication("p", []), {("s", 0): [{}]})
    assert "no place on earth" in report.undecided["s", 0][0].detail


def test_invalid_constants_are_refused_at_registration() -> None:
    stage = OperatorStage(REGISTRY)
    for calls, reason in [
        (call("locIn", literal("POLYGON ((")), "not WKT"),
        (call("nearPlace", 1, 1, literal("Atlantis Nova"), 5), "GeoNames"),
        (call("nearPlace", 1, 1, literal("Toronto"), literal("far")), "far"),
    ]:
        with pytest.raises(InvalidPredicate, match=reason):
            stage.add(("s", 0), [calls])
