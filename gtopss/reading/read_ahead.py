"""Read the next documents in worker processes while the caller handles those before them.

`ReadAhead` gives each document to one of a few workers, and returns them in their order. Each worker gets a few
documents in advance, so that it need not wait for its caller. This process waits only for the document that it needs:
it sends and receives without blocking whenever one of its methods is called. Only `start` uses a thread.

The documents and answers that wait are limited, in number and in bytes: then no more are loaded, and workers wait until
they can send. If a worker dies, is too slow or answers nonsense, one document is refused, as by `IsolatedReader`. One
that was given to the worker in advance is first read again, alone and in a new worker: what the document before it did
to the worker costs no other document.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from gtopss.errors import GtopssError, MalformedPublication
from gtopss.reading import answers
from gtopss.reading.documents import ParsedDocument, read_document
from gtopss.reading.frames import FrameChannel, FrameError
from gtopss.reading.isolation import (
    DOCUMENT_TIMEOUT_SECONDS,
    WORKER_MEMORY_BYTES,
    StartedWorker,
    max_answer_bytes,
    start_worker,
)
from gtopss.reading.sources import SourceDocument
from gtopss.reading.worker import Read, WorkerSettings, optional_bytes
from ontology.limits import DEFAULT_LIMITS, DocumentLimits

MAX_WORKERS = 64
"""Worker processes of one reader. Each may use `WORKER_MEMORY_BYTES`."""
MAX_DOCUMENTS_AHEAD = 32
"""Documents that are loaded and not handled yet; above this no more are loaded."""
MAX_BYTES_AHEAD = 64 * 2**20
"""Bytes of documents and answers that wait; above this no more are loaded, and workers wait before they send. One
document, and one answer (or a MiB of answers) from each worker, may be added to this."""

_MAX_DOCUMENTS_PER_WORKER = 6  # given to a worker in advance: it reads them while the caller is busy
_MIN_EXCHANGE_SECONDS = 0.001  # between two calls of `advance` that do something: a worker reads an item in 0.1 ms
_MAX_WAIT_SECONDS = 0.2  # in one system call: it does not return for a signal that arrives just before it


def default_workers() -> int:
    """Return the number of workers that a command starts by default: one for each of at most two processors."""
    return min(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


@dataclass(slots=True, eq=False)
class _Task:
    """A document, and what reading it gave: a result or an error. `alone` is set if it is read a second time."""

    document: SourceDocument
    result: ParsedDocument | None = None
    error: GtopssError | None = None
    is_done: bool = False
    answer_bytes: int = 0
    was_in_advance: bool = False
    alone: bool = False


@dataclass(slots=True, eq=False)
class _Connection:
    """A worker with the tasks that it was given, in order. It reads the first one of them."""

    worker: StartedWorker
    channel: FrameChannel
    tasks: deque[_Task] = field(default_factory=deque)
    numbers: deque[bytes] = field(default_factory=deque)
    since: float = 0.0  # the moment at which the worker can have begun with the first task

    @classmethod
    def of(cls, worker: StartedWorker) -> _Connection:
        return cls(worker, FrameChannel(worker.connection))

    def stop(self) -> None:
        """Kill the worker."""
        self.channel.close()
        self.worker.alive.close()
        self.worker.process.kill()
        self.worker.process.join()


class ReadAhead(AbstractContextManager["ReadAhead"]):
    """Reads documents in worker processes, ahead of the caller. Not thread-safe.

    Iterate over `documents`, and call `read` for the document that it has just yielded.
    """

    def __init__(
        self,
        workers: int,
        *,
        memory_bytes: int = WORKER_MEMORY_BYTES,
        timeout_seconds: float = DOCUMENT_TIMEOUT_SECONDS,
        limits: DocumentLimits = DEFAULT_LIMITS,
        max_documents: int = MAX_DOCUMENTS_AHEAD,
        max_bytes: int = MAX_BYTES_AHEAD,
        read: Read = read_document,
    ) -> None:
        if not 1 <= workers <= MAX_WORKERS:
            raise ValueError(f"workers is {workers}: it is a number from 1 to {MAX_WORKERS}")
        self._workers, self._timeout_seconds = workers, timeout_seconds
        self._settings = WorkerSettings(memory_bytes, limits, read)
        self._max_documents, self._max_bytes = max_documents, max_bytes
        self._tasks: deque[_Task] = deque()  # in the order of the documents, the current one included
        self._unsent: deque[_Task] = deque()
        self._connections: list[_Connection] = []
        self._starting: threading.Thread | None = None
        self._started: StartedWorker | None = None
        self._waiting_bytes = 0
        self._requests = 0
        self._next_exchange = 0.0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or isinstance(error, Exception):  # after a signal, nothing is waited for
            self._wait_for_start()
        if self._started is not None:
            self._connections.append(_Connection.of(self._started))
        while self._connections:
            self._connections.pop().stop()

    def start(self) -> Self:
        """Start the first worker in the background, so that the first document need not wait for it."""
        if not self._connections and self._starting is None:
            self._starting = threading.Thread(target=self._start_quietly, daemon=True)
            self._starting.start()
        return self

    def _start_quietly(self) -> None:
        with contextlib.suppress(Exception):  # the first document tries again and raises the error
            self._started = start_worker(self._settings)

    def _wait_for_start(self) -> None:
        if self._starting is not None:
            self._starting.join()
            self._starting = None

    @property
    def pids(self) -> list[int | None]:
        """The process ids of the workers that run."""
        return [each.worker.process.pid for each in self._connections]

    @property
    def waiting_bytes(self) -> int:
        """Bytes of the documents and answers that wait."""
        return self._waiting_bytes

    def documents(self, documents: Iterable[SourceDocument]) -> Iterator[SourceDocument]:
        """Yield the documents in their order, while the next ones are read."""
        source = iter(documents)
        more = True
        while True:
            while more and self._has_room():
                document = next(source, None)
                if document is None:
                    more = False
                    break
                self._add(document)
            if not self._tasks:
                return
            yield self._tasks[0].document
            done = self._tasks.popleft()
            self._waiting_bytes -= len(done.document.data) + done.answer_bytes
            if not done.is_done:  # nobody asked for it; its answer is received and dropped
                done.answer_bytes = 0

    def read(self, document: SourceDocument) -> ParsedDocument:
        """Return what was read from the document that `documents` yielded last. Raise MalformedPublication."""
        task = self._tasks[0]
        if task.document is not document:
            raise ValueError(f"{document.name} is not the document that was yielded last")
        while not task.is_done:
            self._exchange(_MAX_WAIT_SECONDS)
        if task.error is not None:
            raise task.error
        assert task.result is not None
        return task.result

    def advance(self) -> None:
        """Send and receive what is possible without waiting. Call this often during other work."""
        if self._connections and time.monotonic() >= self._next_exchange:
            self._exchange(0)

    def _has_room(self) -> bool:
        return not self._tasks or (len(self._tasks) < self._max_documents and self._waiting_bytes < self._max_bytes)

    def _add(self, document: SourceDocument) -> None:
        task = _Task(document)
        self._tasks.append(task)
        self._waiting_bytes += len(document.data)
        if document.error is not None or document.unchanged:
            task.is_done = True  # there is nothing to read
            return
        self._unsent.append(task)
        self._exchange(0)

    # --- workers ---------------------------------------------------------------------------------------------

    def _send(self) -> None:
        """Give documents to workers, in order, as long as one may have more."""
        while self._unsent:
            connection = self._choose(self._unsent[0])
            if connection is None:
                return
            if not connection.tasks and connection.channel.has_ended():
                self._lose(connection, "")  # it died after its last answer, or sends what nobody asked for
                continue
            task = self._unsent.popleft()
            task.was_in_advance = bool(connection.tasks)
            self._requests += 1
            number = self._requests.to_bytes(8, "little")
            if not connection.tasks:
                connection.since = time.monotonic()
            connection.tasks.append(task)
            connection.numbers.append(number)
            document = task.document
            request = (number, b"document", optional_bytes(document.name), optional_bytes(document.base), document.data)
            try:
                connection.channel.send(request)
            except OSError:
                self._lose(connection, "")

    def _choose(self, task: _Task) -> _Connection | None:
        """Return the worker for a document: an idle one, else a new one, else the one with the fewest documents."""
        free = [each for each in self._connections if not each.tasks or not each.tasks[-1].alone]
        best = min(free, key=lambda each: len(each.tasks), default=None)
        if best is not None and not best.tasks:
            return best
        if len(self._connections) < self._workers:
            self._wait_for_start()
            made = _Connection.of(self._started or start_worker(self._settings))
            self._started = None
            self._connections.append(made)
            return made
        if task.alone or best is None or len(best.tasks) >= _MAX_DOCUMENTS_PER_WORKER:
            return None
        return best

    def _exchange(self, seconds: float) -> None:
        """Send and receive. Wait at most so many seconds for something to do."""
        self._send()
        readable = {each.channel.fileno(): each for each in self._connections if self._may_receive(each)}
        poll = select.poll()
        for each in self._connections:
            events = select.POLLIN if each.channel.fileno() in readable else 0
            if each.channel.has_unsent:
                events |= select.POLLOUT
            if events:
                poll.register(each.channel, events)
        by_descriptor = {each.channel.fileno(): each for each in self._connections}
        for descriptor, _events in poll.poll(seconds * 1_000):
            connection = by_descriptor[descriptor]
            try:
                connection.channel.send_more()
                if descriptor in readable:
                    connection.channel.receive_more()
                    self._take_answers(connection)
            except (EOFError, OSError):
                self._lose(connection, "")
            except (FrameError, answers.InvalidAnswer, ValueError) as error:
                self._lose(connection, f"the process that read it gave an invalid answer ({error})")
        self._check_deadlines(readable)
        self._send()
        self._next_exchange = time.monotonic() + _MIN_EXCHANGE_SECONDS

    def _may_receive(self, connection: _Connection) -> bool:
        """Return whether there is room for an answer. The next document in order always has room."""
        if self._waiting_bytes < self._max_bytes:
            return True
        first = next((task for task in self._tasks if not task.is_done), None)
        return first is None or first in connection.tasks or first in self._unsent

    def _take_answers(self, connection: _Connection) -> None:
        limits = self._settings.limits
        while connection.tasks:
            task = connection.tasks[0]
            frame = connection.channel.next_frame(max_answer_bytes(task.document.data, limits))
            if frame is None:
                return
            number, outcome, *answer = frame if len(frame) > 1 else (b"", b"")
            if number != connection.numbers[0]:
                raise answers.InvalidAnswer("an answer to another request")
            if outcome == b"refused":
                task.error = answers.read_error_answer(answer, task.document.name)
            elif outcome == b"ok":
                task.result = answers.read_document_answer(answer, task.document.name)
            else:
                raise answers.InvalidAnswer("neither an answer nor an error")
            self._finish(connection, sum(map(len, answer)))
        if connection.channel.has_received:
            raise FrameError("what nobody asked for")

    def _finish(self, connection: _Connection, size: int) -> None:
        task = connection.tasks.popleft()
        connection.numbers.popleft()
        connection.since = time.monotonic()
        task.is_done = True
        if task in self._tasks:
            task.answer_bytes = size
            self._waiting_bytes += size

    def _check_deadlines(self, readable: dict[int, _Connection]) -> None:
        now = time.monotonic()
        for each in list(self._connections):
            if each.channel.fileno() not in readable:
                each.since = now  # it may have to wait until there is room
            elif each.tasks and now > each.since + self._timeout_seconds:
                self._lose(each, f"reading it took longer than {self._timeout_seconds:g} s")

    def _lose(self, connection: _Connection, reason: str) -> None:
        """Stop a worker and refuse the document that it had. Without a reason, the worker has ended by itself."""
        self._connections.remove(connection)
        if not reason and connection.tasks:
            connection.worker.process.join(1)
        code = connection.worker.process.exitcode
        connection.stop()
        if not connection.tasks:
            return
        task = connection.tasks.popleft()
        self._unsent.extendleft(reversed(connection.tasks))
        if task.was_in_advance and not task.alone:
            task.alone = True
            self._unsent.appendleft(task)
            return
        task.error = MalformedPublication(
            reason or f"reading it crashed the parser (exit code {code})", publication_id=task.document.name
        )
        task.is_done = True
