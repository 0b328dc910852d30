"""The worker process of `gtopss.reading.isolation`: it reads one document after the other, under limits."""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import resource
import signal
import socket
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import NamedTuple

from gtopss.errors import MalformedPublication, document_error
from gtopss.rdf.document import RdfDocument
from gtopss.rdf.formats import require_format
from gtopss.rdf.parse import read_rdf_dataset
from gtopss.rdf.prefixes import read_prefixes
from gtopss.reading import answers
from gtopss.reading.detect import DocumentKind
from gtopss.reading.documents import ParsedDocument, read_publication
from gtopss.reading.frames import FrameSocket
from ontology.documents import OntologyDocument
from ontology.formats import format_named
from ontology.limits import DocumentLimits
from ontology.owl import read_ontology_axioms

MAX_REQUEST_BYTES = 2**31  # a document of the largest size and its name; the worker's memory is limited anyway
_GARBAGE_THRESHOLD = 20_000  # new objects before a collection: those of a document are freed without one
READY = (b"ready",)
NO_TEXT = b"\xff"  # for a text that is None: no text in UTF-8 has this byte

Read = Callable[..., ParsedDocument]


class WorkerSettings(NamedTuple):
    """What the worker is started with."""

    memory_bytes: int
    limits: DocumentLimits
    read: Read


def run_worker(connected: socket.socket, parent: Connection, settings: WorkerSettings) -> None:
    """Receive requests and send answers, until the connection is closed.

    A request is a number, the name of an operation and its arguments. An answer is the number, `ok` or `refused`, and
    what `gtopss.reading.answers` writes.
    """
    _die_with(parent)
    _limit_process(settings.memory_bytes)
    gc.freeze()  # the imported modules stay as long as the process
    gc.set_threshold(_GARBAGE_THRESHOLD)
    frames = FrameSocket(connected)
    with contextlib.suppress(EOFError, OSError):
        frames.send(READY)
        while True:
            number, operation, *arguments = frames.receive(MAX_REQUEST_BYTES)
            try:
                frames.send((number, b"ok", *_OPERATIONS[operation](settings, arguments)))
            except BrokenPipeError:
                raise
            except BaseException as error:
                refused = document_error(error, None)
                if refused is None:
                    raise
                frames.send((number, b"refused", *answers.write_error(refused)))


def _die_with(parent: Connection) -> None:
    """Ask the kernel to end this process when the other end of a pipe is closed, as it is when the parent ends.

    A parser that hangs would not notice it: SIGIO ends the process in the middle of native code too. The process that
    forked this one is the fork server, which lives as long as its workers do.
    """
    fcntl.fcntl(parent, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(parent, fcntl.F_SETFL, fcntl.fcntl(parent, fcntl.F_GETFL) | os.O_ASYNC)
    if parent.poll():  # it has ended already
        os._exit(1)


def _limit_process(memory_bytes: int) -> None:
    """Limit the memory, write nothing to the terminal, and leave the interrupt key to the parent."""
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)


def _read_document(settings: WorkerSettings, arguments: Sequence[bytes]) -> list[bytes]:
    source, base, data = arguments
    read = settings.read(data, source=optional_text(source), base=optional_text(base), limits=settings.limits)
    return _limited(answers.write_document(read), len(data), settings.limits)


def _read_publication(settings: WorkerSettings, arguments: Sequence[bytes]) -> list[bytes]:
    document = _rdf_document(arguments)
    read = ParsedDocument(DocumentKind.UNKNOWN, (read_publication(document, limits=settings.limits),))
    return _limited(answers.write_document(read), len(document.data), settings.limits)


def _read_dataset(settings: WorkerSettings, arguments: Sequence[bytes]) -> list[bytes]:
    document = _rdf_document(arguments)
    read = read_rdf_dataset(document, settings.limits)
    return _limited(answers.write_dataset(read), len(document.data), settings.limits)


def _read_prefixes(settings: WorkerSettings, arguments: Sequence[bytes]) -> list[bytes]:
    document = _rdf_document(arguments)
    format = require_format(document.format)
    prefixes = read_prefixes(document.data, format, base=document.base, limits=settings.limits)
    return _limited(answers.write_prefixes(prefixes), len(document.data), settings.limits)


def _read_axioms(settings: WorkerSettings, arguments: Sequence[bytes]) -> list[bytes]:
    name, format, base, content = arguments
    document = OntologyDocument(name.decode(), content, format_named(format.decode()), base.decode())
    try:
        read = read_ontology_axioms(document, settings.limits)
    except ValueError as error:  # an OntologyError, whose text names the document and the place
        raise MalformedPublication(str(error)) from error
    return answers.write_axioms(read.axioms, read.imports)


_OPERATIONS: dict[bytes, Callable[[WorkerSettings, Sequence[bytes]], list[bytes]]] = {
    b"document": _read_document,
    b"publication": _read_publication,
    b"dataset": _read_dataset,
    b"prefixes": _read_prefixes,
    b"axioms": _read_axioms,
}


def _rdf_document(arguments: Sequence[bytes]) -> RdfDocument:
    id, format, base, source, data = arguments
    return RdfDocument(id.decode(), data, format.decode(), optional_text(base), optional_text(source))


def optional_text(data: bytes) -> str | None:
    """Return a text of a request, which may be None."""
    return None if data == NO_TEXT else data.decode()


def optional_bytes(text: str | None) -> bytes:
    """Return a text for a request, which may be None."""
    return NO_TEXT if text is None else text.encode()


def _limited(answer: list[bytes], document_bytes: int, limits: DocumentLimits) -> list[bytes]:
    """Return the answer if it is not larger than the triples of a document may be."""
    limit, limit_name = limits.output_limit(document_bytes)
    if sum(map(len, answer)) > limit:
        raise MalformedPublication(f"its triples take more than {limit} bytes ({limit_name}): split the document")
    return answer
