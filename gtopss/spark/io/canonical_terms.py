"""Bring the terms of anybody's tables into the one form that the rest compares: canonical N-Triples.

Other programs write `"a"^^xsd:string`, `"a"@EN`, other escapes, or raw control characters; they are equal terms with
different texts. A term that is in canonical form already is recognised by Arrow's regular expressions, without a Python
object; a row with any other term is read by the model. A row that is not a publication becomes a row of errors.

The engine plan needs no such pass: the engine reads Arrow columns by the same rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from gtopss.errors import GtopssError, MalformedPublication
from gtopss.model import Publication
from gtopss.model.iris import IRI_REFERENCE
from gtopss.model.terms import XSD_STRING
from gtopss.spark.io.rows import arrow_batch, error_row, publication_row
from gtopss.spark.io.table_schemas import READ_ROWS, READ_ROWS_ARROW
from gtopss.spark.runtime.worker_functions import worker_function

MISSING_ID = "a publication has no id: its id must be a non-empty string"

_BLANK = r"_:[A-Za-z0-9_]+"
_LITERAL = (
    r'"(?:[^\x00-\x1f\x7f"\\\x{FFFE}\x{FFFF}]|\\[tbnrf"\\])*"'
    rf"(?:@[a-z]{{1,8}}(?:-[a-z0-9]{{1,8}})*|\^\^{IRI_REFERENCE})?"
)
_CANONICAL = {
    "s": f"^(?:{IRI_REFERENCE}|{_BLANK})$",
    "p": f"^{IRI_REFERENCE}$",
    "o": f"^(?:{IRI_REFERENCE}|{_BLANK}|{_LITERAL})$",
}
"""Terms that are surely canonical, in the syntax of Arrow's regular expressions. The model reads all others."""
_WRITTEN_STRING = f"^^<{XSD_STRING}>"


def canonical_publications(publications: DataFrame) -> DataFrame:
    """Return READ_ROWS: publications with canonical terms, and an error for each row that is not a publication."""
    return publications.mapInArrow(worker_function(_canonical_batches), READ_ROWS)


def _canonical_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield from canonical_batches(batch)


def canonical_batches(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yield READ_ROWS for a batch of PUBLICATIONS: the canonical rows as they are, then those that were rewritten."""
    is_other = _rows_to_rewrite(batch)
    if not is_other.all():
        plain = batch.filter(pa.array(~is_other))
        yield pa.RecordBatch.from_arrays(
            [
                plain.column(field.name).cast(field.type)
                if field.name in batch.schema.names
                else pa.nulls(plain.num_rows, field.type)
                for field in READ_ROWS_ARROW
            ],
            schema=READ_ROWS_ARROW,
        )
    if is_other.any():
        rows = batch.filter(pa.array(is_other)).to_pylist()
        yield arrow_batch([_rewritten(row) for row in rows], READ_ROWS_ARROW)


def _rewritten(row: dict[str, Any]) -> dict[str, Any]:
    id, source, triples = row["publication_id"], row["source"], row["triples"]
    if not id:
        return error_row(MISSING_ID, source=source)
    try:
        if triples is None:
            raise MalformedPublication("its list of triples is null", publication_id=id)
        given = [tuple(triple[name] for name in "spo") if triple is not None else None for triple in triples]
        made = Publication(id, given, source=source, published_at=row["published_at"])  # type: ignore[arg-type]
    except GtopssError as error:
        return error_row(error, source=source, publication_id=id)
    return publication_row(made)


def _rows_to_rewrite(batch: pa.RecordBatch) -> Any:
    """Return by row whether its id or list is missing, or some term is not surely canonical."""
    ids, lists = batch.column("publication_id"), batch.column("triples")
    is_other = np.array(pc.fill_null(pc.equal(ids, ""), True)) | np.array(pc.is_null(lists))
    ends = np.cumsum(np.asarray(pc.fill_null(pc.list_value_length(lists), 0)))
    triples = lists.flatten()
    columns = {name: pc.struct_field(triples, name) for name in "spo"}
    canonical = pc.invert(pc.ends_with(columns["o"], _WRITTEN_STRING))
    for name, pattern in _CANONICAL.items():
        canonical = pc.and_(canonical, pc.match_substring_regex(columns[name], pattern))
    others = np.flatnonzero(~np.asarray(pc.fill_null(canonical, False)))
    is_other[np.searchsorted(ends, others, side="right")] = True
    return is_other


def with_publication_id(error: GtopssError, id: str) -> GtopssError:
    """Return an error of reading with the id that a table gives to its publication."""
    if not isinstance(error, MalformedPublication):
        return error
    return MalformedPublication(
        error.reason, publication_id=id, line=error.line, column=error.column, triple=error.triple
    )
