"""Answers in a form that can be compared: sets of (publication, subscription, bindings), never counts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pyspark.sql import DataFrame

from gtopss import Engine
from gtopss.model import Publication
from gtopss.net import Connector
from gtopss.reading.documents import read_document
from gtopss.reading.sources import read_sources

Answer = tuple[str, str, tuple[tuple[str, str], ...]]


def answers_of(matches: DataFrame) -> set[Answer]:
    """Spark's."""
    return {(row.publication_id, row.subscription_id, tuple(sorted(row.bindings.items()))) for row in matches.collect()}


def answers_by(engine: Engine, publications: Iterable[Publication]) -> set[Answer]:
    """The engine's, without Spark."""
    return {
        (report.publication_id, match.subscription_id, tuple(sorted(row.items())))
        for report in engine.match_many(publications)
        for match in report
        for row in match.rows
    }


def read_without_spark(*sources: Path) -> list[Publication]:
    """All publications of files and directories."""
    named = read_sources(map(str, sources), connector=Connector())
    return [each for document in named for each in read_document(document.data, source=document.name).publications]
