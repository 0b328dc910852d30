"""One call for a person with a DataFrame: anybody's columns, a batch or a stream, errors kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT, SOAK
from pyspark import __version__ as spark_version
from pyspark.sql import DataFrame, SparkSession
from support.kafka_broker import connector, kafka
from support.maven import added_to_spark, resolve
from support.notebooks import run_notebook
from support.spark_answers import Answer, answers_by, answers_of, read_without_spark
from support.spark_cluster import submit

import gtopss.spark
from gtopss import Engine
from gtopss.engine.loading import load_engine
from gtopss.model import Publication
from gtopss.spark.errors import InvalidTable, MissingSource, UnknownPlan
from gtopss.spark.io.rows import publications_table
from gtopss.spark.plans import engine_plan

__all__ = ["kafka"]

ROWS = [
    (1, "<urn:a>", "<urn:says>", '"abc"^^<http://www.w3.org/2001/XMLSchema#string>', "x"),
    (1, "<urn:a>", "<urn:age>", '"5"^^<http://www.w3.org/2001/XMLSchema#integer>', "x"),
    (2, "<urn:b>", "<urn:says>", '"abc"@EN', "y"),
    (3, "<urn:c>", None, '"abc"', "z"),
    (4, "<urn:d>", "<urn:says>", '"abd"', "z"),
]
FLAT = "doc int, subject string, predicate string, object string, other string"
NAMES = {"publication_id": "doc", "s": "subject", "p": "predicate", "o": "object"}


@pytest.fixture
def engine() -> Engine:
    engine = Engine()
    engine.add('SELECT ?x { ?x <urn:says> "abc" ; <urn:age> ?n }', id="abc")
    engine.add("SELECT ?t { ?x <urn:says> ?t FILTER STRSTARTS(?t, 'ab') }", id="ab")
    return engine


def expected(engine: Engine) -> set[Answer]:
    triples: dict[int, list[tuple[str, str, str]]] = {}
    for id, s, p, o, _ in ROWS:
        if p is not None:
            triples.setdefault(id, []).append((s, p, o))
    return answers_by(engine, [Publication(str(id), some) for id, some in triples.items()])


def check(found: DataFrame, engine: Engine) -> None:
    assert answers_of(found.where("error IS NULL")) == expected(engine)
    assert [row.publication_id for row in found.where("error IS NOT NULL").collect()] == ["3"]


@pytest.mark.parametrize("plan", ["engine", "relational"])
def test_flat_and_nested_tables_under_other_names(spark: SparkSession, engine: Engine, plan: str) -> None:
    flat = spark.createDataFrame(ROWS, FLAT)
    check(gtopss.spark.match(flat, engine, columns=NAMES, plan=plan), engine)  # type: ignore[arg-type]
    if plan == "engine":
        nested = (
            flat.selectExpr("doc", "struct(object, subject, predicate) AS t").groupBy("doc").agg({"t": "collect_list"})
        )
        nested = nested.withColumnRenamed("collect_list(t)", "graph")
        check(gtopss.spark.match(nested, engine, columns={**NAMES, "triples": "graph"}), engine)


def test_an_index_too_large_for_one_broadcast_is_divided(
    spark: SparkSession, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_plan, "is_local", lambda spark: False)
    monkeypatch.setattr(engine_plan, "shards_needed", lambda engine: 2)
    found = gtopss.spark.match(spark.createDataFrame(ROWS, FLAT), engine, columns=NAMES)
    assert found._jdf.queryExecution().toString().count("MapInArrow") >= 2
    check(found, engine)


def test_a_stream_is_matched_as_a_batch(spark: SparkSession, engine: Engine, tmp_path: Path) -> None:
    publications = [Publication("p1", [("<urn:a>", "<urn:says>", '"abc"')]), Publication("p2", [])]
    publications_table(spark, publications).write.json(str(tmp_path / "in"))
    schema = publications_table(spark, publications).schema
    stream = spark.readStream.schema(schema).json(str(tmp_path / "in"))
    matched = gtopss.spark.match(stream, engine)
    assert matched.isStreaming
    query = matched.writeStream.format("memory").queryName("matched").trigger(availableNow=True).start()
    assert query.awaitTermination(120)
    assert answers_of(spark.table("matched")) == answers_by(engine, publications)
    flat = spark.readStream.schema(FLAT).json(str(tmp_path / "in"))
    with pytest.raises(InvalidTable, match="foreachBatch"):
        gtopss.spark.match(flat, engine, columns=NAMES)
    with pytest.raises(UnknownPlan, match="choose one of engine"):
        gtopss.spark.match(stream, engine, plan="relational")


def test_documents_of_a_column_and_feeds_keep_their_errors(
    spark: SparkSession, engine: Engine, data: Path, tmp_path: Path
) -> None:
    (tmp_path / "broken.rss").write_text("this is no feed")
    feed = data / "feeds" / "xml-dev.rss20.xml"
    feed = feed if feed.exists() else sorted((data / "feeds").iterdir())[0]
    read = gtopss.spark.read_feeds(spark, feed, tmp_path)
    assert {row.publication_id for row in read.where("error IS NULL").collect()} == {
        each.id for each in read_without_spark(feed)
    }
    refused = gtopss.spark.match(read, engine).where("error IS NOT NULL").collect()
    assert [Path(row.source).name for row in refused] == ["broken.rss"]
    rows = [("one", b'<urn:a> <urn:says> "abc" <urn:g> .'), ("two", b"\x00")]
    parsed = gtopss.spark.parse_documents(spark.createDataFrame(rows, "key string, value binary"), name="key")
    found = gtopss.spark.match(parsed, engine).collect()
    assert {(row.publication_id, row.subscription_id, row.source) for row in found if row.error is None} == {
        ("urn:g", "ab", "one")
    }
    assert [row.source for row in found if row.error] == ["two"]


def test_what_a_table_lacks_is_said(spark: SparkSession, engine: Engine) -> None:
    table = spark.createDataFrame(ROWS, FLAT)
    with pytest.raises(InvalidTable, match="it has doc, subject, predicate, object, other, and matching needs"):
        gtopss.spark.match(table, engine)
    with pytest.raises(InvalidTable, match="it has no column document"):
        gtopss.spark.match(table, engine, columns={**NAMES, "publication_id": "document"})
    with pytest.raises(InvalidTable, match="columns= has the key 'id'"):
        gtopss.spark.match(table, engine, columns={"id": "doc"})
    with pytest.raises(InvalidTable, match="it has no column value"):
        gtopss.spark.parse_documents(table)
    with pytest.raises(MissingSource):
        gtopss.spark.read_feeds(spark, "/nowhere")
    with pytest.raises(AttributeError, match="no attribute 'matches'"):
        _ = gtopss.spark.matches


def test_the_notebook_runs_from_top_to_bottom(
    spark: SparkSession, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the session of the tests: another JVM takes longer to start than the notebook to run."""
    monkeypatch.setattr(type(spark), "stop", lambda session: None)
    run_notebook("29_spark_dataframes.ipynb", monkeypatch)
    printed = capsys.readouterr().out
    assert "earthquakes-above-2" in printed
    assert "broken.rss" in printed
    assert "the stream found the same" in printed


# --- other people's systems --------------------------------------------------------------------------------

DELTA = "io.delta:delta-spark_4.2_2.13:4.4.0"
ICEBERG = "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"
LINKAGE_ERROR = re.compile(
    r"java\.lang\.(?:NoClassDefFound|NoSuchMethod|NoSuchField|AbstractMethod|IncompatibleClassChange)Error: .*"
)
"""What Java says of a package that was compiled for another Spark."""
FOREIGN_TABLES = ROOT / "tests" / "support" / "foreign_tables.py"


def check_foreign(spark: SparkSession, data: Path, folder: Path, *tables: str) -> None:
    engine, *_ = load_engine(data / "subscriptions", None)
    wanted = answers_by(engine, read_without_spark(data / "feeds"))
    for table in tables:
        found = spark.read.parquet(str(folder / table))
        assert answers_of(found.where("error IS NULL")) == wanted
        assert found.where("error IS NOT NULL").count() == 0


def submit_with(artifact: str, arguments: list[object], folder: Path, options: list[str]) -> None:
    """Run spark-submit with the jars of an artifact. Skips the test if they cannot be fetched, or not be linked."""
    jars = ",".join(added_to_spark(resolve(artifact)))
    done = submit("local[2]", arguments, cwd=folder, options=["--jars", jars, *options])
    if linkage := LINKAGE_ERROR.search(done.stdout):
        pytest.skip(f"{artifact} is not made for Spark {spark_version}: {linkage[0]}")
    assert done.returncode == 0, (done.stdout[-3000:], done.stderr[-2000:])


def test_kafka_as_source_and_sink(spark: SparkSession, kafka: str, data: Path, tmp_path: Path) -> None:
    arguments = [FOREIGN_TABLES, "kafka", data, tmp_path, kafka]
    done = submit("local[2]", arguments, cwd=tmp_path, options=["--jars", ",".join(connector())])
    assert done.returncode == 0, (done.stdout[-3000:], done.stderr[-2000:])
    check_foreign(spark, data, tmp_path, "stream")


def test_the_example_with_a_broker(kafka: str, tmp_path: Path) -> None:
    example = ROOT / "examples" / "36_spark_kafka.py"
    done = submit("local[2]", [example, kafka], cwd=tmp_path, options=["--jars", ",".join(connector())])
    assert done.returncode == 0, (done.stdout[-3000:], done.stderr[-2000:])
    assert 'storms: {"publication_id":"urn:alert:1"' in done.stdout
    assert "broken.nq: " in done.stdout


@pytest.mark.skipif(not SOAK, reason="a JVM with packages from Maven: `make soak`")
def test_delta_tables(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    options = ["--conf", "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension"]
    options += ["--conf", "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog"]
    submit_with(DELTA, [FOREIGN_TABLES, "delta", data, tmp_path], tmp_path, options)
    check_foreign(spark, data, tmp_path, "batch", "stream")


@pytest.mark.skipif(not SOAK, reason="a JVM with packages from Maven: `make soak`")
def test_iceberg_tables(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    catalog = {"": "org.apache.iceberg.spark.SparkCatalog", ".type": "hadoop", ".warehouse": str(tmp_path / "tables")}
    options = [word for name, value in catalog.items() for word in ("--conf", f"spark.sql.catalog.local{name}={value}")]
    submit_with(ICEBERG, [FOREIGN_TABLES, "iceberg", data, tmp_path], tmp_path, options)
    check_foreign(spark, data, tmp_path, "batch", "stream")
