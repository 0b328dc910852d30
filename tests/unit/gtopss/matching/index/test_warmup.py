"""First use: two processes compile, and whatever happens to the second one, everything gets compiled."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from gtopss.matching.index import warmup


def script(folder: Path, text: str) -> str:
    path = folder / "python-of-ours"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def endless(folder: Path) -> str:
    """Return a script that waits on a FIFO for ever."""
    os.mkfifo(folder / "fifo")
    return script(folder, f"exec cat {folder / 'fifo'}")


def has_ended(folder: Path) -> bool:
    """Return whether nobody waits on the FIFO of `endless`."""
    try:
        os.close(os.open(folder / "fifo", os.O_WRONLY | os.O_NONBLOCK))
    except OSError as error:
        return error.errno == errno.ENXIO
    return False


def test_the_other_python_runs_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = tmp_path / "done"
    monkeypatch.setattr(sys, "executable", script(tmp_path, f'echo "$3" > {done}.new; mv {done}.new {done}'))
    monkeypatch.setattr(warmup, "available_processors", lambda: 2)
    with warmup._in_other_process("compile_other_kernels"):
        pass
    imported = "from gtopss.matching.index.warmup import compile_other_kernels"
    assert done.read_text() == f"{imported}; compile_other_kernels()\n"


def test_the_other_python_may_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", script(tmp_path, "exit 1"))
    monkeypatch.setattr(warmup, "available_processors", lambda: 2)
    with warmup._in_other_process("compile_other_kernels"):
        pass


def test_the_other_python_is_ended_after_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", endless(tmp_path))
    monkeypatch.setattr(warmup, "available_processors", lambda: 2)
    monkeypatch.setattr(warmup, "_OTHER_PROCESS_TIMEOUT", 0.2)
    with warmup._in_other_process("compile_other_kernels"):
        pass
    assert has_ended(tmp_path)


@pytest.mark.parametrize("executable", ["", None, "/usr/sbin/a-server", "/nowhere/python3"])
def test_without_another_python_the_block_runs_alone(executable: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    ran = False
    with warmup._in_other_process("compile_other_kernels"):
        ran = True
    assert ran


def test_an_error_in_the_block_ends_the_other_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", endless(tmp_path))
    monkeypatch.setattr(warmup, "available_processors", lambda: 2)
    with pytest.raises(KeyboardInterrupt), warmup._in_other_process("compile_other_kernels"):
        raise KeyboardInterrupt
    assert has_ended(tmp_path)
