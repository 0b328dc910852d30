"""Read documents in a worker process, so that a crash of a parser costs one document.

`gtopss.rdf.safety` and `ontology.xml_safety` refuse what is known to crash a parser; isolation is for what is not known
yet. pyoxigraph is native code: if it aborts, nothing in the same process can catch that. The worker reads one document
after the other, under limits of memory and time. If it dies, is too slow or answers nonsense, that document is refused
by name and a new worker is started for the next one.

A document that takes over the worker can make it answer what it likes, but no more: answers are byte strings, which
`gtopss.reading.answers` checks. Nothing that the worker sends is unpickled.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

from gtopss.errors import MalformedPublication
from gtopss.model import Publication
from gtopss.model.dataset_publication import DatasetPublication
from gtopss.rdf.document import RdfDocument
from gtopss.reading import answers
from gtopss.reading.documents import ParsedDocument, read_document
from gtopss.reading.frames import Deadline, FrameError, FrameSocket, FrameTimeout
from gtopss.reading.worker import READY, Read, WorkerSettings, optional_bytes, run_worker
from ontology import Axioms
from ontology.documents import OntologyDocument
from ontology.limits import DEFAULT_LIMITS, DocumentLimits

WORKER_MEMORY_BYTES = 2 * 2**30
"""Address space of the worker; a document that needs more is refused."""
DOCUMENT_TIMEOUT_SECONDS = 60.0
"""Wall-clock time for one document; after it the worker is killed and the document refused."""

_START_TIMEOUT_SECONDS = 60.0
_MAX_OTHER_ANSWER_BYTES = 2**20  # of an answer, besides what the triples of a document may take
_AXIOM_COPIES = 4  # an axiom repeats the names of a triple; a class is named by several
_DESCRIPTORS = "/proc/self/fd"
_log = logging.getLogger("gtopss.reading")
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["gtopss.reading.worker"])  # so that a new worker starts quickly
_FORK_SERVER_LOCK = threading.Lock()
_Answer = TypeVar("_Answer")


class IsolatedReader:
    """`read_document` in a worker process. A context manager; not thread-safe."""

    def __init__(
        self,
        *,
        memory_bytes: int = WORKER_MEMORY_BYTES,
        timeout_seconds: float = DOCUMENT_TIMEOUT_SECONDS,
        limits: DocumentLimits = DEFAULT_LIMITS,
        read: Read = read_document,
    ) -> None:
        self._settings = WorkerSettings(memory_bytes, limits, read)
        self._timeout_seconds = timeout_seconds
        self._worker: tuple[BaseProcess, FrameSocket] | None = None
        self._starting: threading.Thread | None = None
        self._requests = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or isinstance(error, Exception):  # after a signal, nothing is waited for
            self._wait_for_start()
        self._stop()

    @property
    def pid(self) -> int | None:
        """The process id of the worker; None while there is no worker."""
        return None if self._worker is None else self._worker[0].pid

    def start(self) -> Self:
        """Start the worker in the background, so that the first document need not wait for it."""
        if self._worker is None and self._starting is None:
            self._starting = threading.Thread(target=self._start_quietly, daemon=True)
            self._starting.start()
        return self

    def read_document(self, data: bytes, *, source: str | None = None, base: str | None = None) -> ParsedDocument:
        """Read a document as the function `read_document` does.

        Raise MalformedPublication also if the worker crashes or is too slow.
        """
        return self._ask(
            (b"document", optional_bytes(source), optional_bytes(base), data),
            source,
            self._max_answer_bytes(data),
            lambda answer: answers.read_document_answer(answer, source),
        )

    def read_publication(self, document: RdfDocument) -> Publication:
        """Read a document that is one publication. Raise MalformedPublication as `read_document` does."""
        read = self._ask(
            (b"publication", *_fields(document)),
            document.id,
            self._max_answer_bytes(document.data),
            lambda answer: answers.read_document_answer(answer, document.source),
        )
        if len(read.publications) != 1:
            raise self._abandon(document.id, "reading it gave no single publication")
        return read.publications[0]

    def read_dataset(self, document: RdfDocument) -> DatasetPublication:
        """Read a document in TriG or N-Quads as one publication. Raise MalformedPublication as `read_document` does."""
        return self._ask(
            (b"dataset", *_fields(document)),
            document.id,
            self._max_answer_bytes(document.data),
            lambda answer: answers.read_dataset_answer(answer, document.source),
        )

    def read_prefixes(self, document: RdfDocument) -> dict[str, str]:
        """Return the prefixes that a document declares, up to its first syntax error."""
        size = self._max_answer_bytes(document.data)
        return self._ask((b"prefixes", *_fields(document)), document.id, size, answers.read_prefixes_answer)

    def read_axioms(self, document: OntologyDocument) -> tuple[Axioms, tuple[str, ...]]:
        """Return what an ontology asserts, and what it imports. Raise MalformedPublication."""
        request = (
            b"axioms",
            document.name.encode("utf-8", "backslashreplace"),
            document.format.encode(),
            document.base.encode(),
            document.content,
        )
        size = _AXIOM_COPIES * self._max_answer_bytes(document.content)
        return self._ask(request, document.name, size, answers.read_axioms_answer)

    def _max_answer_bytes(self, data: bytes) -> int:
        return max_answer_bytes(data, self._settings.limits)

    def _ask(
        self, request: tuple[bytes, ...], name: str | None, max_bytes: int, read: Callable[[list[bytes]], _Answer]
    ) -> _Answer:
        """Send a request to the worker and read its answer. Raise MalformedPublication for whatever goes wrong."""
        self._wait_for_start()
        if self._worker is not None and self._worker[1].is_readable():
            self._stop()  # it died after its last answer, or sends what nobody asked for
        worker, frames = self._worker or self._start()
        self._requests += 1
        number = self._requests.to_bytes(8, "little")
        deadline = Deadline(self._timeout_seconds)
        try:
            frames.send((number, *request), deadline)
            answered, outcome, *answer = frames.receive(max_bytes, deadline)
            if answered != number:
                raise answers.InvalidAnswer("an answer to another request")
            if outcome == b"refused":
                raise answers.read_error_answer(answer, name)
            if outcome == b"ok":
                return read(answer)
            raise answers.InvalidAnswer("neither an answer nor an error")
        except FrameTimeout:
            raise self._abandon(name, f"reading it took longer than {self._timeout_seconds:g} s") from None
        except (EOFError, OSError):
            worker.join(1)
            raise self._abandon(name, f"reading it crashed the parser (exit code {worker.exitcode})") from None
        except MalformedPublication:
            raise
        except (FrameError, answers.InvalidAnswer, ValueError) as error:
            raise self._abandon(name, f"the process that read it gave an invalid answer ({error})") from None

    def _abandon(self, name: str | None, reason: str) -> MalformedPublication:
        _log.info("%s: %s; a new worker process is started for the next document", name, reason)
        self._stop()
        return MalformedPublication(reason, publication_id=name)

    def _start(self) -> tuple[BaseProcess, FrameSocket]:
        started = start_worker(self._settings)
        self._alive = started.alive
        self._worker = started.process, FrameSocket(started.connection)
        return self._worker

    def _start_quietly(self) -> None:
        with contextlib.suppress(Exception):  # the first request tries again and raises the error
            self._start()

    def _wait_for_start(self) -> None:
        if self._starting is not None:
            self._starting.join()
            self._starting = None

    def _stop(self) -> None:
        if self._worker is not None:
            worker, frames = self._worker
            self._worker = None
            frames.close()
            self._alive.close()
            worker.kill()
            worker.join()


def max_answer_bytes(data: bytes, limits: DocumentLimits) -> int:
    """Return the largest size of the answer to a document: the texts in it, and the length of each."""
    return 2 * limits.output_limit(len(data))[0] + _MAX_OTHER_ANSWER_BYTES


class StartedWorker(NamedTuple):
    """A worker process, our end of the connection to it, and a pipe: the worker ends when that is closed."""

    process: BaseProcess
    connection: socket.socket
    alive: Connection


def start_worker(settings: WorkerSettings) -> StartedWorker:
    """Start a worker process and wait until it is ready. Raise RuntimeError if it is not."""
    ours, theirs = socket.socketpair()
    read_alive, alive = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=run_worker, args=(theirs, read_alive, settings), daemon=True)
    resource_tracker.ensure_running()  # otherwise the next call does it, and unblocks SIGINT on the way
    with _FORK_SERVER_LOCK, _signals_blocked():
        _start_fork_server()  # the workers inherit the signals: Ctrl-C in a terminal is for the process that kills them
    process.start()
    theirs.close()
    read_alive.close()
    try:
        if tuple(FrameSocket(ours).receive(2**10, Deadline(_START_TIMEOUT_SECONDS))) != READY:
            raise FrameError
    except (FrameError, FrameTimeout, EOFError, OSError):
        process.kill()
        raise RuntimeError("the reader process does not start") from None
    return StartedWorker(process, ours, alive)


def _start_fork_server() -> None:
    """Start the fork server of `multiprocessing`, unless it runs, and leave no folder behind.

    The server listens on a socket in a folder that `multiprocessing` deletes at the end of this process; after SIGKILL
    nobody would. So the folder is deleted at once here, and the socket stays reachable through a descriptor. The folder
    is named by a descriptor too, because the path of a socket has 107 bytes at most, and TMPDIR may be longer.
    """
    if not os.path.isdir(_DESCRIPTORS):  # not Linux
        forkserver.ensure_running()
        return
    config: dict[str, Any] = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    before = config.get("tempdir")
    with tempfile.TemporaryDirectory(prefix="gtopss-") as folder:
        descriptor = os.open(folder, os.O_PATH)
        config["tempdir"] = os.path.join(_DESCRIPTORS, str(descriptor))
        try:
            forkserver.ensure_running()
            server: Any = forkserver._forkserver
            address = server._forkserver_address
            if os.path.dirname(address) == config["tempdir"]:
                server._forkserver_address = os.path.join(_DESCRIPTORS, str(os.open(address, os.O_PATH)))
        finally:
            config["tempdir"] = before
            os.close(descriptor)


@contextlib.contextmanager
def _signals_blocked() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _fields(document: RdfDocument) -> tuple[bytes, ...]:
    base, source = optional_bytes(document.base), optional_bytes(document.source)
    return document.id.encode(), document.format.encode(), base, source, document.data
