"""Keep one whole snapshot of an engine in a folder, whatever happens while the next one is written.

    folder/CURRENT            the format, the name of the current snapshot and the checksum of its MANIFEST
    folder/LOCK               locked while a snapshot is written
    folder/<snapshot>/        MANIFEST, `engine` (settings and state as JSON) and the files of the matcher

A snapshot is written beside the current one and only then named in CURRENT, which is replaced in one step; the old one
is deleted after that. Nothing in a snapshot changes once CURRENT names it.

The first line of CURRENT is the format. It stays there in all formats to come, so that every version of the program
can say which format it found.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from gtopss.errors import GtopssError, InvalidSnapshot, SnapshotNotSaved, short_repr
from gtopss.snapshot_files import MANIFEST, SnapshotReader, SnapshotWriter, read_small_file, reading, write_file

FORMAT = 7
"""Of the folder and of all files in it. It changes whenever an older program could not read them."""
MAX_ATTEMPTS = 100
"""Times that opening begins anew because another process has saved meanwhile. It takes a whole save within the moment
in which the files are opened to make it begin anew once."""
_CURRENT, _NEW_CURRENT, _LOCK = "CURRENT", "CURRENT.new", "LOCK"
_SNAPSHOT_NAME = re.compile(r"snapshot-[0-9a-f]{16}")
_FORMAT_LINE = re.compile(rb"G-ToPSS snapshot format ([0-9]{1,9})\n")
_CURRENT_LINES = re.compile(_FORMAT_LINE.pattern + rb"(snapshot-[0-9a-f]{16})\n([0-9a-f]{64})\n")
_T = TypeVar("_T")


class _Current(NamedTuple):
    """What CURRENT says."""

    name: str
    manifest_checksum: str


def is_saved_engine(folder: Path) -> bool:
    """Return whether an engine was saved in this folder."""
    return (folder / _CURRENT).exists()


@contextmanager
def new_snapshot(path: Path | str) -> Iterator[SnapshotWriter]:
    """Yield a writer for a snapshot, which becomes the current one when the block ends without an error.

    Processes that save into the same folder wait for each other. Raises SnapshotNotSaved if the folder cannot be
    written; the snapshot that was current before is the current one then.
    """
    folder = _folder(path)
    try:
        _make_folder(folder)
        with _locked(folder):
            name = f"snapshot-{secrets.token_hex(8)}"
            (folder / name).mkdir()
            try:
                writer = SnapshotWriter(folder / name)
                yield writer
                _make_current(folder, _Current(name, writer.finish()))
            except BaseException:
                if not _is_current(folder, name):
                    shutil.rmtree(folder / name, ignore_errors=True)
                raise
            _delete_others(folder, name)
    except OSError as error:
        raise SnapshotNotSaved(folder, error.strerror or str(error)) from error


def open_snapshot(path: Path | str) -> SnapshotReader:
    """Check the current snapshot and map its files into memory. Raises InvalidSnapshot.

    Needs no lock and writes nothing. Other processes may save meanwhile and afterwards.
    """
    folder = _folder(path)
    return _while_current(folder, lambda current: SnapshotReader(folder / current.name, current.manifest_checksum))


def link_snapshot(saved: Path, into: Path) -> None:
    """Link the current snapshot of a saved engine into another folder, where it outlives newer snapshots."""

    def link(current: _Current) -> None:
        reader = SnapshotReader(saved / current.name, current.manifest_checksum)
        made = into / current.name
        made.mkdir()
        try:
            for name in (MANIFEST, *reader.names()):
                _link_or_copy(reader.path(name), made / name)
        except OSError as error:
            shutil.rmtree(made, ignore_errors=True)
            raise InvalidSnapshot(made, f"it cannot be linked: {error.strerror}") from error
        (into / _CURRENT).write_bytes(_current_text(current))

    _while_current(saved, link)


def _while_current(folder: Path, use: Callable[[_Current], _T]) -> _T:
    """Call a function with what CURRENT says, again if it failed and CURRENT has changed meanwhile."""
    for _ in range(MAX_ATTEMPTS):
        current = _read_current(folder)
        try:
            return use(current)
        except InvalidSnapshot:
            if _read_current(folder) == current:
                raise
    raise InvalidSnapshot(folder, f"it was saved again {MAX_ATTEMPTS} times while it was opened: save less often")


def _read_current(folder: Path) -> _Current:
    path = folder / _CURRENT
    with reading(path):
        if not is_saved_engine(folder):
            raise InvalidSnapshot(folder, "no engine is saved here: it has no file CURRENT")
    data = read_small_file(path)
    if _SNAPSHOT_NAME.fullmatch(data.decode("latin-1").strip()):
        raise InvalidSnapshot(path, _other_format("an older", "2 or before"))
    line = _FORMAT_LINE.match(data)
    if line is not None and int(line[1]) != FORMAT:
        raise InvalidSnapshot(
            path, _other_format("a newer" if int(line[1]) > FORMAT else "an older", str(int(line[1])))
        )
    lines = _CURRENT_LINES.fullmatch(data)
    if lines is None:
        raise InvalidSnapshot(path, f"it does not name a snapshot: it was changed or cut off ({short_repr(data[:60])})")
    return _Current(lines[2].decode(), lines[3].decode())


def _other_format(age: str, number: str) -> str:
    todo = {
        "a newer": "update G-ToPSS",
        "an older": "add the subscriptions from their original files to a new engine and save it; if you do not have "
        "the files, open the engine with that version and write the subscriptions to a file (Subscription.to_json)",
    }
    return (
        f"the engine was saved by {age} version of G-ToPSS in format {number}, and this version reads format {FORMAT}: "
        f"{todo[age]}"
    )


def _current_text(current: _Current) -> bytes:
    return f"G-ToPSS snapshot format {FORMAT}\n{current.name}\n{current.manifest_checksum}\n".encode()


# --- saving ---------------------------------------------------------------------------------------------------


def _make_folder(folder: Path) -> None:
    """Create the folder. Raises InvalidSnapshot if it holds files of somebody else."""
    missing = [each for each in (folder.absolute(), *folder.absolute().parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for each in missing:
        _sync(each.parent)
    foreign = [each.name for each in folder.iterdir() if not _is_ours(each.name)]
    if foreign and not is_saved_engine(folder):
        raise InvalidSnapshot(folder, f"it holds {foreign[0]}, which is not of a saved engine: choose an empty folder")


def _is_ours(name: str) -> bool:
    return name in (_CURRENT, _NEW_CURRENT, _LOCK) or _SNAPSHOT_NAME.fullmatch(name) is not None


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder."""
    path, is_locked = folder / _LOCK, False
    while not is_locked:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        try:
            _wait_for_lock(handle, folder)
            is_locked = path.exists() and os.path.samestat(os.fstat(handle), path.stat())
            if is_locked:  # else somebody has deleted the file: others do not see this lock
                yield
        finally:
            os.close(handle)


def _wait_for_lock(handle: int, folder: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError as error:
        reason = f"its file system has no locks ({error.strerror}): save to a local disk and copy the folder"
        raise SnapshotNotSaved(folder, reason) from error


def _make_current(folder: Path, current: _Current) -> None:
    """Name a snapshot in CURRENT. Each step is on the disk before the next one: its files and MANIFEST already are."""
    _sync(folder / current.name)
    _sync(folder)
    new = folder / _NEW_CURRENT
    new.unlink(missing_ok=True)  # a process crashed while writing it
    write_file(new, [_current_text(current)])
    os.replace(new, folder / _CURRENT)
    _sync(folder)


def _is_current(folder: Path, name: str) -> bool:
    with suppress(InvalidSnapshot):
        return _read_current(folder).name == name
    return False


def _delete_others(folder: Path, name: str) -> None:
    """Delete the snapshots before this one: the previous one, and what crashed processes left. Needs the lock."""
    for other in folder.iterdir():
        if other.name != name and _SNAPSHOT_NAME.fullmatch(other.name):
            shutil.rmtree(other, ignore_errors=True)


def _sync(folder: Path) -> None:
    """Flush a folder's entries to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems cannot flush folders
            raise
    finally:
        os.close(handle)


def _link_or_copy(source: Path, made: Path) -> None:
    try:
        os.link(os.path.realpath(source), made)
    except OSError:  # another file system, or one without links
        shutil.copy2(source, made)


def _folder(path: Path | str) -> Path:
    if not isinstance(path, (str, Path)) or "\0" in str(path):
        raise GtopssError(f"{short_repr(path)} is not the path of a folder")
    return Path(path)
