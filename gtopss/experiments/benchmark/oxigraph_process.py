"""Time how long Oxigraph takes to parse documents, in a process that holds nothing else.

Beside an engine, or with the objects kept, parsing takes two to four times as long: that would be no fair measure.
"""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Self


class OxigraphProcess:
    """A process that parses the same N-Triples documents whenever it is asked. Use it as a context."""

    def __init__(self, documents: Sequence[bytes]) -> None:
        command = [sys.executable, "-m", "gtopss.experiments.benchmark.oxigraph_process"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None
        pickle.dump(list(documents), self._process.stdin)
        self._process.stdin.flush()

    def seconds(self) -> float:
        """Return the wall-clock seconds of one pass over all documents."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self._process.communicate()


def main() -> None:
    """Read the documents from stdin, then parse them once for each line that follows."""
    import pyoxigraph as ox

    documents = pickle.load(sys.stdin.buffer)
    gc.collect()
    gc.freeze()
    gc.disable()
    while sys.stdin.buffer.readline():
        started = time.perf_counter()
        for document in documents:
            deque(ox.parse(document, format=ox.RdfFormat.N_TRIPLES), maxlen=0)
        print(time.perf_counter() - started, flush=True)


if __name__ == "__main__":
    main()
