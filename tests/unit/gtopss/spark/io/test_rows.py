from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from gtopss.errors import MalformedPublication
from gtopss.model import Publication
from gtopss.spark.errors import InvalidTable
from gtopss.spark.io.rows import arrow_batch, error_row, publication_row, publications_table, read_publications_table
from gtopss.spark.io.table_schemas import READ_ROWS_ARROW

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_an_error_row_has_the_errors_own_ids_and_line() -> None:
    error = MalformedPublication("no", publication_id="p", line=3)
    assert error_row(error, source="s") == {
        "source": "s",
        "publication_id": "p",
        "subscription_id": None,
        "error": str(error),
        "place": "line 3",
    }
    assert error_row(error, place="bytes 0 to 8", publication_id="q")["place"] == "bytes 0 to 8"
    assert error_row("no", subscription_id="s")["subscription_id"] == "s"


def test_results_and_errors_fit_one_arrow_schema() -> None:
    publication = Publication("p", [("<urn:a>", "<urn:p>", "<urn:b>")], published_at=NOON)
    batch = arrow_batch([publication_row(publication), error_row("no", source="s")], READ_ROWS_ARROW)
    assert batch.schema == READ_ROWS_ARROW
    result, error = batch.to_pylist()
    assert (result["publication_id"], result["published_at"], result["error"]) == ("p", NOON, None)
    assert result["triples"] == [{"s": "<urn:a>", "p": "<urn:p>", "o": "<urn:b>"}]
    assert (error["source"], error["triples"], error["error"]) == ("s", None, "no")


def test_parquet_is_read_with_the_columns_that_it_has(spark: SparkSession, tmp_path: Path) -> None:
    table = publications_table(spark, [Publication("p1", [("<urn:a>", "<urn:p>", 5)], source="s")])
    table.select("publication_id", "triples").write.parquet(str(tmp_path / "some"))
    (row,) = read_publications_table(spark, tmp_path / "some").collect()
    assert (row.publication_id, row.source, len(row.triples)) == ("p1", None, 1)
    table.select("publication_id").write.parquet(str(tmp_path / "bad"))
    with pytest.raises(InvalidTable, match="no column triples"):
        read_publications_table(spark, tmp_path / "bad")


def test_payloads_are_a_column_of_bytes(spark: SparkSession, tmp_path: Path) -> None:
    events = [Publication("p1", [("<urn:a>", "<urn:p>", 5)], payload=b"\x00\xff"), Publication("p2", [])]
    publications_table(spark, events).write.parquet(str(tmp_path / "payloads"))
    read = read_publications_table(spark, tmp_path / "payloads").orderBy("publication_id").collect()
    assert [row.payload for row in read] == [b"\x00\xff", None]
    with pytest.raises(InvalidTable, match="a table holds bytes"):
        publications_table(spark, [Publication("p3", [], payload={"an": "object"})])
