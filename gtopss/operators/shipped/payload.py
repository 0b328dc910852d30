"""Operators on the object that a publication carries (DEBS 2007, sections 2.1 and 2.1.1: images and other media).

| operator                      | computes                                                                           |
|-------------------------------|------------------------------------------------------------------------------------|
| `payloadType(?type)`          | what the payload is, such as "jpeg" or "pdf" (by Magika, a neural network)          |
| `imageSize(?width, ?height)`  | the size of the picture in pixels                                                  |
| `faceCount(?count)`           | how many faces look out of the picture (by OpenCV's cascade of Haar features)      |

The payload is the bytes of a file, or a picture as OpenCV has it: a numpy array of rows, columns and colours. A
publication without a payload, or with one that is no picture, has no values for `?width`, `?height` and `?count`, so
these predicates are false. Both libraries carry their models; nothing is downloaded.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from gtopss.model import Publication, Term
from gtopss.model.terms import literal
from gtopss.operators.declaration import declare_operator
from gtopss.operators.shipped.libraries import import_library

MAX_IMAGE_PIXELS = 2**26
"""Pixels of a picture that is decoded, 67 million; a larger one leaves the subscription undecided."""
MAX_FACE_PIXELS = 2**20
"""Pixels of the picture in which faces are looked for; a larger one is made smaller first."""
FACE_NEIGHBOURS = 6
"""Overlapping windows that must look like a face before they count as one."""


def payload_type(publication: Publication) -> list[Term]:
    """Return what the bytes of the payload are, nothing if there are none."""
    content = publication.payload
    if not isinstance(content, (bytes, bytearray, memoryview)) or not len(content):
        return []
    return [literal(str(_magika().identify_bytes(bytes(content)).output.label))]


def image_size(publication: Publication) -> list[tuple[int, int]]:
    """Return the width and height of the picture, nothing if the payload is none."""
    image = _image(publication.payload)
    return [] if image is None else [(image.shape[1], image.shape[0])]


def face_count(publication: Publication) -> list[int]:
    """Return how many faces the picture shows, nothing if the payload is no picture."""
    image = _image(publication.payload)
    if image is None:
        return []
    cv2 = _cv2("faceCount")
    if image.ndim == 3:
        image = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    pixels = image.shape[0] * image.shape[1]
    if pixels > MAX_FACE_PIXELS:
        scale = (MAX_FACE_PIXELS / pixels) ** 0.5
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    # a classifier of its own for each call: it has state, and calls run in several threads
    classifier = cv2.CascadeClassifier(str(Path(cv2.data.haarcascades) / "haarcascade_frontalface_default.xml"))
    return [len(classifier.detectMultiScale(image, 1.1, FACE_NEIGHBOURS))]


def _image(payload: object) -> Any:
    """Return a picture as an array, None if the payload is no picture. Raises ValueError if it is too large."""
    import numpy  # slow to import

    if isinstance(payload, numpy.ndarray):
        return payload if payload.ndim in (2, 3) and payload.size and payload.dtype == numpy.uint8 else None
    if not isinstance(payload, (bytes, bytearray, memoryview)) or not len(payload):
        return None
    cv2 = _cv2("imageSize")
    try:
        return cv2.imdecode(numpy.frombuffer(payload, numpy.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise ValueError(f"the picture cannot be decoded, or has more than {MAX_IMAGE_PIXELS:,} pixels") from error


def _cv2(operator: str) -> Any:
    os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MAX_IMAGE_PIXELS))  # read when the library is loaded
    return import_library(operator, "cv2")


@cache
def _magika() -> Any:
    return import_library("payloadType", "magika").Magika()


OPERATORS = (
    declare_operator("payloadType", payload_type, arity=1, binds=0, cost=2),
    declare_operator("imageSize", image_size, arity=2, binds=(0, 1), cost=1),
    declare_operator("faceCount", face_count, arity=1, binds=0, cost=10),
)
