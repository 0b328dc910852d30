"""The log of a stream's batches: each is written exactly once, however often the stream is killed.

    out/matches/batch_id=7/, out/errors/batch_id=7/    overwritten if the batch runs again
    out/batches/0000000007.begun    its documents, the engine version and the time; written before it runs
    out/batches/0000000007.json     its counts; written last, atomically. Without it the batch does not count.
    out/batches/writer              the stream that may write here: the one that started last

A batch that runs again has the same documents, the same engine version and the same NOW. It therefore writes the same
rows to the same place.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from gtopss.errors import GtopssError, ResourceInUse
from gtopss.run_lock import run_lock
from gtopss.spark.io.storage import LocalStorage, Storage

_FOLDER = "batches"


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
    """What a batch is matched with, however often it runs."""

    version: str
    at: datetime
    after: int  # its documents have the numbers above this one,
    through: int  # up to and including this one,
    missing: tuple[int, ...] = ()  # except these, which were not in the spool when the batch began


class BatchLog:
    """The batches of one result folder. One process at a time may write: see `lock`."""

    def __init__(self, out: Path | Storage, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """`out` is a local path, or a folder that `open_storage` opened."""
        self.out = LocalStorage(out) if isinstance(out, Path) else out
        self._clock = clock
        self._completed: dict[int, CompletedBatch] = {}
        self._writer = b""

    @staticmethod
    def exists_in(out: Storage) -> bool:
        """Return whether a stream has written to this folder."""
        return out.exists(_FOLDER)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for one stream. Raises ResourceInUse.

        On the local file system another stream cannot start; the lock ends with the process at the latest. Other file
        systems have no such locks: there a stream that starts takes the folder, and the one before ends at its next
        batch.
        """
        self._writer = secrets.token_hex(8).encode()
        self.out.write(f"{_FOLDER}/.folder", b"")
        if isinstance(self.out, LocalStorage):
            with run_lock(self.out.path / ".lock", self.out.path):
                self.out.write(f"{_FOLDER}/writer", self._writer)
                yield
        else:
            self.out.write(f"{_FOLDER}/writer", self._writer)
            yield

    def check_writer(self) -> None:
        """Raise ResourceInUse if another stream has taken the folder since `lock`."""
        writer = self.out.read(f"{_FOLDER}/writer")
        if self._writer and writer is not None and writer != self._writer:
            raise ResourceInUse(Path(str(self.out)), None, None)

    def begin(self, batch_id: int, start: Callable[[datetime], BatchStart]) -> BatchStart:
        """Record what a batch that starts now is matched with, or return how it started before."""
        before = self.start_of(batch_id)
        if before is not None:
            return before
        made = start(self._clock())
        text = json.dumps({**asdict(made), "at": made.at.isoformat()})
        self.out.write(self._start_name(batch_id), text.encode())
        return made

    def start_of(self, batch_id: int) -> BatchStart | None:
        """Return how a batch started, or None if it has not."""
        content = self.out.read(self._start_name(batch_id)) if batch_id >= 0 else None
        if content is None:
            return None
        read = json.loads(content)
        if "through" not in read:
            raise GtopssError(
                f"{self.out}: an earlier version of gtopss began a stream here, whose log says not which documents "
                "it has read: give another folder, or end this stream with that version"
            )
        at = datetime.fromisoformat(read["at"])
        return BatchStart(read["version"], at, read["after"], read["through"], tuple(read["missing"]))

    def table_path(self, name: str, batch_id: int) -> str:
        """Return the folder of a table of a batch."""
        return self.out.url(name, f"batch_id={batch_id}")

    def complete(self, batch: CompletedBatch) -> None:
        """Record that all tables of a batch are written."""
        self.check_writer()
        self.out.write(f"{_FOLDER}/{batch.batch_id:010d}.json", json.dumps(asdict(batch)).encode())

    def completed(self) -> list[CompletedBatch]:
        """Return the completed batches in order. Each is read once."""
        for name in self.out.names(_FOLDER):
            number = name.removesuffix(".json")
            if name.endswith(".json") and number.isdecimal() and int(number) not in self._completed:
                content = self.out.read(f"{_FOLDER}/{name}")
                if content is not None:
                    self._completed[int(number)] = CompletedBatch(**json.loads(content))
        return [self._completed[number] for number in sorted(self._completed)]

    def read_through(self) -> int:
        """Return the highest spool number that a completed batch has read, or 0."""
        done = self.completed()
        start = self.start_of(done[-1].batch_id) if done else None
        return start.through if start is not None else 0

    def _start_name(self, batch_id: int) -> str:
        return f"{_FOLDER}/{batch_id:010d}.begun"
