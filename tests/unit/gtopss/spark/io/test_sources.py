from __future__ import annotations

import gzip
import shutil
import zipfile
from pathlib import Path

import pytest
from conftest import SOAK
from pyspark.sql import DataFrame, SparkSession
from support import spark_fragile
from support.spark_answers import read_without_spark

from gtopss.model import Publication
from gtopss.spark.io import archives, sources
from gtopss.spark.io.archives import ReadUnit
from gtopss.spark.io.sources import MIN_TASK_BYTES, TASKS_PER_CORE, read_sources
from gtopss.spark.io.table_schemas import PUBLICATIONS

GOOD = b"<urn:a> <urn:p> <urn:b> ."


def as_read(table: DataFrame) -> set[tuple[object, ...]]:
    return {
        (row.publication_id, row.source, row.published_at, frozenset(map(tuple, row.triples)))
        for row in table.collect()
    }


def as_made(publications: list[Publication]) -> set[tuple[object, ...]]:
    return {
        (each.id, each.source, each.published_at and each.published_at.replace(tzinfo=None), frozenset(each.triples))
        for each in publications
    }


def test_files_archives_and_quads_are_read_as_without_spark(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    feeds = sorted((data / "feeds").iterdir())
    with zipfile.ZipFile(tmp_path / "some.zip", "w") as archive:
        for feed in feeds[:2]:
            archive.write(feed, feed.name)
    publication_tables = read_sources(spark, [data / "feeds", data / "news" / "news.nq", tmp_path])
    read = as_read(publication_tables.publications)
    plain = {row for row in read if "!" not in str(row[1])}
    assert plain == as_made(read_without_spark(data / "feeds", data / "news" / "news.nq"))
    archived = {row[0] for row in read if "!" in str(row[1])}
    assert archived >= {each.id for each in read_without_spark(*feeds[:2]) if each.id.startswith("http")}
    assert publication_tables.errors.count() == 0
    assert publication_tables.publications.schema == PUBLICATIONS
    publication_tables.release()


def test_a_graph_that_is_cut_is_put_together(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "CHUNK_BYTES", 200)
    lines = [f"<urn:s{n}> <urn:p> <urn:o{n}> <urn:graph{n % 3}> .\n" for n in range(60)]
    (tmp_path / "a.nq").write_text("".join(lines) + "<urn:broken\n")
    (tmp_path / "b.nq.gz").write_bytes(gzip.compress("".join(lines).encode()))
    publication_tables = read_sources(spark, [tmp_path])
    packed = {
        row.publication_id: len(row.triples)
        for row in publication_tables.publications.where("source LIKE '%gz'").collect()
    }
    assert packed == {f"urn:graph{n}": 20 for n in range(3)}
    (error,) = publication_tables.errors.collect()
    assert error.source == str(tmp_path / "a.nq")
    assert error.place.startswith("bytes ")
    assert publication_tables.publications.where("source LIKE '%a.nq'").count() == 3
    publication_tables.release()


def test_what_brings_a_parser_down_is_an_error_and_the_job_ends_well(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_read_units", spark_fragile.read_units)
    for name in ("abort", "segfault", "hungry", "deep"):
        (tmp_path / name).write_text(name)
    (tmp_path / "garbage").write_bytes(b"\x00\x01")
    for number in range(4):
        (tmp_path / f"good{number}.ttl").write_bytes(GOOD)
    publication_tables = read_sources(spark, [tmp_path])
    assert publication_tables.publications.count() == 4
    named = {Path(row.source).name: row.error for row in publication_tables.errors.collect()}
    assert set(named) == {"abort", "segfault", "hungry", "deep", "garbage"}
    assert "crashed the parser" in named["segfault"]
    publication_tables.release()


def test_the_tasks_of_a_cluster_follow_the_size_of_the_documents(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cores of a cluster are not known when its job starts."""
    units = [ReadUnit(f"/{number}", 0, MIN_TASK_BYTES, MIN_TASK_BYTES) for number in range(100)]
    cores = spark.sparkContext.defaultParallelism
    assert sources._distribute(spark, units).rdd.getNumPartitions() == TASKS_PER_CORE * cores
    monkeypatch.setattr(sources, "is_local", lambda session: False)
    assert sources._distribute(spark, units).rdd.getNumPartitions() == 100
    assert sources._distribute(spark, [ReadUnit("/small", 0, 10, 10)] * 50).rdd.getNumPartitions() == 1


@pytest.mark.skipif(not SOAK, reason="200 MB")
def test_a_large_feed_is_read_or_named(spark: SparkSession, tmp_path: Path) -> None:
    quad = '<urn:item:{0}> <urn:p:{1}> "{2}" <urn:graph:{0}> .\n'
    with (tmp_path / "large.nq").open("w") as file:
        for number in range(150_000):
            file.writelines(quad.format(number, part, "text " * 20) for part in range(10))
    item = (
        b"<item><title>t</title><link>http://a.example/%d</link><description>" + b"d" * 900 + b"</description></item>"
    )
    with (tmp_path / "large.rss").open("wb") as file:
        file.write(b"<rss version='2.0'><channel><title>t</title>")
        file.writelines(item % number for number in range(210_000))
        file.write(b"</channel></rss>")
    (tmp_path / "good.ttl").write_bytes(GOOD)
    publication_tables = read_sources(spark, [tmp_path])
    assert publication_tables.publications.where("source LIKE '%.nq'").count() == 150_000
    assert publication_tables.publications.where("source LIKE '%.ttl'").count() == 1
    read = publication_tables.publications.where("source LIKE '%.rss'").count()
    refused = [row.source for row in publication_tables.errors.collect()]
    assert (read, refused) in [(210_000, []), (0, [str(tmp_path / "large.rss")])]
    publication_tables.release()
    shutil.rmtree(tmp_path)
