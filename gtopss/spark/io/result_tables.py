"""Results and errors of one pass over the input, as two tables that share the cached pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from gtopss.spark.io.table_schemas import ERRORS, MATCHES, PUBLICATIONS


class Releasable(Protocol):
    """What a pass keeps in the executors: a cached table, or a broadcast."""

    def unpersist(self) -> object: ...


class _CachedTables:
    """Tables that read from `cached` tables and broadcasts. Their owner calls `release` after writing them."""

    __slots__ = ()
    cached: tuple[Releasable, ...]

    def release(self) -> None:
        """Drop the cached pass. A table that is read afterwards runs the pass again."""
        for each in self.cached:
            each.unpersist()


@dataclass(frozen=True, slots=True)
class PublicationTables(_CachedTables):
    """What was read: PUBLICATIONS, and one row of ERRORS for each refused document."""

    publications: DataFrame
    errors: DataFrame
    cached: tuple[Releasable, ...] = ()

    @classmethod
    def split(cls, read_rows: DataFrame) -> PublicationTables:
        """Cache a table of READ_ROWS, and split it into publications and errors."""
        cached = read_rows.persist()
        return cls(_results(cached, PUBLICATIONS.fieldNames()), errors_of(cached), (cached,))


@dataclass(frozen=True, slots=True)
class MatchTables(_CachedTables):
    """What a plan found: MATCHES, one row for each solution, and ERRORS for what could not be matched."""

    matches: DataFrame
    errors: DataFrame
    cached: tuple[Releasable, ...] = ()

    @classmethod
    def split(cls, match_rows: DataFrame, broadcasts: Iterable[Releasable] = ()) -> MatchTables:
        """Cache a table of MATCH_ROWS, and split it into matches and errors. `broadcasts` are released with it."""
        cached = match_rows.persist()
        return cls(_results(cached, MATCHES.fieldNames()), errors_of(cached), (cached, *broadcasts))


def _results(mixed: DataFrame, columns: Sequence[str]) -> DataFrame:
    return mixed.where("error IS NULL").select(*columns)


def errors_of(mixed: DataFrame) -> DataFrame:
    """Return the rows of ERRORS among rows of which some are errors."""
    columns = [
        F.col(name) if name in mixed.columns else F.lit(None).cast("string").alias(name) for name in ERRORS.fieldNames()
    ]
    return mixed.where("error IS NOT NULL").select(*columns)
