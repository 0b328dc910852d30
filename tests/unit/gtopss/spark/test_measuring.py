from __future__ import annotations

from pyspark.sql import SparkSession

from gtopss.bench.spark import measure_spark


def test_a_small_measurement_of_the_default_plan(spark: SparkSession) -> None:
    result = measure_spark(300, 500, sample=50, plans=["kernel"], spark=spark)
    two, one = result["plans"]
    assert (two["partitions"], one["partitions"]) == (2, 1)
    assert all(0 < row["engine_seconds"] < row["partitions"] * row["seconds"] for row in (one, two))
    assert not one["extrapolated"]
    assert result["matches_per_publication"] > 0
