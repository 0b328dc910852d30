"""The schemas of all tables: publications in, matches and errors out. A term is its N-Triples text.

A row of publications is one publication, and its triples are a list of (s, p, o): the engine reads this form from Arrow
in batches. One pass over the input yields both results and errors, and must not run twice to get both. Such a pass
makes one mixed table (READ_ROWS, MATCH_ROWS), in which `error` is null for a result; `result_tables.py` splits it.
"""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

_TEXT = StringType()
TRIPLE = StructType([StructField(name, _TEXT) for name in ("s", "p", "o")])
PUBLICATIONS = StructType(
    [
        StructField("publication_id", _TEXT),
        StructField("source", _TEXT),
        StructField("published_at", TimestampType()),
        StructField("triples", ArrayType(TRIPLE)),
    ]
)
PAYLOAD = "payload"
"""An optional column of publications: bytes that operators receive as `publication.payload`."""
PUBLICATIONS_WITH_PAYLOADS = StructType([*PUBLICATIONS.fields, StructField(PAYLOAD, BinaryType())])
MATCHES = StructType(
    [
        StructField("publication_id", _TEXT),
        StructField("source", _TEXT),
        StructField("published_at", TimestampType()),
        StructField("subscription_id", _TEXT),
        StructField("bindings", MapType(_TEXT, _TEXT)),
        StructField("truncated", BooleanType()),
    ]
)
ERRORS = StructType(
    [StructField(name, _TEXT) for name in ("source", "publication_id", "subscription_id", "error", "place")]
)

_ERROR_COLUMNS = [StructField("error", _TEXT), StructField("place", _TEXT)]
READ_ROWS = StructType([*PUBLICATIONS.fields, *_ERROR_COLUMNS])
MATCH_ROWS = StructType([*MATCHES.fields, *_ERROR_COLUMNS])

_ARROW = {
    "published_at": pa.timestamp("us", tz="UTC"),
    "triples": pa.list_(pa.struct([("s", pa.string()), ("p", pa.string()), ("o", pa.string())])),
    "bindings": pa.map_(pa.string(), pa.string()),
    "truncated": pa.bool_(),
}


def _arrow_schema(schema: StructType) -> pa.Schema:
    return pa.schema([(name, _ARROW.get(name, pa.string())) for name in schema.fieldNames()])


READ_ROWS_ARROW = _arrow_schema(READ_ROWS)
MATCH_ROWS_ARROW = _arrow_schema(MATCH_ROWS)
