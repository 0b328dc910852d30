"""Copies of subscriptions, ontologies and saved engines that are on a file system which only Hadoop can read."""

from __future__ import annotations

import io
import shutil
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

from pyspark.sql import SparkSession

from gtopss.spark.errors import MissingSource, StorageUnavailable
from gtopss.spark.io.storage import HadoopStorage, Storage, local_path, resolve

_SUFFIXES = (".tar", ".refused")


class LocalCopy:
    """A copy of a remote file or folder, which is fetched again when the original has changed."""

    def __init__(self, spark: SparkSession, location: str) -> None:
        self.location = location
        self._storage = HadoopStorage(spark, location)
        self._folder = tempfile.TemporaryDirectory(prefix="gtopss-copy-")
        self._files: list[tuple[str, int, int]] | None = None
        self._number = 0

    def __str__(self) -> str:
        return self.location

    def path(self) -> Path:
        """Return the path of the copy. Raises MissingSource."""
        if not self._storage.exists():
            raise MissingSource(self.location)
        files = self._storage.files()
        if files != self._files:
            shutil.rmtree(Path(self._folder.name) / str(self._number), ignore_errors=True)
            self._number += 1
            (Path(self._folder.name) / str(self._number)).mkdir()
            self._storage.download(self._path())
            self._files = files
        return self._path()

    def _path(self) -> Path:
        return Path(self._folder.name) / str(self._number) / self.location.rstrip("/").rpartition("/")[2]


def locally(spark: SparkSession, location: str | Path) -> Path | LocalCopy:
    """Return the path of a local file or folder, or a copy of a remote one."""
    complete = resolve(spark, location)
    path = local_path(complete)
    return LocalCopy(spark, complete) if path is None else path


class VersionArchive:
    """The versions of a stream's engines in its result folder: `versions/<name>.tar` and `<name>.refused`."""

    def __init__(self, out: Storage) -> None:
        self._out = out

    def add(self, name: str, folder: Path) -> None:
        """Store a version that was made in `folder`."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            archive.add(folder / name, arcname=".")
        refused = folder / f"{name}.refused"
        if refused.exists():
            self._out.write(f"versions/{name}.refused", refused.read_bytes())
        self._out.write(f"versions/{name}.tar", packed.getvalue())

    def fetch(self, name: str, folder: Path) -> None:
        """Unpack a version into `folder`. Raises StorageUnavailable if it is not stored."""
        packed = self._out.read(f"versions/{name}.tar")
        if packed is None:
            raise StorageUnavailable(self._out.url("versions", f"{name}.tar"), "this version of the engine is missing")
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder / name, filter="data")
        if (refused := self._out.read(f"versions/{name}.refused")) is not None:
            (folder / f"{name}.refused").write_bytes(refused)

    def delete_except(self, names: Iterable[str]) -> None:
        """Delete all versions but these."""
        keep = set(names)
        for each in self._out.names("versions"):
            if each.endswith(_SUFFIXES) and each.rpartition(".")[0] not in keep:
                self._out.delete(f"versions/{each}")
