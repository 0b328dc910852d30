"""Frames of byte strings over a socket, with a deadline and a largest size.

A frame is a list of byte strings and nothing else: its length, the number of strings, the length of each, and their
bytes. Reading one can therefore run no code, whoever has written it, and takes little more memory than the frame has.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Sequence

_LENGTH = struct.Struct("<Q")
_MAX_JOINED_BYTES = 2**16  # of short strings that are sent together
_WAIT_SECONDS = 0.2  # in one system call: it does not return for a signal that arrives just before it
_MAX_RECEIVED_BYTES = 2**20  # at once, so that memory is used only for what was really sent


class FrameError(Exception):
    """What arrived is not a frame, or is larger than allowed."""


class FrameTimeout(Exception):
    """The other side did not read or write in time."""


class Deadline:
    """A moment after which nothing is waited for any more."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left. Raise FrameTimeout if none are."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise FrameTimeout
        return left


class FrameSocket:
    """One end of a connected pair of sockets. Not thread-safe."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected

    def close(self) -> None:
        self._socket.close()

    def is_readable(self) -> bool:
        """Return whether bytes, or the end of the connection, wait to be received."""
        self._socket.settimeout(0)
        try:
            self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def send(self, fields: Sequence[bytes], deadline: Deadline | None = None) -> None:
        """Send one frame. Raise FrameTimeout after the deadline, and OSError if the other side has gone."""
        lengths = struct.pack(f"<{len(fields)}Q", *map(len, fields))
        size = _LENGTH.size + len(lengths) + sum(map(len, fields))
        joined = bytearray(_LENGTH.pack(size) + _LENGTH.pack(len(fields)) + lengths)
        for field in fields:
            if len(joined) + len(field) > _MAX_JOINED_BYTES:
                self._send_all(memoryview(joined), deadline)
                joined = bytearray()
            if len(field) > _MAX_JOINED_BYTES:  # joining would copy it
                self._send_all(memoryview(field), deadline)
            else:
                joined += field
        self._send_all(memoryview(joined), deadline)

    def _send_all(self, data: memoryview, deadline: Deadline | None) -> None:
        while data:
            self._socket.settimeout(None if deadline is None else min(deadline.left(), _WAIT_SECONDS))
            try:
                sent = self._socket.send(data)
            except TimeoutError:
                continue
            data = data[sent:]

    def receive(self, max_bytes: int, deadline: Deadline | None = None) -> list[bytes]:
        """Receive one frame. Raise EOFError if the other side has gone, FrameError and FrameTimeout."""
        (size,) = _LENGTH.unpack(self._receive_exactly(_LENGTH.size, deadline))
        if not _LENGTH.size <= size <= max_bytes:
            raise FrameError(f"a frame of {size} bytes")
        return split_frame(self._receive_exactly(size, deadline))

    def _receive_exactly(self, size: int, deadline: Deadline | None) -> bytearray:
        received = bytearray()
        while len(received) < size:
            self._socket.settimeout(None if deadline is None else min(deadline.left(), _WAIT_SECONDS))
            try:
                piece = self._socket.recv(min(size - len(received), _MAX_RECEIVED_BYTES))
            except TimeoutError:
                continue
            if not piece:
                raise EOFError
            received += piece
        return received


def split_frame(body: bytes | bytearray) -> list[bytes]:
    """Return the strings of a frame's body. Raise FrameError unless their lengths fill it exactly.

    >>> split_frame(bytes([2, 0, 0, 0, 0, 0, 0, 0]) + bytes([1, 0, 0, 0, 0, 0, 0, 0]) * 2 + b"ab")
    [b'a', b'b']
    """
    (count,) = _LENGTH.unpack_from(body)
    position = _LENGTH.size * (count + 1)
    if position > len(body):
        raise FrameError(f"{count} strings in a frame of {len(body)} bytes")
    fields, view = [], memoryview(body)
    for length in struct.unpack_from(f"<{count}Q", body, _LENGTH.size):
        if length > len(body) - position:
            raise FrameError("a string that is longer than its frame")
        fields.append(bytes(view[position : position + length]))
        position += length
    if position != len(body):
        raise FrameError("bytes after the last string")
    return fields
