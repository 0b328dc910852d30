"""Operators on payloads: real pictures, real libraries."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy
import pytest
from conftest import ROOT
from support.operator_stages import evaluate_call

from gtopss import Engine
from gtopss.model import Publication, Term
from gtopss.model.terms import literal, term
from gtopss.operators import REGISTRY
from gtopss.operators.shipped.payload import MAX_IMAGE_PIXELS, face_count, image_size

IMAGES = ROOT / "data" / "images"


def carrying(payload: object) -> Publication:
    return Publication("p", [("<urn:x>", "<urn:p>", "<urn:y>")], payload=payload)


def picture(name: str) -> bytes:
    return (IMAGES / f"{name}.jpg").read_bytes()


@pytest.mark.parametrize(("name", "faces"), [("astronaut", 1), ("camera", 0), ("coffee", 0), ("rocket", 0)])
def test_faces_in_the_shipped_pictures_are_counted(name: str, faces: int) -> None:
    found = evaluate_call(REGISTRY, "faceCount", "?count", publication=carrying(picture(name)))
    assert found == ({Term("?count"): term(faces)},)


def test_a_picture_may_be_an_array() -> None:
    import cv2

    array = cv2.imdecode(numpy.frombuffer(picture("astronaut"), numpy.uint8), cv2.IMREAD_COLOR)
    assert face_count(carrying(array)) == [1]
    assert face_count(carrying(cv2.resize(array, None, fx=6, fy=6)))[0] >= 1  # made smaller before the search
    assert image_size(carrying(array)) == [(320, 320)]


@pytest.mark.parametrize("payload", [None, b"", b"no picture", "text", {"an": "object"}, numpy.zeros(3)])
def test_what_is_no_picture_has_no_size_and_no_faces(payload: object) -> None:
    assert image_size(carrying(payload)) == []
    assert face_count(carrying(payload)) == []


def test_a_small_file_with_a_huge_picture_is_not_decoded() -> None:
    side = int(MAX_IMAGE_PIXELS**0.5) + 1000

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    rows = zlib.compress(bytes(1000))
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    engine = Engine()
    engine.add("SELECT ?n { ?x <urn:p> ?y FILTER(faceCount(?n)) }", id="faces")
    report = engine.match(carrying(bomb))
    assert not report.matches
    assert [each.subscription_id for each in report.undecided] == ["faces"]


@pytest.mark.parametrize(
    ("path", "type"),
    [("data/images/coffee.jpg", "jpeg"), ("data/PROVENANCE.md", "markdown"), ("gtopss/compiled.py", "python")],
)
def test_the_type_of_a_payload_is_recognised(path: str, type: str) -> None:
    publication = carrying((ROOT / path).read_bytes())
    assert evaluate_call(REGISTRY, "payloadType", literal(type), publication=publication)
    assert not evaluate_call(REGISTRY, "payloadType", literal("zip"), publication=publication)


def test_a_query_receives_the_payload_of_each_publication() -> None:
    engine = Engine()
    engine.add("SELECT ?n { ?x <urn:p> ?y FILTER(faceCount(?n)) FILTER(?n > 0) }", id="faces")
    names = sorted(path.stem for path in Path(IMAGES).glob("*.jpg"))
    events = [Publication(name, [("<urn:x>", "<urn:p>", "<urn:y>")], payload=picture(name)) for name in names]
    matched = [report.publication_id for report in engine.match_many(events) if report]
    assert matched == ["astronaut"]
