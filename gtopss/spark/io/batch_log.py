"""The log of a stream's batches: each is written exactly once, however often the stream is killed.

    out/matches/batch_id=7/, out/errors/batch_id=7/    overwritten if the batch runs again
    out/batches/0000000007.begun    the engine version and the time of the batch; written before it runs
    out/batches/0000000007.json     its counts; written last, atomically. Without it the batch does not count.

A batch that runs again has the same documents (Spark's checkpoint holds their numbers), the same engine version and the
same NOW. It therefore writes the same rows to the same place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from gtopss.atomic_files import write_atomically
from gtopss.run_lock import run_lock


@dataclass(frozen=True, slots=True)
class CompletedBatch:
    """A batch whose tables are written."""

    batch_id: int
    version: str
    publications: int
    matches: int  # rows, one for each solution
    errors: int
    seconds: float
    finished_at: str


@dataclass(frozen=True, slots=True)
class BatchStart:
    """The engine version and the time that a batch is matched with, however often it runs."""

    version: str
    at: datetime


class BatchLog:
    """The batches of one result folder. One process at a time may write: see `lock`."""

    def __init__(self, out: Path, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.out = out
        self._clock = clock
        self._folder = out / "batches"
        self._folder.mkdir(parents=True, exist_ok=True)

    @staticmethod
    def exists_in(out: Path) -> bool:
        """Return whether a stream has written to this folder."""
        return (out / "batches").exists()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for one stream. The lock ends with the process at the latest. Raises ResourceInUse."""
        with run_lock(self.out / ".lock", self.out):
            yield

    def begin(self, batch_id: int, newest: str) -> BatchStart:
        """Record that a batch starts now with the newest version, or return how it started before."""
        before = self._start(batch_id)
        if before is not None:
            return before
        start = BatchStart(newest, self._clock())
        text = json.dumps({"version": start.version, "at": start.at.isoformat()})
        write_atomically(self._start_path(batch_id), text)
        return start

    def version_of(self, batch_id: int) -> str | None:
        """Return the engine version of a batch, or None if it has not started."""
        start = self._start(batch_id)
        return start.version if start is not None else None

    def table_path(self, name: str, batch_id: int) -> str:
        """Return the folder of a table of a batch."""
        return str(self.out / name / f"batch_id={batch_id}")

    def complete(self, batch: CompletedBatch) -> None:
        """Record that all tables of a batch are written."""
        write_atomically(self._folder / f"{batch.batch_id:010d}.json", json.dumps(asdict(batch)))

    def completed(self) -> list[CompletedBatch]:
        """Return the completed batches in order."""
        return [CompletedBatch(**json.loads(path.read_text())) for path in sorted(self._folder.glob("*.json"))]

    def _start(self, batch_id: int) -> BatchStart | None:
        path = self._start_path(batch_id)
        if not path.exists():
            return None
        read = json.loads(path.read_text())
        return BatchStart(read["version"], datetime.fromisoformat(read["at"]))

    def _start_path(self, batch_id: int) -> Path:
        return self._folder / f"{batch_id:010d}.begun"
