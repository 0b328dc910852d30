from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT
from support.fragile import fragile

from gtopss.errors import MalformedPublication
from gtopss.reading.documents import read_document
from gtopss.reading.isolation import IsolatedReader

FEED = (ROOT / "data" / "feeds" / "nasa-liftoff.rss20.xml").read_bytes()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"abort", "crashed the parser"), (b"segfault", "exit code -11"), (b"hang", "longer than 2 s"),
        (b"hungry", "too much memory"), (b"deep", "nested too deeply"), (b"<html></html>", "HTML page"),
    ],
)  # fmt: skip
def test_a_crash_costs_one_document(data: bytes, reason: str) -> None:
    with IsolatedReader(read=fragile, timeout_seconds=2 if data == b"hang" else 60) as reader:
        for _ in range(2):
            with pytest.raises(MalformedPublication, match=reason) as caught:
                reader.read_document(data, source="bad.xml")
            assert caught.value.publication_id == "bad.xml"
            assert len(reader.read_document(FEED).publications) == 4


def test_isolated_reading_returns_the_same_documents(data: Path) -> None:
    with IsolatedReader() as reader:
        for path in sorted((data / "feeds").iterdir()):
            made = path.read_bytes()
            assert reader.read_document(made, source=path.name) == read_document(made, source=path.name)
