"""Requests as data: what is refused before it is sent."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from gtopss.client import Document, calls
from gtopss.errors import MalformedPublication


@pytest.mark.parametrize("content", [b"<urn:a>", bytearray(b"<urn:a>"), memoryview(b"<urn:a>"), "<urn:a>"])
def test_bytes_and_text_are_published(content: Any) -> None:
    assert calls.publish(content, "text/turtle", None, None).content == b"<urn:a>"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "None is not a document: give bytes or text"),
        ({"@id": "urn:a"}, "a value of type dict is not a document"),
        (5, "a value of type int is not a document"),
        (Path("a.ttl"), "read_bytes"),
        (io.BytesIO(b""), "read_bytes"),
    ],
)
def test_other_content_is_refused_by_name(content: Any, message: str) -> None:
    with pytest.raises(MalformedPublication, match=message) as error:
        calls.publish(content, "text/turtle", "mine", None)
    assert error.value.publication_id == "mine"


def test_a_content_type_that_is_no_text_is_refused() -> None:
    with pytest.raises(MalformedPublication, match=r"such as 'text/turtle', not 5"):
        calls.publish(b"", 5, None, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([b"<urn:a>"], r"a value of type bytes is not a gtopss\.client\.Document"),
        ([Document("<urn:a>"), Document(None)], "is a text, not None"),  # type: ignore[arg-type]
        ([Document(b"<urn:a>")], "is a text, not a value of type bytes"),  # type: ignore[arg-type]
    ],
)
def test_documents_of_other_types_are_refused(documents: Any, message: str) -> None:
    with pytest.raises(MalformedPublication, match=message):
        calls.publish_many(documents)
