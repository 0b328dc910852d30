"""How an engine gets into the executors: saved once, opened once in each of their processes.

On one machine the folder is opened where it is, and its segments are mapped into memory: all processes share them. On
several, the folder is packed into a broadcast, which Spark hands from executor to executor, and each unpacks it beside
its other files. Either way it is opened once in a process and kept from task to task. Operators go with it (`Asking`).
"""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import tarfile
import tempfile
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark import Broadcast, SparkFiles
from pyspark.sql import SparkSession

from gtopss.engine import Engine
from gtopss.errors import NeverMatches
from gtopss.model import Subscription
from gtopss.model.terms import is_variable
from gtopss.spark.runtime.operator_settings import OperatorSettings
from gtopss.spark.runtime.session import is_local

MAX_BROADCAST_INDEX_BYTES = 512 * 2**20
"""Of the index's arrays in one broadcast; what is larger is sharded."""
MAX_OPEN_ENGINES = 2
"""Engines that a process keeps open: the one in use, and the one that it takes turns with."""

_open: OrderedDict[str, Engine] = OrderedDict()


@dataclass(frozen=True)
class ShippedEngine:
    """A saved engine that executors can open. `packed` is None where they can open `path` itself."""

    name: str
    path: str
    operator_settings: bytes
    packed: Broadcast[bytes] | None = None

    def engine(self) -> Engine:
        """The engine, opened in this process at most once."""
        key = f"{self.name} {hashlib.sha256(self.operator_settings).hexdigest()}"
        if key not in _open:
            folder = self.path if self.packed is None else _unpacked(self.name, self.packed)
            _open[key] = OperatorSettings.unpacked(self.operator_settings).open(folder)
            while len(_open) > MAX_OPEN_ENGINES:
                _open.popitem(last=False)
        _open.move_to_end(key)
        return _open[key]


def ship_engine(spark: SparkSession, engine: Engine) -> ShippedEngine:
    """Save an engine for the executors of this session. The folder goes when the session's process does."""
    operator_settings = OperatorSettings.of(engine).packed()
    folder = TemporaryDirectory(prefix="gtopss-engine-")
    weakref.finalize(spark, folder.cleanup)
    engine.save(folder.name)
    return ship_saved_engine(spark, folder.name, operator_settings)


def ship_saved_engine(
    spark: SparkSession, folder: str | Path, operator_settings: bytes, *, name: str | None = None
) -> ShippedEngine:
    """A saved engine for the executors of this session. A `name` stands for one content, for ever."""
    name = name or secrets.token_hex(8)
    if is_local(spark):
        return ShippedEngine(name, str(folder), operator_settings)
    return ShippedEngine(name, str(folder), operator_settings, spark.sparkContext.broadcast(_pack(Path(folder))))


def shards(engine: Engine, count: int) -> Iterator[Engine]:
    """The subscriptions dealt out to so many engines, all else equal: together they answer as the one does.

    Those with one access edge stay together, since an index keeps it once; those that ask operators do, since they
    share the answers. The largest group goes first, each to the engine that has least.
    """
    operated = set(engine.operator_subscription_ids())
    groups: dict[Hashable, list[str]] = {}
    for each in engine.subscriptions():
        groups.setdefault(None if each.id in operated else _access_edge(each), []).append(each.id)
    parts: list[list[str]] = [[] for _ in range(count)]
    for group in sorted(groups.values(), key=len, reverse=True):
        min(parts, key=len).extend(group)
    for ids in parts:
        part = engine.without_subscriptions()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NeverMatches)  # that was said when it was registered
            part.add_many(map(engine.subscription, ids))
        yield part


def _access_edge(subscription: Subscription) -> Hashable:
    """The edge that says most: of the first branch, the one with the fewest variables; without their names."""
    edges = [
        tuple("?" if is_variable(part) else part for part in each.edge()) for each in subscription.branches[0].tuples
    ]
    return min(edges, key=lambda edge: (edge.count("?"), edge), default=())


def shards_needed(engine: Engine) -> int:
    return -(-engine.index_bytes() // MAX_BROADCAST_INDEX_BYTES) or 1


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
