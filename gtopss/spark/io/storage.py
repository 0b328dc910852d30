"""Folders of a job, on any file system: local ones by Python, all others by Hadoop's classes in the driver's JVM.

| location                                        | file system                                                       |
|-------------------------------------------------|-------------------------------------------------------------------|
| `results`, `/data/results`                      | the local one, unless the session's `fs.defaultFS` is another     |
| `file:///data/results`                          | the local one                                                     |
| `hdfs://...`, `s3a://...`, `viewfs://...`       | Hadoop's for that scheme, as the session configures it            |

Only the driver uses a `Storage`. Executors get complete locations, never a path that depends on a process.
"""

from __future__ import annotations

import os
import secrets
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gtopss.atomic_files import write_atomically
from gtopss.errors import OutputNotWritable
from gtopss.spark.errors import StorageUnavailable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def local_path(location: str | Path) -> Path | None:
    """Return the absolute path of a location on the local file system; None if a URL names another one.

    >>> local_path("file:///data/feeds"), local_path("hdfs://host/feeds")
    (PosixPath('/data/feeds'), None)
    """
    if isinstance(location, Path):
        return location.absolute()
    scheme, _, rest = location.partition(":")
    if scheme == "file" and rest.startswith("/"):
        return Path("/" + rest.lstrip("/"))
    return None if "://" in location else Path(location).absolute()


def resolve(spark: SparkSession, location: str | Path) -> str:
    """Return the complete location of what a user named: a local path from its root, or a URL."""
    path = local_path(location)
    if path is None:
        return str(location)
    is_plain = isinstance(location, Path) or not location.startswith("file:")
    if is_plain and _default_file_system(spark) != "file":
        return str(HadoopStorage(spark, str(location)).url())
    return str(path)


def open_storage(spark: SparkSession, location: str | Path) -> Storage:
    """Return the folder at a location. It is created when something is written to it."""
    complete = resolve(spark, location)
    path = local_path(complete)
    return HadoopStorage(spark, complete) if path is None else LocalStorage(path)


def _default_file_system(spark: SparkSession) -> str:
    configured = str(_hadoop_configuration(spark).get("fs.defaultFS") or "file:///")
    return configured.partition(":")[0]


class Storage(ABC):
    """A folder, with the operations that a job needs. Names are relative to it and may contain slashes.

    Raises StorageUnavailable or OutputNotWritable if the file system fails.
    """

    @abstractmethod
    def url(self, *names: str) -> str:
        """Return the location of the folder, or of something in it, for Spark."""

    @abstractmethod
    def read(self, name: str) -> bytes | None:
        """Return the content of a file, or None if there is none."""

    @abstractmethod
    def write(self, name: str, data: bytes) -> None:
        """Write a file whole or not at all, in place of one that exists."""

    @abstractmethod
    def create(self, name: str, data: bytes) -> bool:
        """Write a file that does not exist; return False if it exists. Of several callers one succeeds."""

    @abstractmethod
    def names(self, folder: str = "") -> list[str]:
        """Return the names of what is in a folder, in order; nothing if it does not exist."""

    @abstractmethod
    def delete(self, name: str) -> None:
        """Delete a file or a folder, if it exists."""

    @abstractmethod
    def exists(self, name: str = "") -> bool:
        """Return whether there is a file or a folder with this name."""


class LocalStorage(Storage):
    """A folder of the local file system."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    def __str__(self) -> str:
        return str(self.path)

    def url(self, *names: str) -> str:
        return f"file://{self.path.joinpath(*names)}"

    def read(self, name: str) -> bytes | None:
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageUnavailable(self.path / name, error.strerror or str(error)) from error

    def write(self, name: str, data: bytes) -> None:
        self._make_folder(name)
        write_atomically(self.path / name, data)

    def create(self, name: str, data: bytes) -> bool:
        self._make_folder(name)
        temporary = (self.path / name).with_name(f".waiting-{secrets.token_hex(8)}")
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.link(temporary, self.path / name)
        except FileExistsError:
            return False
        except OSError as error:
            raise OutputNotWritable(self.path / name, error.strerror or str(error)) from error
        finally:
            temporary.unlink(missing_ok=True)
        return True

    def names(self, folder: str = "") -> list[str]:
        try:
            return sorted(os.listdir(self.path / folder))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise StorageUnavailable(self.path / folder, error.strerror or str(error)) from error

    def delete(self, name: str) -> None:
        path = self.path / name
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)

    def exists(self, name: str = "") -> bool:
        return (self.path / name).exists()

    def _make_folder(self, name: str) -> None:
        folder = (self.path / name).parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputNotWritable(folder, error.strerror or str(error)) from error


class HadoopStorage(Storage):
    """A folder of one of Hadoop's file systems. Its classes and settings are those of the session's JVM."""

    def __init__(self, spark: SparkSession, location: str) -> None:
        self._spark = spark
        with _hadoop_errors(location):
            path = self._hadoop().Path(location)
            self._files = path.getFileSystem(_hadoop_configuration(spark))
            self._location = str(self._files.makeQualified(path).toString())

    def __str__(self) -> str:
        return self._location

    def url(self, *names: str) -> str:
        return "/".join((self._location.rstrip("/"), *filter(None, names)))

    def read(self, name: str) -> bytes | None:
        with _hadoop_errors(self.url(name)):
            path = self._path(name)
            if not self._files.exists(path):
                return None
            stream = self._files.open(path)
            try:
                return bytes(self._spark._jvm.org.apache.commons.io.IOUtils.toByteArray(stream))  # type: ignore[union-attr]
            finally:
                stream.close()

    def write(self, name: str, data: bytes) -> None:
        with _hadoop_errors(self.url(name)):
            self._replace(self._write_temporary(name, data), self._path(name))

    def create(self, name: str, data: bytes) -> bool:
        with _hadoop_errors(self.url(name)):
            if self._files.exists(self._path(name)):
                return False
            temporary = self._write_temporary(name, data)
            if self._files.rename(temporary, self._path(name)):
                return True
            self._files.delete(temporary, False)
            return False

    def names(self, folder: str = "") -> list[str]:
        with _hadoop_errors(self.url(folder)):
            path = self._path(folder)
            if not self._files.exists(path):
                return []
            return sorted(str(each.getPath().getName()) for each in self._files.listStatus(path))

    def delete(self, name: str) -> None:
        with _hadoop_errors(self.url(name)):
            self._files.delete(self._path(name), True)

    def exists(self, name: str = "") -> bool:
        with _hadoop_errors(self.url(name)):
            return bool(self._files.exists(self._path(name)))

    def files(self) -> list[tuple[str, int, int]]:
        """Return the location, the size and the time of change of each file below, hidden ones left out."""
        with _hadoop_errors(self._location):
            top = self._path("")
            if self._files.getFileStatus(top).isFile():
                status = self._files.getFileStatus(top)
                return [(str(status.getPath().toString()), status.getLen(), status.getModificationTime())]
            found, listed = [], self._files.listFiles(top, True)
            while listed.hasNext():
                each = listed.next()
                place = str(each.getPath().toString())
                inner = place[len(self._location.rstrip("/")) :].strip("/")
                if not any(part.startswith((".", "_")) for part in inner.split("/")):
                    found.append((place, each.getLen(), each.getModificationTime()))
            return sorted(found)

    def download(self, into: Path) -> None:
        """Copy the file or the folder to a local path that does not exist."""
        with _hadoop_errors(self._location):
            self._files.copyToLocalFile(False, self._path(""), self._hadoop().Path(f"file://{into}"), True)

    def upload(self, local: Path, name: str) -> None:
        """Copy a local file, in place of one that exists."""
        with _hadoop_errors(self.url(name)):
            self._files.copyFromLocalFile(False, True, self._hadoop().Path(f"file://{local}"), self._path(name))

    def _write_temporary(self, name: str, data: bytes) -> Any:
        folder, _, last = name.rpartition("/")
        temporary = self._path("/".join(filter(None, (folder, f".{last}.{secrets.token_hex(8)}"))))
        stream = self._files.create(temporary, False)
        try:
            stream.write(bytearray(data))
        finally:
            stream.close()
        return temporary

    def _replace(self, temporary: Any, path: Any) -> None:
        """Rename a file to one that may exist, in one step: a reader or a crash finds the old one or the new one."""
        rename = getattr(self._hadoop(), "Options$Rename")
        overwrite = self._spark.sparkContext._gateway.new_array(rename, 1)  # type: ignore[union-attr]
        overwrite[0] = rename.OVERWRITE
        configuration = _hadoop_configuration(self._spark)
        context = self._hadoop().FileContext.getFileContext(self._files.getUri(), configuration)
        context.rename(temporary, path, overwrite)

    def _path(self, name: str) -> Any:
        return self._hadoop().Path(self.url(name))

    def _hadoop(self) -> Any:
        return self._spark._jvm.org.apache.hadoop.fs  # type: ignore[union-attr]


def _hadoop_configuration(spark: SparkSession) -> Any:
    return spark.sparkContext._jsc.hadoopConfiguration()


@contextmanager
def _hadoop_errors(location: str) -> Iterator[None]:
    """Raise what goes wrong in Hadoop's classes as StorageUnavailable, with the reason in one line."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JJavaError, PySparkException) as error:
        java = getattr(error, "java_exception", None)
        reason = str(java.toString() if java is not None else error).splitlines()[0]
        raise StorageUnavailable(location, reason) from None
