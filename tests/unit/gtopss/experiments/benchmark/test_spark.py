from __future__ import annotations

import os

from pyspark.sql import SparkSession

from gtopss.experiments.benchmark.spark import Size, measure_spark


def test_a_small_measurement_of_the_default_plan(spark: SparkSession) -> None:
    cores = len(os.sched_getaffinity(0))
    result = measure_spark(Size(200, 200), Size(50, 20), plans=["engine"], spark=spark)
    *whole, sampled = result["plans"]
    assert [(row["partitions"], row["cores"]) for row in whole] == [(2, 2), (1, 2), (1, 1)]
    assert all(0 < row["engine_seconds"] < row["worker_seconds"] for row in whole)
    assert not any(row["extrapolated"] for row in whole)
    assert sampled["of"] == "sample"
    assert all(ratio > 0 for ratio in result["times_as_fast"].values())
    assert len(os.sched_getaffinity(0)) == cores
    assert result["matches_per_publication"] > 0
