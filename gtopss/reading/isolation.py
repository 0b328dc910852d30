"""Read documents in a worker process, so that a crash of a parser costs one document.

`ontology.xml_safety` refuses what is known to crash a parser; isolation is for what is not known yet. pyoxigraph is
native code: if it aborts, nothing in the same process can catch that. The worker reads one document after the other,
under limits of memory and time. If it dies or is too slow, that document is refused by name and a new worker is
started for the next one.
"""

from __future__ import annotations

import contextlib
import fcntl
import multiprocessing
import os
import pickle
import resource
import signal
from collections.abc import Callable, Iterator
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self

from gtopss.errors import GtopssError, MalformedPublication
from gtopss.reading.documents import ParsedDocument, read_document

WORKER_MEMORY_BYTES = 2 * 2**30
"""Address space of the worker; a document that needs more is refused."""
DOCUMENT_TIMEOUT_SECONDS = 60.0
"""Wall-clock time for one document; after it the worker is killed and the document refused."""

_START_TIMEOUT_SECONDS = 60.0
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["gtopss.reading.documents"])  # so that a new worker starts quickly
_Read = Callable[..., ParsedDocument]


class IsolatedReader:
    """`read_document` in a worker process. A context manager; not thread-safe."""

    def __init__(
        self,
        *,
        memory_bytes: int = WORKER_MEMORY_BYTES,
        timeout_seconds: float = DOCUMENT_TIMEOUT_SECONDS,
        read: _Read = read_document,
    ) -> None:
        self._memory_bytes, self._timeout_seconds, self._read = memory_bytes, timeout_seconds, read
        self._worker: tuple[multiprocessing.process.BaseProcess, Connection] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    @property
    def pid(self) -> int | None:
        """The process id of the worker; None while there is no worker."""
        return None if self._worker is None else self._worker[0].pid

    def read_document(self, data: bytes, *, source: str | None = None) -> ParsedDocument:
        """Read a document. Raise MalformedPublication also if the worker crashes or is too slow."""
        worker, pipe = self._worker or self._start()
        try:
            pipe.send_bytes(pickle.dumps((data, source)))
            if not pipe.poll(self._timeout_seconds):
                raise self._abandon(source, f"reading it took longer than {self._timeout_seconds:g} s")
            result: ParsedDocument | GtopssError = pickle.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            worker.join(1)
            raise self._abandon(source, f"reading it crashed the parser (exit code {worker.exitcode})") from None
        if isinstance(result, GtopssError):
            raise result
        return result

    def _abandon(self, source: str | None, reason: str) -> MalformedPublication:
        self._stop()
        return MalformedPublication(reason, publication_id=source)

    def _start(self) -> tuple[multiprocessing.process.BaseProcess, Connection]:
        ours, theirs = _CONTEXT.Pipe()
        alive, self._alive = _CONTEXT.Pipe(duplex=False)
        worker = _CONTEXT.Process(target=_run_worker, args=(theirs, alive, self._memory_bytes, self._read), daemon=True)
        resource_tracker.ensure_running()  # otherwise the next call does it, and unblocks SIGINT on the way
        with _signals_blocked():  # the workers inherit this: Ctrl-C in a terminal is for the process that kills them
            forkserver.ensure_running()
        worker.start()
        theirs.close()
        alive.close()
        if not ours.poll(_START_TIMEOUT_SECONDS):
            worker.kill()
            raise RuntimeError("the reader process does not start")
        ours.recv_bytes()
        self._worker = worker, ours
        return self._worker

    def _stop(self) -> None:
        if self._worker is not None:
            worker, pipe = self._worker
            self._worker = None
            pipe.close()
            self._alive.close()
            worker.kill()
            worker.join()


@contextlib.contextmanager
def _signals_blocked() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _die_with(parent: Connection) -> None:
    """Ask the kernel to end this process when the other end of a pipe is closed, as it is when the parent ends.

    A parser that hangs would not notice it: SIGIO ends the process in the middle of native code too.
    """
    fcntl.fcntl(parent, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(parent, fcntl.F_SETFL, fcntl.fcntl(parent, fcntl.F_GETFL) | os.O_ASYNC)
    if parent.poll():  # it has ended already
        os._exit(1)


def _run_worker(pipe: Connection, parent: Connection, memory_bytes: int, read: _Read) -> None:
    """Receive documents and send back results or errors, until the pipe is closed."""
    _die_with(parent)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(EOFError, OSError):
        pipe.send_bytes(b"ready")
        while True:
            data, source = pickle.loads(pipe.recv_bytes())
            result: ParsedDocument | GtopssError
            try:
                result = read(data, source=source)
            except GtopssError as error:
                result = error
            except MemoryError:
                result = MalformedPublication("reading it takes too much memory", publication_id=source)
            except RecursionError:
                result = MalformedPublication("it is nested too deeply", publication_id=source)
            pipe.send_bytes(pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL))
