"""What a stream wrote, batch by batch: exactly once, however often it was killed.

    out/matches/batch_id=7/*.parquet, out/errors/batch_id=7/...     overwritten when the batch is run again
    out/batches/0000000007.begun        which version of the subscriptions it is matched by, and when: settled first
    out/batches/0000000007.json         written last, in one step: what it holds; without it, the batch does not count

A batch that is run again has the same documents (their numbers are in Spark's checkpoint), the same version and the
same NOW, so it writes the same rows in the same place.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from gtopss.errors import GtopssError
from gtopss.spark.io.table_schemas import ERRORS, MATCHES

TABLES = {"matches": MATCHES, "errors": ERRORS}


@dataclass(frozen=True, slots=True)
class CompletedBatch:
    """A batch that is done."""

    batch_id: int
    version: str
    publications: int
    matches: int  # rows: one for each solution
    errors: int
    seconds: float
    finished_at: str


@dataclass(frozen=True, slots=True)
class BatchStart:
    """What a batch is matched by, however often it is run."""

    version: str
    at: datetime


class BatchLog:
    """The folder of a stream's results."""

    def __init__(self, out: Path, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.out = out
        self._clock = clock
        self._folder = out / "batches"
        self._folder.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def held(self) -> Iterator[None]:
        """One stream at a time writes here; the hold ends with the process, however that ends."""
        with (self.out / ".lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                reason = "another stream writes here: stop it, or choose another folder"
                raise GtopssError(f"{self.out}: {reason}") from None
            yield

    def begin(self, batch_id: int, newest: str) -> BatchStart:
        """The newest version, now; unless it was begun before."""
        before = self._begun(batch_id)
        if before is not None:
            return before
        made = BatchStart(newest, self._clock())
        _replace(self._begun_path(batch_id), json.dumps({"version": made.version, "at": made.at.isoformat()}))
        return made

    def version_of(self, batch_id: int) -> str | None:
        begun = self._begun(batch_id)
        return begun.version if begun is not None else None

    def _begun(self, batch_id: int) -> BatchStart | None:
        path = self._begun_path(batch_id)
        if not path.exists():
            return None
        read = json.loads(path.read_text())
        return BatchStart(read["version"], datetime.fromisoformat(read["at"]))

    def _begun_path(self, batch_id: int) -> Path:
        return self._folder / f"{batch_id:010d}.begun"

    def table_path(self, name: str, batch_id: int) -> str:
        return str(self.out / name / f"batch_id={batch_id}")

    def finish(self, batch: CompletedBatch) -> None:
        _replace(self._path(batch.batch_id), json.dumps(asdict(batch)))

    def finished(self) -> list[CompletedBatch]:
        return [CompletedBatch(**json.loads(path.read_text())) for path in sorted(self._folder.glob("*.json"))]

    def _path(self, batch_id: int) -> Path:
        return self._folder / f"{batch_id:010d}.json"


def read_results(spark: SparkSession, out: Path, name: str) -> DataFrame:
    """A table that `gtopss pipeline` wrote, in bulk or as a stream: of a stream, the batches that are done."""
    if not (out / "batches").exists():
        return spark.read.schema(TABLES[name]).parquet(str(out / name))
    batches = BatchLog(out)
    paths = [batches.table_path(name, batch.batch_id) for batch in batches.finished()]
    return spark.read.schema(TABLES[name]).parquet(*paths) if paths else spark.createDataFrame([], TABLES[name])


def _replace(path: Path, text: str) -> None:
    """Whole, on disk, in one step."""
    waiting = path.with_suffix(".new")
    with waiting.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(waiting, path)
