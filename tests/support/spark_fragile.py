"""A reader that can be brought down, in the executors: the session has this folder on their path."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from gtopss.reading.isolation import IsolatedReader
from gtopss.spark.io import sources
from support.fragile import fragile


def read_units(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    usual = sources._reader
    with IsolatedReader(read=fragile, timeout_seconds=5) as reader:
        sources._reader = lambda: reader
        try:
            yield from READ_UNITS(batches)
        finally:
            sources._reader = usual


READ_UNITS = sources._read_units
