"""Match publications that Kafka, Delta or Iceberg holds, and write the matches there. For spark-submit:

    foreign_tables.py kafka DATA FOLDER SERVERS
    foreign_tables.py delta|iceberg DATA FOLDER

DATA is the folder with the shipped feeds and subscriptions. The tables `FOLDER/batch` and `FOLDER/stream` (Parquet) are
what was read back.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

import gtopss.spark
from gtopss import Engine
from gtopss.engine.loading import load_engine
from gtopss.spark.io.table_schemas import MATCH_ROWS


def by_kafka(spark: SparkSession, engine: Engine, data: Path, folder: Path, servers: str) -> None:
    """Send documents in two parts; a stream matches them in small batches, and continues after the first part."""
    documents = [(path.name, path.read_bytes()) for path in sorted((data / "feeds").iterdir())]
    half = len(documents) // 2
    for part in (documents[:half], documents[half:]):
        sent = spark.createDataFrame(part, "key string, value binary").write.format("kafka")
        sent.option("kafka.bootstrap.servers", servers).option("topic", "feeds").save()
        messages = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
        messages = messages.option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", 6)
        read = gtopss.spark.parse_documents(messages.option("subscribe", "feeds").load(), name="key")
        matches = gtopss.spark.match(read, engine).selectExpr("subscription_id AS key", "to_json(struct(*)) AS value")
        out = matches.writeStream.format("kafka").option("kafka.bootstrap.servers", servers).option("topic", "matches")
        query = out.option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True).start()
        query.awaitTermination()
    stored = spark.read.format("kafka").option("kafka.bootstrap.servers", servers).option("subscribe", "matches").load()
    rows = stored.select(F.from_json(F.col("value").cast("string"), MATCH_ROWS).alias("row")).select("row.*")
    rows.write.parquet(str(folder / "stream"))


def by_tables(
    spark: SparkSession,
    engine: Engine,
    data: Path,
    folder: Path,
    name: Callable[[str], str],
    kind: str,
) -> None:
    """Match a table of publications as a batch and as a stream, into tables of the same format."""
    read = gtopss.spark.read_feeds(spark, data / "feeds")
    _save(read, kind, name("publications"))
    stored = spark.read.format(kind).load(name("publications"))
    _save(gtopss.spark.match(stored, engine), kind, name("batch"))
    stream = spark.readStream.format(kind).load(name("publications"))
    matches = gtopss.spark.match(stream, engine)
    _save(spark.createDataFrame([], matches.schema), kind, name("stream"))
    out = matches.writeStream.format(kind).option("checkpointLocation", str(folder / "checkpoint"))
    out = out.outputMode("append").trigger(availableNow=True)
    query = out.toTable(name("stream")) if kind == "iceberg" else out.start(name("stream"))
    query.awaitTermination()
    for table in ("batch", "stream"):
        spark.read.format(kind).load(name(table)).write.parquet(str(folder / table))


def _save(table: DataFrame, kind: str, name: str) -> None:
    if kind == "iceberg":
        table.writeTo(name).using(kind).create()
    else:
        table.write.format(kind).save(name)


def main(kind: str, data: Path, folder: Path, servers: str = "") -> None:
    spark = SparkSession.builder.getOrCreate()
    engine, *_ = load_engine(data / "subscriptions", None)
    if kind == "kafka":
        by_kafka(spark, engine, data, folder, servers)
    elif kind == "delta":
        by_tables(spark, engine, data, folder, lambda name: str(folder / "delta" / name), kind)
    else:
        by_tables(spark, engine, data, folder, lambda name: f"local.tests.{name}", kind)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:])
