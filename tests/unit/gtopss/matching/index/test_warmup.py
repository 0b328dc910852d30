"""First use: two processes compile, and whatever happens to the second one, everything gets compiled."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from gtopss.matching.index import warmup as ready


def script(folder: Path, text: str) -> str:
    path = folder / "python-of-ours"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_the_other_python_runs_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = tmp_path / "done"
    monkeypatch.setattr(sys, "executable", script(tmp_path, f'echo "$3" > {done}.new; mv {done}.new {done}'))
    monkeypatch.setattr(ready, "_processor_count", lambda: 2)
    with ready._in_other_process("compile_add_kernels"):
        pass
    assert done.read_text() == "from gtopss.matching.index.warmup import compile_add_kernels; compile_add_kernels()\n"


@pytest.mark.parametrize("text", ["exit 1", "exec sleep 100"])
def test_it_need_not_succeed_nor_end(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", script(tmp_path, text))
    monkeypatch.setattr(ready, "_processor_count", lambda: 2)
    monkeypatch.setattr(ready, "_OTHER_PROCESS_TIMEOUT", 0.2)
    started = time.monotonic()
    with ready._in_other_process("compile_add_kernels"):
        pass
    assert time.monotonic() - started < 50


@pytest.mark.parametrize("executable", ["", None, "/usr/sbin/a-server", "/nowhere/python3"])
def test_where_there_is_no_other_python(executable: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    ran = False
    with ready._in_other_process("compile_add_kernels"):
        ran = True
    assert ran


def test_an_error_of_ours_ends_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", script(tmp_path, "exec sleep 100"))
    monkeypatch.setattr(ready, "_processor_count", lambda: 2)
    with pytest.raises(KeyboardInterrupt), ready._in_other_process("compile_add_kernels"):
        raise KeyboardInterrupt
