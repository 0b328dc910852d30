"""The real command in a child process: start it, wait until it is at a known point, send it signals."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from conftest import ROOT

DEADLINE_SECONDS = 60.0
"""For anything that a child process does: generous, because the machine may be busy."""
NOISE = ("Traceback", "Exception ignored", "Error", "Aborted")
"""What stderr must not hold after a quiet end."""


@contextmanager
def started(
    *arguments: str | Path, folder: Path, modules: Path | None = None, **options: Any
) -> Iterator[subprocess.Popen[str]]:
    """Run `gtopss ARGUMENTS` in a session of its own, with `folder/tmp` as TMPDIR. It is killed after the block.

    Modules in the folder `modules` hide the installed ones.
    """
    (folder / "tmp").mkdir(exist_ok=True)
    path = [str(each) for each in (modules, ROOT) if each is not None]
    process = subprocess.Popen(
        [sys.executable, "-m", "gtopss", *map(str, arguments)],
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(folder / "tmp"), "PYTHONPATH": os.pathsep.join(path)},
        **{
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "preexec_fn": _heed_signals,
            **options,
        },
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _heed_signals() -> None:
    """Undo what a test run inherits as a background job of a script (SIGINT is ignored) or under nohup (SIGHUP is)."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def run(*arguments: str | Path, folder: Path, **options: Any) -> tuple[int, str, str]:
    """Run a command to its end. Return its exit code, stdout and stderr."""
    with started(*arguments, folder=folder, **options) as process:
        return ended(process)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait for the end of a command. Return its exit code, stdout and stderr."""
    out, error = process.communicate(timeout=DEADLINE_SECONDS)
    return process.returncode, out, error


class Fifo:
    """A named pipe through which a child process says that it has reached a point."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def read(self) -> str:
        """Return what the child writes, as soon as it writes."""
        assert select.select([self._descriptor], [], [], DEADLINE_SECONDS)[0], "the child did not get there"
        return os.read(self._descriptor, 1000).decode()


def wait_until_dead(pid: int) -> None:
    """Wait for the end of a process that is not a child of this one."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    with os.fdopen(handle):
        assert select.select([handle], [], [], DEADLINE_SECONDS)[0], f"process {pid} is still alive"


def module_that_waits(folder: Path, name: str, reached: Path, *, at_import: int = 1, more: str = "") -> Path:
    """Write a module whose import writes the process id into the pipe `reached` and then waits while its parent lives.

    With `at_import=2`, only the second process that imports it waits. The module then also holds the code `more`.
    """
    folder.mkdir()
    (folder / f"{name}.py").write_text(
        f"""\
import os, signal
parent = os.getppid()
def wait(ends_with_parent=False):
    with open({str(reached)!r}, "w") as file:
        file.write(str(os.getpid()))
    while os.getppid() == parent or not ends_with_parent:
        signal.sigtimedwait([], 0.1)
    os._exit(0)
imports = os.open({str(folder / "imports")!r}, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
os.write(imports, b"x")
if os.fstat(imports).st_size == {at_import}:
    wait(ends_with_parent=True)
{more}
"""
    )
    return folder


def expect_quiet(error: str, allowed: Sequence[str] | Mapping[str, object] = ()) -> None:
    """Assert that stderr has no traceback and no message of the interpreter."""
    for each in NOISE:
        assert each not in error or each in allowed, error
