from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import ROOT

from gtopss.feeds.writing import entry_of, to_atom, to_nquads, to_rss
from gtopss.model import Publication
from gtopss.reading.documents import read_document

FEEDS = sorted((ROOT / "data" / "feeds").iterdir())
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def publications() -> list[Publication]:
    return [each for path in FEEDS for each in read_document(path.read_bytes(), source=str(path)).publications]


def test_nquads_give_back_the_publications(publications: list[Publication]) -> None:
    again = read_document(to_nquads(publications), source="all.nq").publications
    assert len(again) == len(publications)
    assert sorted(len(each.triples) for each in again) == sorted(len(each.triples) for each in publications)


@pytest.mark.parametrize("write", [to_rss, to_atom])
def test_titles_links_and_dates_survive_being_written(write: Any, publications: list[Publication]) -> None:
    again = read_document(write(publications, title="all", now=NOW), source="all").publications
    assert len(again) == len(publications)
    for before, after in zip(map(entry_of, publications), map(entry_of, again), strict=True):
        assert after.title == before.title.strip()
        assert after.link == before.link
        if before.published_at:
            assert after.published_at == before.published_at.replace(microsecond=after.published_at.microsecond)  # type: ignore[union-attr]
