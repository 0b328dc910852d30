from __future__ import annotations

from pyspark.sql import SparkSession

from gtopss.model import Publication
from gtopss.spark.io.result_tables import PublicationTables
from gtopss.spark.io.rows import error_row, publication_row
from gtopss.spark.io.table_schemas import ERRORS, PUBLICATIONS, READ_ROWS


def test_one_pass_is_split_into_results_and_errors(spark: SparkSession) -> None:
    result = publication_row(Publication("p", [("<urn:a>", "<urn:p>", "<urn:b>")]))
    rows = [tuple(row.get(name) for name in READ_ROWS.fieldNames()) for row in (result, error_row("no", source="s"))]
    tables = PublicationTables.split(spark.createDataFrame(rows, READ_ROWS))
    assert tables.publications.columns == PUBLICATIONS.fieldNames()
    assert [row.publication_id for row in tables.publications.collect()] == ["p"]
    assert tables.errors.columns == ERRORS.fieldNames()
    assert [tuple(row) for row in tables.errors.collect()] == [("s", None, None, "no", None)]
    assert tables.cached[0].storageLevel.useMemory
    tables.release()
    assert not tables.cached[0].storageLevel.useMemory
