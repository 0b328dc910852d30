"""Keep one whole snapshot of an engine in a folder, whatever happens while the next one is written.

    folder/CURRENT            the name of the current snapshot; replaced in one step
    folder/LOCK               locked while a snapshot is written
    folder/<snapshot>/        `engine` (settings and state as JSON) and the files of the matcher

A snapshot is written beside the current one and only then named in CURRENT; the old one is deleted after that.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gtopss.errors import GtopssError, InvalidSnapshot, short_repr

_CURRENT, _LOCK = "CURRENT", "LOCK"


def is_saved_engine(folder: Path) -> bool:
    """Return whether an engine was saved in this folder."""
    return (folder / _CURRENT).exists()


@contextmanager
def new_snapshot(path: Path | str) -> Iterator[Path]:
    """Yield an empty folder for a snapshot, which becomes the current one when the block ends without an error.

    Processes that save into the same folder wait for each other.
    """
    folder = _folder(path)
    folder.mkdir(parents=True, exist_ok=True)
    foreign = [path for path in folder.iterdir() if not path.name.startswith((_CURRENT, _LOCK, "snapshot-"))]
    if foreign and not is_saved_engine(folder):
        raise InvalidSnapshot(
            folder, f"it holds {foreign[0].name}, and no engine was saved there: choose another folder"
        )
    with (folder / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        name = f"snapshot-{secrets.token_hex(8)}"
        (folder / name).mkdir()
        try:
            yield folder / name
            _sync(folder / name)
            _make_current(folder, name)
        except BaseException:
            shutil.rmtree(folder / name, ignore_errors=True)
            raise
        for other in folder.glob("snapshot-*"):  # the previous one, and what crashed processes left
            if other.name != name:
                shutil.rmtree(other, ignore_errors=True)


def current_snapshot(path: Path | str) -> Path:
    """Return the folder of the current snapshot. Raises InvalidSnapshot if there is none."""
    folder = _folder(path)
    try:
        name = (folder / _CURRENT).read_text().strip()
    except OSError:
        raise InvalidSnapshot(folder, "no engine is saved here: it has no file CURRENT") from None
    if not name.startswith("snapshot-") or "/" in name or not (folder / name).is_dir():
        raise InvalidSnapshot(folder / _CURRENT, f"it names {name[:60]!r}, which is not there")
    return folder / name


def link_snapshot(saved: Path, into: Path) -> None:
    """Link the current snapshot of a saved engine into another folder, where it outlives newer snapshots."""
    snapshot = current_snapshot(saved)
    (into / snapshot.name).mkdir()
    for file in snapshot.iterdir():
        try:
            os.link(file, into / snapshot.name / file.name)
        except OSError:  # another file system
            shutil.copy2(file, into / snapshot.name / file.name)
    (into / _CURRENT).write_text(snapshot.name)


def _make_current(folder: Path, name: str) -> None:
    """Name the snapshot in CURRENT by an atomic rename."""
    new = folder / f"{_CURRENT}.new"
    with new.open("w") as file:
        file.write(name)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, folder / _CURRENT)
    _sync(folder)


def _sync(folder: Path) -> None:
    """Flush a folder's entries to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _folder(path: Path | str) -> Path:
    if not isinstance(path, (str, Path)):
        raise GtopssError(f"{short_repr(path)} is not the path of a folder")
    return Path(path)
