from __future__ import annotations

from pyspark.sql import SparkSession

from gtopss.experiments.benchmark.spark import Size, measure_spark


def test_a_small_measurement_of_the_default_plan(spark: SparkSession) -> None:
    result = measure_spark(Size(200, 200), Size(50, 20), plans=["engine"], spark=spark)
    two, one, sampled = result["plans"]
    assert (two["partitions"], one["partitions"]) == (2, 1)
    assert all(0 < row["engine_seconds"] < row["worker_seconds"] for row in (one, two))
    assert not one["extrapolated"]
    assert sampled["of"] == "sample"
    assert result["times_as_fast"]["two partitions to one"] > 0
    assert result["matches_per_publication"] > 0
