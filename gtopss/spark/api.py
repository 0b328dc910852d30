"""Match DataFrames in your own Spark session.

    read_feeds(spark, "feeds/") ──> publications ──> match(publications, engine) ──> matches
    any table of triples ────────────────────────────┘
    a column of documents ──> parse_documents(df) ───┘

All functions take batch or streaming DataFrames and are lazy: Spark computes the result when it is written or
collected. Input that cannot be read or matched is not dropped: it is a row whose `error` says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.engine import Engine
from gtopss.spark.errors import InvalidTable, UnknownPlan
from gtopss.spark.io.rows import spread
from gtopss.spark.io.sources import parse_contents, read_sources
from gtopss.spark.io.table_schemas import MATCH_ROWS, PAYLOAD, READ_ROWS, TRIPLE
from gtopss.spark.plans.engine_plan import match_rows, ship_divided
from gtopss.spark.plans.names import PlanName
from gtopss.spark.plans.registry import plan_by_name
from gtopss.spark.runtime.session import use_this_python

_NAMES = ("publication_id", "source", "published_at", "triples", *TRIPLE.fieldNames())
_WANTED = "publication_id and either triples: array<struct<s, p, o>>, or s, p and o with one triple in a row"


def match(
    df: DataFrame, engine: Engine, *, columns: Mapping[str, str] | None = None, plan: PlanName = "engine"
) -> DataFrame:
    """Match a table of publications against the subscriptions of an engine, and return one row for each solution.

    `df` has the column `publication_id` and either `triples` (an array of structs s, p, o) or the columns `s`, `p` and
    `o` with one triple per row. Terms are strings in N-Triples syntax. The columns `source`, `published_at` and
    `payload` (bytes for operators) are optional; other columns are ignored. `columns` maps these names, except
    `payload`, to the names in `df`, such as `{"publication_id": "doc", "s": "subject"}`.

    The result has the columns publication_id, source, published_at, subscription_id, bindings, truncated, error and
    place. `error` is null for a match; a publication that cannot be read, or a subscription that cannot be matched, is
    a row with an error. Subscriptions that are added to the engine later have no effect.

    A streaming DataFrame needs `plan="engine"` and the column `triples`, because Spark cannot group the rows of a
    stream without a watermark. The value of NOW() is the time when this function is called; in a stream, the time when
    a publication is matched. Raises InvalidTable or UnknownPlan.
    """
    use_this_python(df.sparkSession)
    read = publications_of(df, columns)
    publications = read.where("error IS NULL").drop("error", "place")
    has_errors = {"error", "place"} <= set(df.columns)
    refused = read.where("error IS NOT NULL").select(*_error_columns(read)) if has_errors else None
    if plan == "engine":
        publications = publications if df.isStreaming else spread_files(publications)
        now = None if df.isStreaming else datetime.now(UTC)
        found = match_rows(publications, ship_divided(df.sparkSession, engine), now)
    elif df.isStreaming:
        raise UnknownPlan(plan, ["engine"])
    else:
        tables = plan_by_name(plan)(df.sparkSession, publications, engine)
        parts = (each.select(*_error_columns(each)) for each in (tables.matches, tables.errors))
        found = reduce(DataFrame.unionAll, parts)
    return found if refused is None else found.unionAll(refused)


def read_feeds(spark: SparkSession, *sources: str | Path) -> DataFrame:
    """Read feeds, RDF files, N-Quads, archives, directories and Parquet tables into publications for `match`.

    A source is a path, or a URL that Hadoop supports (`hdfs://`, `s3a://`). A document that cannot be read is a row
    whose `error` says why. Spark parses the documents again whenever it computes the table again: cache the table, or
    write it. Raises MissingSource if there is nothing at a location.
    """
    use_this_python(spark)
    read = read_sources(spark, sources)
    read.release()
    nothing = F.lit(None).cast("string")
    publications = read.publications.withColumns({"error": nothing, "place": nothing})
    errors = read.errors.withColumns(
        {"published_at": F.lit(None).cast("timestamp"), "triples": F.lit(None).cast(READ_ROWS["triples"].dataType)}
    )
    return publications.unionByName(errors.select(*READ_ROWS.fieldNames()))


def parse_documents(df: DataFrame, content: str = "value", name: str | None = None) -> DataFrame:
    """Parse a column of documents (text or bytes: feeds, RDF, N-Quads) into publications for `match`.

    `content` is the column of documents; its default, "value", is the column of Kafka messages. `name` is a column with
    their names, which become `source` and the base of ids. Batch and streaming DataFrames are supported. Raises
    InvalidTable.
    """
    if content not in df.columns or (name is not None and name not in df.columns):
        missing = content if content not in df.columns else name
        raise InvalidTable("the table of documents", f"it has no column {missing}: it has {', '.join(df.columns)}")
    use_this_python(df.sparkSession)
    named = F.lit(None) if name is None else F.col(name)
    documents = df.select(named.cast("string").alias("name"), F.col(content).cast("binary").alias("content"))
    return parse_contents(documents)


def spread_files(publications: DataFrame) -> DataFrame:
    """Distribute a table to all cores if it comes from few files. A table that was shuffled stays as it is."""
    plan = publications._jdf.queryExecution().sparkPlan().toString()
    return publications if any(sign in plan for sign in ("Exchange", "Join", "Aggregate")) else spread(publications)


def publications_of(df: DataFrame, columns: Mapping[str, str] | None = None) -> DataFrame:
    """Return the publications of a table that is nested or flat, under any names (READ_ROWS). Raises InvalidTable."""
    columns = columns or {}
    if unknown := set(columns) - set(_NAMES):
        raise InvalidTable("the table", f"columns= has the key {min(unknown)!r}: use only {', '.join(_NAMES)}")
    names = {name: columns.get(name, name) for name in _NAMES}
    if absent := [columns[name] for name in columns if name not in "spo" and columns[name] not in df.columns]:
        raise InvalidTable("the table", f"it has no column {absent[0]}: it has {', '.join(df.columns)}")
    has = {name: given for name, given in names.items() if given in df.columns}
    if "publication_id" not in has or not ("triples" in has or {"s", "p", "o"} <= set(has)):
        found = f"it has {', '.join(df.columns)}, and matching needs {_WANTED}"
        raise InvalidTable("the table", f"{found}; map other names with columns={{...}}")
    table, triples = (df, _triples(df, names)) if "triples" in has else (_grouped(df, has), F.col("triples"))
    own = has if "triples" in has else {name: name for name in table.columns}
    if {"error", "place"} <= set(df.columns):  # as `read_feeds` and `parse_documents` return it
        own = own | {"error": "error", "place": "place"}
    made = [
        triples if name == "triples" else F.col(f"`{own[name]}`") if name in own else F.lit(None)
        for name in READ_ROWS.fieldNames()
    ]
    typed = [column.cast(each.dataType).alias(each.name) for column, each in zip(made, READ_ROWS.fields, strict=True)]
    if "triples" in has and PAYLOAD in df.columns:
        typed.append(F.col(PAYLOAD).cast("binary").alias(PAYLOAD))
    return table.select(*typed)


def _triples(df: DataFrame, names: Mapping[str, str]) -> Column:
    """Return the list of triples with our names, each term as text. A column that has them already is not copied."""
    given = F.col(f"`{names['triples']}`")
    if df.schema[names["triples"]].dataType == READ_ROWS["triples"].dataType and all(
        names[part] == part for part in TRIPLE.fieldNames()
    ):
        return given
    parts = ", ".join(f"'{part}', CAST(each.`{names[part]}` AS STRING)" for part in TRIPLE.fieldNames())
    return F.expr(f"transform(`{names['triples']}`, each -> named_struct({parts}))")


def _grouped(df: DataFrame, has: Mapping[str, str]) -> DataFrame:
    """Return one row for each publication of a table with one triple in a row."""
    if df.isStreaming:
        raise InvalidTable(
            "the stream",
            "its rows are single triples, which a stream cannot group into publications: give lists of triples, or "
            "match inside foreachBatch(lambda batch, id: match(batch, engine).write...)",
        )
    triple = F.struct(*(F.col(f"`{has[part]}`").cast("string").alias(part) for part in TRIPLE.fieldNames()))
    values = [F.collect_list(triple).alias("triples")]
    values += [F.min(F.col(f"`{has[name]}`")).alias(name) for name in ("source", "published_at") if name in has]
    return df.groupBy(F.col(f"`{has['publication_id']}`").alias("publication_id")).agg(*values)


def _error_columns(table: DataFrame) -> list[Column]:
    """Return the columns of MATCH_ROWS; those that the table lacks are null."""
    return [
        (F.col(field.name) if field.name in table.columns else F.lit(None)).cast(field.dataType).alias(field.name)
        for field in MATCH_ROWS.fields
    ]
