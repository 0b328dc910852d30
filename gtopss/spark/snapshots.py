"""How an engine gets into the executors: saved once, opened once in each of their processes.

On one machine the folder is opened where it is, and its segments are mapped into memory: all processes share them. On
several, the folder is packed into a broadcast, which Spark hands from executor to executor, and each unpacks it beside
its other files. Either way it is opened once in a process and kept from task to task.
"""

from __future__ import annotations

import io
import os
import secrets
import tarfile
import tempfile
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark import Broadcast, SparkFiles
from pyspark.sql import SparkSession

from gtopss.engine import Engine
from gtopss.errors import NeverMatches
from gtopss.gm.index import IndexMatcher
from gtopss.spark.session import is_local

SHARD_BYTES = 512 * 2**20
"""Of the index's arrays in one broadcast; what is larger is sharded."""
KEPT = 2
"""Engines that a process keeps open: the one in use, and the one that it takes turns with."""

_open: OrderedDict[str, Engine] = OrderedDict()


@dataclass(frozen=True)
class Shared:
    """A saved engine that executors can open. `packed` is None where they can open `path` itself."""

    name: str
    path: str
    packed: Broadcast[bytes] | None = None

    def engine(self) -> Engine:
        """The engine, opened in this process at most once."""
        if self.name not in _open:
            _open[self.name] = Engine.open(self.path if self.packed is None else _unpacked(self.name, self.packed))
            while len(_open) > KEPT:
                _open.popitem(last=False)
        _open.move_to_end(self.name)
        return _open[self.name]


def share(spark: SparkSession, engine: Engine) -> Shared:
    """Save an engine for the executors of this session. The folder goes when the session's process does."""
    folder = TemporaryDirectory(prefix="gtopss-engine-")
    weakref.finalize(spark, folder.cleanup)
    engine.save(folder.name)
    return share_folder(spark, folder.name)


def share_folder(spark: SparkSession, folder: str | Path, *, name: str | None = None) -> Shared:
    """A saved engine for the executors of this session. A `name` stands for one content, for ever."""
    name = name or secrets.token_hex(8)
    if is_local(spark):
        return Shared(name, str(folder))
    return Shared(name, str(folder), spark.sparkContext.broadcast(_pack(Path(folder))))


def shards(engine: Engine, count: int) -> Iterator[Engine]:
    """The subscriptions dealt out to so many engines, all else equal: together they answer as the one does."""
    parts: list[list[str]] = [[] for _ in range(count)]
    for number, subscription in enumerate(engine.subscriptions()):
        parts[number % count].append(subscription.id)
    index = engine._matcher
    for ids in parts:
        part = Engine(
            taxonomy=engine.taxonomy,
            entailment=engine.entailment,
            row_limit=engine.row_limit,
            work_limit=index.subscription_work if isinstance(index, IndexMatcher) else None,
            allow_cartesian=engine.allow_cartesian,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NeverMatches)  # that was said when it was registered
            part.add_many(map(engine.subscription, ids))
        yield part


def shards_needed(engine: Engine) -> int:
    return -(-engine.index_bytes() // SHARD_BYTES) or 1


def _pack(folder: Path) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:  # not compressed: arrays hardly shrink
        archive.add(folder, arcname=".")
    return data.getvalue()


def _unpacked(name: str, packed: Broadcast[bytes]) -> Path:
    """Beside the executor's files; of several processes that unpack at once, the first to finish counts."""
    top = Path(SparkFiles.getRootDirectory())
    folder = top / f"gtopss-engine-{name}"
    if not folder.exists():
        made = tempfile.mkdtemp(dir=top)
        with tarfile.open(fileobj=io.BytesIO(packed.value)) as archive:
            archive.extractall(made, filter="data")
        try:
            os.rename(made, folder)
        except OSError:
            if not folder.exists():
                raise
    return folder
