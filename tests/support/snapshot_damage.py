"""Damage the folder of a saved engine, and look at what opening it does."""

from __future__ import annotations

import multiprocessing
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gtopss import Engine
from gtopss.errors import InvalidSnapshot
from support.index_publications import P, node, ring

_FORK = multiprocessing.get_context("fork")  # a child begins with all kernels compiled


def answers(engine: Engine) -> tuple[object, ...]:
    """Return what an engine answers to a few publications, and all its subscriptions."""
    publications = [ring(3), ring(5), [(node(0), P, 6)], [(node(0), P, '"text"')]]
    matched = tuple(frozenset(engine.match(each).subscription_ids) for each in publications)
    return matched, frozenset(map(str, engine.subscriptions()))


def snapshot_files(saved: Path) -> list[Path]:
    """Return every file that must not change: CURRENT, and those of the current snapshot."""
    (snapshot,) = saved.glob("snapshot-*")
    return [saved / "CURRENT", *sorted(snapshot.iterdir())]


def header_bits(path: Path) -> int:
    """Return how many bits of a file come before its arrays; all of them in files without arrays."""
    data = path.read_bytes()
    return 8 * (len(data) if path.name in ("CURRENT", "MANIFEST") else 8 + int.from_bytes(data[:8], "little"))


def flip(data: bytes, bit: int) -> bytes:
    """Return the data with one bit changed."""
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@contextmanager
def replaced(path: Path, data: bytes | None) -> Iterator[None]:
    """Replace a file (None: delete it) during the block. The original is moved: engines may have mapped it."""
    kept = path.parent.parent / f"{path.name}.kept"
    os.rename(path, kept)
    try:
        if data is not None:
            path.write_bytes(data)
        yield
    finally:
        os.replace(kept, path)


def refusal(saved: Path) -> InvalidSnapshot:
    """Return the error of opening a damaged engine. It names a file in the folder."""
    with pytest.raises(InvalidSnapshot) as caught:
        Engine.open(saved)
    assert caught.value.path.startswith(str(saved))
    assert caught.value.path in str(caught.value)
    return caught.value


@contextmanager
def saving_process(engines: list[Engine], folder: Path) -> Iterator[multiprocessing.process.BaseProcess]:
    """Run a process that saves these engines into a folder, one after the other, until the block ends by SIGKILL."""

    def save_for_ever() -> None:
        while True:
            for engine in engines:
                engine.save(folder)

    process = _FORK.Process(target=save_for_ever, daemon=True)
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()


def copy_folder(saved: Path, to: Path) -> Path:
    """Copy a saved engine to a new folder."""
    shutil.copytree(saved, to)
    return to
