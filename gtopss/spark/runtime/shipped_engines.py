"""Ship an engine to the executors: save it once, and open it once in each executor process.

On one machine each process opens the saved folder where it is. The index is memory-mapped, so all processes share it.
On a cluster the folder is packed into a broadcast, which Spark passes from executor to executor; each unpacks it beside
its other files. In both cases the engine stays open from task to task. Its operators are sent along.
"""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import tarfile
import tempfile
import weakref
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark import Broadcast, SparkFiles
from pyspark.sql import SparkSession

from gtopss.engine import Engine
from gtopss.spark.runtime.session import is_local
from gtopss.spark.runtime.shipped_operators import pack_operators, unpack_operators

MAX_OPEN_ENGINES = 2  # in one executor process: the current one and its predecessor or other shard; the rest is closed

_open_engines: OrderedDict[str, Engine] = OrderedDict()  # of this process, the least recently used first


@dataclass(frozen=True)
class ShippedEngine:
    """A saved engine that executors can open: in `path` if they see it, else from the broadcast `packed`.

    `name` identifies the content: two engines with one name are taken for the same.
    """

    name: str
    path: str
    operators: bytes
    packed: Broadcast[bytes] | None = None

    def engine(self) -> Engine:
        """Return the engine; this process opens it at the first call."""
        key = f"{self.name} {hashlib.sha256(self.operators).hexdigest()}"
        if key not in _open_engines:
            folder = self.path if self.packed is None else _unpack(self.name, self.packed)
            engine = _open_engines[key] = Engine.open(folder, operators=unpack_operators(self.operators))
            if engine.config.threads is None:
                engine.use_threads(1)  # Spark runs a task on every processor
            while len(_open_engines) > MAX_OPEN_ENGINES:
                _open_engines.popitem(last=False)
        _open_engines.move_to_end(key)
        return _open_engines[key]

    def destroy(self) -> None:
        """Free the broadcast in the driver and in all executors. The engine cannot be sent again."""
        if self.packed is not None:
            self.packed.destroy()


def ship_engine(spark: SparkSession, engine: Engine) -> ShippedEngine:
    """Save an engine for the executors of this session. The folder is deleted with the session object."""
    operators = pack_operators(engine.operators_in_use())
    folder = TemporaryDirectory(prefix="gtopss-engine-")
    weakref.finalize(spark, folder.cleanup)
    engine.save(folder.name)
    return ship_saved_engine(spark, folder.name, operators)


def ship_saved_engine(
    spark: SparkSession, folder: str | Path, operators: bytes, *, name: str | None = None
) -> ShippedEngine:
    """Make a saved engine available to the executors of this session. A `name` must always mean the same content."""
    name = name or secrets.token_hex(8)
    if is_local(spark):
        return ShippedEngine(name, str(folder), operators)
    return ShippedEngine(name, str(folder), operators, spark.sparkContext.broadcast(pack_folder(Path(folder))))


def pack_folder(folder: Path) -> bytes:
    """Return the folder as a tar archive, not compressed: the index's arrays hardly shrink."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        archive.add(folder, arcname=".")
    return data.getvalue()


def _unpack(name: str, packed: Broadcast[bytes]) -> Path:
    """Unpack beside the executor's files. Several processes may do so at once: the first one to finish wins."""
    root = Path(SparkFiles.getRootDirectory())
    folder = root / f"gtopss-engine-{name}"
    if not folder.exists():
        unpacked = tempfile.mkdtemp(dir=root)
        with tarfile.open(fileobj=io.BytesIO(packed.value)) as archive:
            archive.extractall(unpacked, filter="data")
        try:
            os.rename(unpacked, folder)
        except OSError:
            if not folder.exists():
                raise
    return folder
