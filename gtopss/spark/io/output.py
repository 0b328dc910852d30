"""Write and read the tables of a job. This module alone decides their format: Parquet.

    out/publications    what was read from documents (Parquet sources are used where they are)
    out/matches         one row for each solution
    out/errors          what was refused: documents, publications, subscriptions

A stream writes `matches` and `errors` into one folder for each batch (`batch_log.py`).
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from gtopss.spark.io.batch_log import BatchLog
from gtopss.spark.io.sources import without_globs
from gtopss.spark.io.storage import Storage, open_storage
from gtopss.spark.io.table_schemas import ERRORS, MATCHES, PUBLICATIONS

SCHEMAS = {"publications": PUBLICATIONS, "matches": MATCHES, "errors": ERRORS}


def write_table(table: DataFrame, path: str) -> None:
    """Write a table, in place of what the path holds."""
    table.write.mode("overwrite").parquet(path)


def read_table(spark: SparkSession, name: str, *paths: str) -> DataFrame:
    """Read a table of SCHEMAS from the folders that `write_table` wrote."""
    return spark.read.schema(SCHEMAS[name]).parquet(*map(without_globs, paths))


def read_results(spark: SparkSession, out: str | Path | Storage, name: str) -> DataFrame:
    """Read `matches` or `errors` as `gtopss pipeline` wrote them: of a stream, the completed batches only."""
    folder = out if isinstance(out, Storage) else open_storage(spark, out)
    if not BatchLog.exists_in(folder):
        return read_table(spark, name, folder.url(name))
    log = BatchLog(folder)
    paths = [log.table_path(name, batch.batch_id) for batch in log.completed()]
    return read_table(spark, name, *paths) if paths else spark.createDataFrame([], SCHEMAS[name])
