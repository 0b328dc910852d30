"""Write the files of a snapshot, and map them into memory again once all of them are checked.

    MANIFEST    JSON: the name, the length and the SHA-256 of every other file of the snapshot
    <file>      8 bytes: the length of the header; the header: JSON, array name -> [dtype, shape, offset]; the arrays,
                each at a multiple of 64 bytes. Offsets count from the end of the header.

The checksum of MANIFEST itself is kept outside of the snapshot, by whoever names the snapshot (`CURRENT`), so that
every byte is inside a checksum. SHA-256 because processors have instructions for it (BLAKE2 took twice as long) and
because `sha256sum` can repeat it. The checksums protect against damage, not against somebody who may write to the
folder.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gtopss.errors import GtopssError, InvalidSnapshot

if TYPE_CHECKING:
    import numpy.typing as npt

MANIFEST = "MANIFEST"
MAX_SMALL_FILE_BYTES = 1_000_000
"""Bytes of a file that is read whole before its checksum is known: MANIFEST and CURRENT have a few hundred."""
_ALIGNED = 64
_LENGTH_BYTES = 8
_READ_BYTES = 1 << 20


class SnapshotWriter:
    """Write the files of one snapshot into an empty folder, and MANIFEST last. Every file is flushed to the disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, dict[str, int | str]] = {}

    def write_arrays(self, name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Write named arrays as one file."""
        header: dict[str, tuple[str, list[int], int]] = {}
        at = 0
        for key, array in arrays.items():
            header[key] = (array.dtype.str, list(array.shape), at)
            at = _aligned(at + array.nbytes)
        text = json.dumps(header).encode()
        text += b" " * (_aligned(_LENGTH_BYTES + len(text)) - _LENGTH_BYTES - len(text))
        length, checksum = write_file(self.folder / name, _array_parts(text, arrays))
        self._files[name] = {"length": length, "sha256": checksum}

    def write_json(self, name: str, data: Any) -> None:
        """Write JSON data as one file."""
        import numpy as np  # slow to import, and most programs read no snapshot

        self.write_arrays(name, {"json": np.frombuffer(json.dumps(data).encode(), np.uint8)})

    def finish(self) -> str:
        """Write MANIFEST and return its checksum."""
        return write_file(self.folder / MANIFEST, [json.dumps({"files": self._files}, indent=1).encode()])[1]


class SnapshotReader:
    """The files of one snapshot: all of them are there, unchanged, and mapped into memory; no other file is there.

    Changes to the arrays stay in this process. The files may be deleted meanwhile.
    """

    def __init__(self, folder: Path, manifest_checksum: str) -> None:
        """Check and map every file. Raises InvalidSnapshot with the name of one that is missing, changed or foreign."""
        self.folder = folder
        listed = _read_manifest(folder / MANIFEST, manifest_checksum)
        with reading(folder):
            present = set(os.listdir(folder))
        for name in sorted({MANIFEST, *listed} - present):
            raise InvalidSnapshot(folder / name, "it is missing: the snapshot is not complete")
        for name in sorted(present - {MANIFEST, *listed}):
            raise InvalidSnapshot(folder / name, "it does not belong to the snapshot: delete it, or move it away")
        with ExitStack() as opened:
            # all are opened before the first is checked: once they are open, a newer save may delete them
            handles = {name: opened.enter_context(_regular_file(folder / name)) for name in listed}
            self._maps = {name: _checked_map(folder / name, handles[name], *listed[name]) for name in listed}

    def names(self) -> tuple[str, ...]:
        """Return the names of all files but MANIFEST."""
        return tuple(self._maps)

    def path(self, name: str) -> Path:
        return self.folder / name

    def arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays of a file. Raises InvalidSnapshot if there is no such file, or it holds something else."""
        if name not in self._maps:
            raise InvalidSnapshot(self.path(name), "the snapshot has no such file: another program wrote it")
        with reading(self.path(name)):
            return _arrays(self._maps[name])

    def json(self, name: str) -> Any:
        """Return what `write_json` wrote. Raises InvalidSnapshot."""
        arrays = self.arrays(name)
        with reading(self.path(name)):
            return json.loads(arrays["json"].tobytes())


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn every error of the block into an InvalidSnapshot that names this file."""
    try:
        yield
    except (InvalidSnapshot, MemoryError):
        raise
    except OSError as error:
        raise InvalidSnapshot(error.filename or path, f"it cannot be read: {error.strerror}") from error
    except GtopssError as error:
        raise InvalidSnapshot(path, f"its content cannot be used: {error}") from error
    except Exception as error:  # whatever a decoder raises for content that another program wrote
        reason = f"its content is not that of a saved engine ({type(error).__name__}: {error})"
        raise InvalidSnapshot(path, reason) from error


def write_file(path: Path, parts: Iterable[bytes | memoryview]) -> tuple[int, str]:
    """Write a new file and flush it to the disk. Return its length and its checksum."""
    checksum, length = hashlib.sha256(), 0
    with path.open("xb") as file:
        for part in parts:
            checksum.update(part)
            length += file.write(part)
        file.flush()
        os.fsync(file.fileno())
    return length, checksum.hexdigest()


def read_small_file(path: Path) -> bytes:
    """Return the bytes of a file that is known to be small. Raises InvalidSnapshot."""
    with _regular_file(path) as handle:
        size = os.fstat(handle).st_size
        if size > MAX_SMALL_FILE_BYTES:
            raise InvalidSnapshot(path, f"it has {size} bytes: it is not a file of a saved engine")
        return b"".join(iter(lambda: os.read(handle, _READ_BYTES), b""))


def _read_manifest(path: Path, checksum: str) -> dict[str, tuple[int, str]]:
    """Return the length and the checksum of each file."""
    data = read_small_file(path)
    if hashlib.sha256(data).hexdigest() != checksum:
        raise InvalidSnapshot(path, "its checksum is not the one in CURRENT: one of the two was changed or replaced")
    with reading(path):
        files = json.loads(data)["files"]
        return {_file_name(name): (int(file["length"]), str(file["sha256"])) for name, file in files.items()}


def _file_name(name: str) -> str:
    if Path(name).name != name or name in (MANIFEST, "..", ""):
        raise ValueError(f"{name!r} is not the name of a file")
    return name


@contextmanager
def _regular_file(path: Path) -> Iterator[int]:
    """Open a file for reading. A folder, a device, or a pipe, which could be waited for forever, is refused."""
    with reading(path):
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise InvalidSnapshot(path, "it is not a file")
            yield handle
        finally:
            os.close(handle)


def _checked_map(path: Path, handle: int, length: int, checksum: str) -> mmap.mmap | bytes:
    """Map a file of this length and checksum into memory.

    The checksum is computed by reading the file: an error of the disk is an OSError then, and not a signal.
    """
    with reading(path):
        size = os.fstat(handle).st_size
        if size != length:
            raise InvalidSnapshot(path, f"it has {size} bytes instead of {length}: it was cut off or replaced")
        digest = hashlib.sha256()
        while part := os.read(handle, _READ_BYTES):
            digest.update(part)
        if digest.hexdigest() != checksum:
            raise InvalidSnapshot(path, "its checksum is wrong: it was changed or replaced")
        return mmap.mmap(handle, 0, access=mmap.ACCESS_COPY) if length else b""


def _array_parts(header: bytes, arrays: Mapping[str, npt.NDArray[Any]]) -> Iterator[bytes | memoryview]:
    import numpy as np

    yield len(header).to_bytes(_LENGTH_BYTES, "little")
    yield header
    for array in arrays.values():
        yield np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        yield b"\0" * (_aligned(array.nbytes) - array.nbytes)


def _arrays(data: mmap.mmap | bytes) -> dict[str, npt.NDArray[Any]]:
    import numpy as np

    begin = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
    made = {}
    for name, (dtype, shape, offset) in json.loads(data[_LENGTH_BYTES:begin]).items():
        kind, count = np.dtype(dtype), int(np.prod(shape, dtype=np.int64))
        if kind.hasobject:
            raise ValueError(f"the array {name} is of Python objects")
        made[name] = np.frombuffer(data, kind, count, begin + offset).reshape(shape) if count else np.empty(shape, kind)
    return made


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED
