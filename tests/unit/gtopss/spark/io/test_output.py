from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from gtopss.spark.io.batch_log import BatchLog, CompletedBatch
from gtopss.spark.io.output import read_results, write_table
from gtopss.spark.io.rows import error_row, errors_table


def errors(spark: SparkSession, *texts: str) -> DataFrame:
    return errors_table(spark, [error_row(text) for text in texts])


def read(spark: SparkSession, out: Path) -> set[str]:
    return {row.error for row in read_results(spark, out, "errors").collect()}


def test_a_table_replaces_what_was_there(spark: SparkSession, tmp_path: Path) -> None:
    write_table(errors(spark, "one", "two"), str(tmp_path / "errors"))
    write_table(errors(spark, "three"), str(tmp_path / "errors"))
    assert read(spark, tmp_path) == {"three"}


def test_of_a_stream_only_the_completed_batches_are_read(spark: SparkSession, tmp_path: Path) -> None:
    log = BatchLog(tmp_path)
    with log.lock():
        pass
    assert read(spark, tmp_path) == set()
    for batch_id in range(2):
        write_table(errors(spark, f"batch {batch_id}"), log.table_path("errors", batch_id))
    log.complete(CompletedBatch(0, "v", publications=0, matches=0, errors=1, seconds=1.0, finished_at=""))
    assert read(spark, tmp_path) == {"batch 0"}
