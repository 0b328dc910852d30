"""A child process that runs hostile cases one after the other, and is replaced when one of them kills it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from types import TracebackType
from typing import Self

from conftest import ROOT

from support.hostile_cases import CASE_SECONDS, MEMORY_BYTES

_WALL_SECONDS = 30 * CASE_SECONDS  # the limit is CPU time; this only ends a process that waits for something
_NEARLY = 0.97  # of the memory: the allocation that fails is not part of what a process has
_FRESH_BYTES = 2**30  # a process that has had more is replaced, so that each case has most of the memory
_MAX_LOG_BYTES = 100_000
"""What a case may write to stderr."""


class HostileWorker:
    """Runs cases by their seeds. A context manager; not thread-safe."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  # closed in __exit__

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        self._log.close()

    def run(self, seed: int) -> str | None:
        """Run one case. Return None if it ended well, and otherwise what happened."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{seed}\n")
        process.stdin.flush()
        ready = select.select([process.stdout], [], [], _WALL_SECONDS)[0]
        line = process.stdout.readline() if ready else ""
        if not line:
            reason = self._stop() if ready else "it waits for something"
            self._stop()
            return reason
        outcome = json.loads(line)
        failure: str | None = outcome.get("failure")
        if outcome["peak_bytes"] > _NEARLY * MEMORY_BYTES:
            failure = f"it took all memory; {failure}"
        if os.fstat(self._log.fileno()).st_size > _MAX_LOG_BYTES:
            failure = f"it floods the log; {failure}"
        if failure is not None or outcome["peak_bytes"] > _FRESH_BYTES:
            self._stop()
        return failure

    def _start(self) -> subprocess.Popen[str]:
        self._log.truncate(0)
        path = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
        # One thread and few arenas, because address space is what is limited.
        settings = {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "support.hostile_cases"],
            env={**os.environ, **settings}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True,
        )  # fmt: skip
        return self._process

    def _stop(self) -> str:
        """End the process, and return what ended it."""
        if self._process is None:
            return "it was stopped"
        process, self._process = self._process, None
        if process.poll() is None and select.select([process.stdout], [], [], 0)[0]:
            process.wait(timeout=_WALL_SECONDS)  # its stdout is closed: it ends by itself
        process.kill()
        process.communicate()
        code = process.returncode
        if code == -signal.SIGPROF:
            return f"it took more than {CASE_SECONDS:g} s of CPU time"
        return f"it ended the process by {signal.Signals(-code).name}" if code < 0 else f"the process ended with {code}"
