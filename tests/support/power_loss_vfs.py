"""A SQLite VFS that records writes, so that a test can cut the power at any moment.

`record()` registers the VFS in the library that Python's sqlite3 module uses, as the default. It passes everything to
the real file system, and records each write, truncation, sync and deletion of the files, and what the test marks. From
the record, `Recording.image` makes the files as they may be on the disk if the power fails after some event: all that
was synced, and any part of the writes since the last sync of each file, the sectors of each of them in any order.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

SECTOR_BYTES = 512
_OK = 0
_OPEN_CREATE, _OPEN_JOURNAL, _OPEN_WAL = 0x4, 0x800, 0x80000
_P, _I, _L = ctypes.c_void_p, ctypes.c_int, ctypes.c_longlong
_OPEN = ctypes.CFUNCTYPE(_I, _P, _P, _P, _I, _P)
_DELETE = ctypes.CFUNCTYPE(_I, _P, ctypes.c_char_p, _I)
_WRITE = ctypes.CFUNCTYPE(_I, _P, _P, _I, _L)
_TRUNCATE = ctypes.CFUNCTYPE(_I, _P, _L)
_SYNC = ctypes.CFUNCTYPE(_I, _P, _I)


class _Vfs(ctypes.Structure):
    """The first members of `sqlite3_vfs`; the others are copied as they are."""

    _fields_ = (
        ("version", _I),
        ("file_bytes", _I),
        ("max_path", _I),
        ("next", _P),
        ("name", ctypes.c_char_p),
        ("app_data", _P),
        ("open", _OPEN),
        ("delete", _DELETE),
        ("others", _P * 13),
    )


class _Methods(ctypes.Structure):
    """`sqlite3_io_methods`."""

    _fields_ = (
        ("version", _I),
        ("close", _P),
        ("read", _P),
        ("write", _WRITE),
        ("truncate", _TRUNCATE),
        ("sync", _SYNC),
        ("others", _P * 13),
    )


class _File(ctypes.Structure):
    _fields_ = (("methods", ctypes.POINTER(_Methods)),)


@dataclass(frozen=True, slots=True)
class Event:
    """What happened: "write", "truncate", "sync", "delete", "sync folder", or "mark" for a mark of the test."""

    kind: str
    path: str = ""
    offset: int = 0
    data: bytes = b""
    mark: Any = None


@dataclass(slots=True)
class Recording:
    """All events, in order."""

    events: list[Event] = field(default_factory=list)

    def mark(self, what: Any) -> None:
        """Record that something has happened in the test."""
        self.events.append(Event("mark", mark=what))

    def marks(self, count: int) -> list[Any]:
        """Return what the test has marked in the first events."""
        return [event.mark for event in self.events[:count] if event.kind == "mark"]

    def image(self, count: int, chance: random.Random, *, unsynced: float) -> dict[str, bytes]:
        """Return the files after a power failure that follows the first `count` events.

        `unsynced` is the probability of each sector that was written and not synced to be on the disk all the same.
        """
        durable: dict[str, bytearray] = {}
        pending: dict[str, list[Event]] = {}
        deleted: dict[str, bytearray] = {}  # without a sync of the folder since: they may be there again
        for event in self.events[:count]:
            if event.kind in ("write", "truncate"):
                pending.setdefault(event.path, []).append(event)
                deleted.pop(event.path, None)
            elif event.kind == "sync":
                content = durable.setdefault(event.path, bytearray())
                for each in pending.pop(event.path, []):
                    _apply(content, each)
            elif event.kind == "sync folder":
                deleted.clear()
            elif event.kind == "delete":
                deleted[event.path] = durable.pop(event.path, bytearray())
                pending.pop(event.path, None)
        durable |= {path: content for path, content in deleted.items() if chance.random() < unsynced}
        for path, events in pending.items():
            content = durable.setdefault(path, bytearray())
            for each in events:
                for part in _sectors(each):
                    if chance.random() < unsynced:
                        _apply(content, part)
        return {path: bytes(content) for path, content in durable.items()}


def _apply(content: bytearray, event: Event) -> None:
    if event.kind == "truncate":
        del content[event.offset :]
        return
    if len(content) < event.offset:
        content.extend(bytes(event.offset - len(content)))
    content[event.offset : event.offset + len(event.data)] = event.data


def _sectors(event: Event) -> Iterator[Event]:
    if event.kind == "truncate":
        yield event
        return
    start = 0
    while start < len(event.data):
        end = min(len(event.data), start + SECTOR_BYTES - (event.offset + start) % SECTOR_BYTES)
        yield Event("write", event.path, event.offset + start, event.data[start:end])
        start = end


def _library() -> ctypes.CDLL:
    """Return the library with the SQLite that Python's sqlite3 module uses."""
    import _sqlite3

    try:
        library = ctypes.CDLL(_sqlite3.__file__)  # its symbols include those of the libraries that it is linked with
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        library.sqlite3_vfs_find.argtypes = [ctypes.c_char_p]
        library.sqlite3_vfs_register.argtypes = [ctypes.POINTER(_Vfs), _I]
        library.sqlite3_vfs_unregister.argtypes = [ctypes.POINTER(_Vfs)]
    except (AttributeError, OSError) as error:
        pytest.skip(f"the functions of Python's SQLite cannot be called: {error}")
    return library


@contextmanager
def record(folder: Path) -> Iterator[Recording]:
    """Record what SQLite does to the files in a folder that it opens within the block."""
    library = _library()
    recording = Recording()
    real = library.sqlite3_vfs_find(None)
    vfs = _Vfs.from_buffer_copy(real.contents)
    vfs.name = b"gtopss-power-loss"
    paths: dict[int, str] = {}
    new_logs: set[int] = set()
    methods: dict[int, _Methods] = {}  # by the address of the real ones; alive as long as files are open

    def is_recorded(path: str) -> bool:
        return Path(path).parent == folder and not path.endswith("-shm")

    def opened(this: int, name: int | None, file: int, flags: int, out: int | None) -> int:
        result: int = real.contents.open(this, name, file, flags, out)
        if result == _OK and name is not None:
            path = ctypes.string_at(name).decode()
            if is_recorded(path):
                paths[file] = path
                if flags & _OPEN_CREATE and flags & (_OPEN_JOURNAL | _OPEN_WAL):
                    new_logs.add(file)
                handle = _File.from_address(file)
                handle.methods = ctypes.pointer(recorded(handle.methods.contents))
        return result

    def deleted(this: int, name: bytes, sync_folder: int) -> int:
        result: int = real.contents.delete(this, name, sync_folder)
        if is_recorded(name.decode()):
            recording.events.append(Event("delete", name.decode()))
        return result

    def recorded(original: _Methods) -> _Methods:
        address = ctypes.addressof(original)
        if address in methods:
            return methods[address]

        def write(file: int, data: int, size: int, offset: int) -> int:
            recording.events.append(Event("write", paths[file], offset, ctypes.string_at(data, size)))
            return original.write(file, data, size, offset)

        def truncate(file: int, size: int) -> int:
            recording.events.append(Event("truncate", paths[file], size))
            return original.truncate(file, size)

        def sync(file: int, flags: int) -> int:
            result: int = original.sync(file, flags)
            recording.events.append(Event("sync", paths[file]))
            if file in new_logs:  # SQLite syncs the folder with the first sync of a new journal or log
                new_logs.remove(file)
                recording.events.append(Event("sync folder"))
            return result

        copy = _Methods.from_buffer_copy(original)
        copy.write, copy.truncate, copy.sync = _WRITE(write), _TRUNCATE(truncate), _SYNC(sync)
        methods[address] = copy
        return copy

    vfs.open, vfs.delete = _OPEN(opened), _DELETE(deleted)
    library.sqlite3_vfs_register(ctypes.byref(vfs), 1)
    try:
        yield recording
    finally:
        library.sqlite3_vfs_unregister(ctypes.byref(vfs))
        library.sqlite3_vfs_register(real, 1)
