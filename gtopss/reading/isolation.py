"""Reading in a process of its own, so that a parser's crash costs one document.

The guard refuses what is known to bring a parser down; this is for what is not known yet. pyoxigraph is native code:
when it aborts, nothing in the same process can catch it. A worker reads one document after the other under a limit of
memory and of time; when it dies or is too slow, that document is refused by name and the next one gets a new worker.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import resource
from collections.abc import Callable
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self

from gtopss.errors import GtopssError, MalformedPublication
from gtopss.reading.documents import Feed, read_feed

MEMORY = 2 * 2**30
"""Bytes of address space that a worker may have."""
SECONDS = 60.0
"""For one document."""

_START_SECONDS = 60.0
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["gtopss.reading.documents"])  # so that a new worker is there in no time
_Read = Callable[..., Feed]


class IsolatedReader:
    """`read_feed`, in a worker. Use it as a context; one reader serves one thread."""

    def __init__(self, *, memory: int = MEMORY, seconds: float = SECONDS, read: _Read = read_feed) -> None:
        self._memory, self._seconds, self._read = memory, seconds, read
        self._worker: tuple[multiprocessing.process.BaseProcess, Connection] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    @property
    def pid(self) -> int | None:
        """The worker's process, while there is one."""
        return None if self._worker is None else self._worker[0].pid

    def read_feed(self, data: bytes, *, source: str | None = None) -> Feed:
        """As `publications.read_feed`; a crash or a delay of the worker is a MalformedPublication too."""
        worker, pipe = self._worker or self._start()
        try:
            pipe.send_bytes(pickle.dumps((data, source)))
            if not pipe.poll(self._seconds):
                raise self._lost(source, f"reading it took longer than {self._seconds:g} s")
            answer: Feed | GtopssError = pickle.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            worker.join(1)
            raise self._lost(source, f"reading it brought the parser down (exit code {worker.exitcode})") from None
        if isinstance(answer, GtopssError):
            raise answer
        return answer

    def _lost(self, source: str | None, reason: str) -> MalformedPublication:
        self._stop()
        return MalformedPublication(reason, publication_id=source)

    def _start(self) -> tuple[multiprocessing.process.BaseProcess, Connection]:
        ours, theirs = _CONTEXT.Pipe()
        worker = _CONTEXT.Process(target=_work, args=(theirs, self._memory, self._read), daemon=True)
        worker.start()
        theirs.close()
        if not ours.poll(_START_SECONDS):
            worker.kill()
            raise RuntimeError("the reading process does not start")
        ours.recv_bytes()
        self._worker = worker, ours
        return self._worker

    def _stop(self) -> None:
        if self._worker is not None:
            worker, pipe = self._worker
            self._worker = None
            pipe.close()
            worker.kill()
            worker.join()


def _work(pipe: Connection, memory: int, read: _Read) -> None:
    """The worker: documents in, feeds or errors out, until the pipe is closed."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(EOFError, OSError):
        pipe.send_bytes(b"ready")
        while True:
            data, source = pickle.loads(pipe.recv_bytes())
            answer: Feed | GtopssError
            try:
                answer = read(data, source=source)
            except GtopssError as error:
                answer = error
            except MemoryError:
                answer = MalformedPublication("reading it takes too much memory", publication_id=source)
            except RecursionError:
                answer = MalformedPublication("it nests too deeply", publication_id=source)
            pipe.send_bytes(pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL))
