"""Isolated readers that several threads share."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Self

from gtopss.reading.documents import ParsedDocument
from gtopss.reading.isolation import IsolatedReader
from ontology.limits import DEFAULT_LIMITS, DocumentLimits


class ReaderPool:
    """A number of isolated readers, each used by one thread at a time. A context manager; thread-safe."""

    def __init__(self, readers: int = 1, *, limits: DocumentLimits = DEFAULT_LIMITS) -> None:
        self._exit = ExitStack()
        self._free: queue.LifoQueue[IsolatedReader] = queue.LifoQueue()
        for _ in range(readers):
            self._free.put(self._exit.enter_context(IsolatedReader(limits=limits)))

    @contextmanager
    def reader(self) -> Iterator[IsolatedReader]:
        """Wait for a reader that is free, and hold it."""
        reader = self._free.get()
        try:
            yield reader
        finally:
            self._free.put(reader)

    def read_document(self, data: bytes, source: str | None = None) -> ParsedDocument:
        """Read a document as `IsolatedReader.read_document` does."""
        with self.reader() as reader:
            return reader.read_document(data, source=source)

    def close(self) -> None:
        """Stop the worker processes."""
        self._exit.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
