"""Worker processes that crash, or that a hostile document has taken over. The worker must be able to import them."""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import socket
import struct
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from gtopss.reading import worker
from gtopss.reading.answers import write_document
from gtopss.reading.documents import read_document
from gtopss.reading.frames import FrameSocket


class Touch:
    """Creates a file when it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path(self.path),)


def lie(connected: socket.socket, parent: Connection, settings: worker.WorkerSettings) -> None:
    """Answer each request as the document says. A document that names no trick is read."""
    frames = FrameSocket(connected)
    frames.send(worker.READY)
    while True:
        with contextlib.suppress(EOFError, OSError):
            number, _, *arguments = frames.receive(2**30)
            trick, _, argument = arguments[-1].partition(b" ")
            good = (number, b"ok", *write_document(read_document(b"<urn:a> <urn:p> <urn:o> .", format="turtle")))
            match trick:
                case b"pickle":
                    connected.sendall(pickle.dumps(Touch(argument.decode())))
                case b"pickle-in-a-frame":
                    frames.send((number, b"ok", pickle.dumps(Touch(argument.decode()))))
                case b"huge":
                    connected.sendall(struct.pack("<Q", 2**62))
                case b"endless":
                    connected.sendall(struct.pack("<Q", 2**20))
                    while True:
                        connected.sendall(b"\0" * 2**16)
                case b"drip":
                    while True:
                        connected.sendall(b"\x10")
                        select.select([], [], [], 0.05)
                case b"truncated":
                    connected.sendall(struct.pack("<QQ", 100, 3))
                    os._exit(0)
                case b"silent":
                    signal.pause()
                case b"number":
                    frames.send((b"\0" * 8, *good[1:]))
                case b"twice":
                    frames.send(good)
                    frames.send(good)
                case b"last":
                    frames.send(good)
                    os._exit(0)
                case b"empty":
                    frames.send(())
                case b"outcome":
                    frames.send((number, b"maybe"))
                case _:
                    frames.send(good)


def stop_reading(connected: socket.socket, parent: Connection, settings: worker.WorkerSettings) -> None:
    """Never receive a request."""
    FrameSocket(connected).send(worker.READY)
    signal.pause()


def fragile_worker(connected: socket.socket, parent: Connection, settings: worker.WorkerSettings) -> None:
    """Read documents with a parser that has unknown bugs, which the document names."""
    usual = dict(worker._OPERATIONS)

    def fragile(operation: bytes) -> Any:
        def read(settings: worker.WorkerSettings, arguments: Any) -> list[bytes]:
            data = arguments[-1]
            if b"#abort" in data:
                os.abort()
            if b"#segfault" in data:
                os.kill(os.getpid(), signal.SIGSEGV)
            if b"#endless" in data:
                signal.pause()
            if b"#hungry" in data:
                bytearray(2**36)
            return usual[operation](settings, arguments)

        return read

    worker._OPERATIONS.update({operation: fragile(operation) for operation in usual})
    worker.run_worker(connected, parent, settings)
