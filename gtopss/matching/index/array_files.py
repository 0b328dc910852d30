"""Write named arrays to a file with a checksum, and map them into memory again.

    magic   8 bytes   GTOPSSGM
    version 4 bytes   of this layout
    header  4 bytes   length of the header that follows: JSON, name -> [dtype, shape, offset]
    sum    32 bytes   BLAKE2 of everything after it
    arrays            each at a multiple of 64 bytes

Offsets count from the end of the header, rounded up to 64.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gtopss.errors import InvalidSnapshot

MAGIC, VERSION = b"GTOPSSGM", 2
_ALIGNED = 64
_START = struct.Struct("<8sII32s")


def write_arrays(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write a file and flush it to the disk."""
    header: dict[str, tuple[str, list[int], int]] = {}
    at = 0
    for name, array in arrays.items():
        header[name] = (array.dtype.str, list(array.shape), at)
        at = _aligned(at + array.nbytes)
    text = json.dumps(header).encode()
    text += b" " * (_aligned(_START.size + len(text)) - _START.size - len(text))
    checksum = hashlib.blake2b(text, digest_size=32)
    with path.open("wb") as file:
        file.write(b"\0" * _START.size + text)
        for array in arrays.values():
            data = np.ascontiguousarray(array).tobytes()
            data += b"\0" * (_aligned(len(data)) - len(data))
            checksum.update(data)
            file.write(data)
        file.seek(0)
        file.write(_START.pack(MAGIC, VERSION, len(text), checksum.digest()))
        file.flush()
        os.fsync(file.fileno())


def read_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Map the arrays of a file into memory; changes to them stay in this process. Raises InvalidSnapshot if damaged."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < _START.size:
                raise InvalidSnapshot(path, f"it has only {size} bytes: it is not a file of arrays, or was cut off")
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except OSError as error:
        raise InvalidSnapshot(path, f"the file cannot be read: {error.strerror}") from None
    magic, version, length, checksum = _START.unpack_from(whole)
    if magic != MAGIC:
        raise InvalidSnapshot(path, "it is not a file of G-ToPSS")
    if version != VERSION:
        raise InvalidSnapshot(path, f"it is of version {version}, and this program reads version {VERSION}")
    if hashlib.blake2b(memoryview(whole)[_START.size :], digest_size=32).digest() != checksum:
        raise InvalidSnapshot(path, "its checksum is wrong: it was cut off or changed")
    header = json.loads(whole[_START.size : _START.size + length])
    begin = _START.size + length
    made = {}
    for name, (dtype, shape, offset) in header.items():
        count = int(np.prod(shape, dtype=np.int64))
        made[name] = (
            np.frombuffer(whole, dtype, count, begin + offset).reshape(shape) if count else np.empty(shape, dtype)
        )
    return made


def write_json(path: Path, data: Any) -> None:
    """Write JSON data as an array of bytes, so that it has a checksum."""
    write_arrays(path, {"json": np.frombuffer(json.dumps(data).encode(), np.uint8)})


def read_json(path: Path) -> Any:
    """Read what `write_json` wrote. Raises InvalidSnapshot."""
    return json.loads(read_arrays(path)["json"].tobytes())


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED
