"""Frames of byte strings over a socket, with a deadline and a largest size.

A frame is a list of byte strings and nothing else: its length, the number of strings, the length of each, and their
bytes. Reading one can therefore run no code, whoever has written it, and takes little more memory than the frame has.
"""

from __future__ import annotations

import socket
import struct
import time
from collections import deque
from collections.abc import Iterator, Sequence

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
        for piece in frame_pieces(fields):
            self._send_all(piece, deadline)

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


class FrameChannel:
    """One end of a connected pair of sockets that never waits: what cannot be sent or received yet is kept."""

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(False)
        self._socket = connected
        self._unsent: deque[memoryview] = deque()
        self._received = bytearray()

    def close(self) -> None:
        self._socket.close()

    def fileno(self) -> int:
        return self._socket.fileno()

    @property
    def has_unsent(self) -> bool:
        """Whether something waits until the other side reads."""
        return bool(self._unsent)

    @property
    def has_received(self) -> bool:
        """Whether bytes were received that no frame was made of."""
        return bool(self._received)

    def has_ended(self) -> bool:
        """Return whether the other side has gone, or has sent something."""
        try:
            return self.receive_more() > 0
        except (EOFError, OSError):
            return True

    def send(self, fields: Sequence[bytes]) -> None:
        """Send one frame, now or in later calls of `send_more`. Raise OSError if the other side has gone."""
        self._unsent.extend(frame_pieces(fields))
        self.send_more()

    def send_more(self) -> None:
        """Send what the other side has room for. Raise OSError if it has gone."""
        while self._unsent:
            try:
                sent = self._socket.send(self._unsent[0])
            except BlockingIOError:
                return
            if sent == len(self._unsent[0]):
                self._unsent.popleft()
            else:
                self._unsent[0] = self._unsent[0][sent:]

    def receive_more(self) -> int:
        """Receive what has arrived and return its size. Raise EOFError or OSError if the other side has gone."""
        try:
            piece = self._socket.recv(_MAX_RECEIVED_BYTES)
        except BlockingIOError:
            return 0
        if not piece:
            raise EOFError
        self._received += piece
        return len(piece)

    def next_frame(self, max_bytes: int) -> list[bytes] | None:
        """Return the next frame if all of it was received. Raise FrameError if it is larger, or not a frame."""
        if len(self._received) < _LENGTH.size:
            return None
        (size,) = _LENGTH.unpack_from(self._received)
        if not _LENGTH.size <= size <= max_bytes:
            raise FrameError(f"a frame of {size} bytes")
        end = _LENGTH.size + size
        if len(self._received) < end:
            return None
        with memoryview(self._received) as view:
            fields = split_frame(view[_LENGTH.size : end])
        del self._received[:end]
        return fields


def frame_pieces(fields: Sequence[bytes]) -> Iterator[memoryview]:
    """Yield the bytes of a frame. Short strings are joined, and long ones are not copied."""
    lengths = struct.pack(f"<{len(fields)}Q", *map(len, fields))
    size = _LENGTH.size + len(lengths) + sum(map(len, fields))
    joined = [_LENGTH.pack(size), _LENGTH.pack(len(fields)), lengths]
    joined_bytes = 2 * _LENGTH.size + len(lengths)
    for field in fields:
        if joined_bytes + len(field) > _MAX_JOINED_BYTES:
            yield memoryview(b"".join(joined))
            joined, joined_bytes = [], 0
        if len(field) > _MAX_JOINED_BYTES:
            yield memoryview(field)
        else:
            joined.append(field)
            joined_bytes += len(field)
    if joined:
        yield memoryview(b"".join(joined))


def split_frame(body: bytes | bytearray | memoryview) -> list[bytes]:
    """Return the strings of a frame's body. Raise FrameError unless their lengths fill it exactly.

    >>> split_frame(bytes([2, 0, 0, 0, 0, 0, 0, 0]) + bytes([1, 0, 0, 0, 0, 0, 0, 0]) * 2 + b"ab")
    [b'a', b'b']
    """
    (count,) = _LENGTH.unpack_from(body)
    position = _LENGTH.size * (count + 1)
    if position > len(body):
        raise FrameError(f"{count} strings in a frame of {len(body)} bytes")
    fields = []
    view = memoryview(body)
    for length in struct.unpack_from(f"<{count}Q", body, _LENGTH.size):
        if length > len(body) - position:
            raise FrameError("a string that is longer than its frame")
        fields.append(bytes(view[position : position + length]))
        position += length
    if position != len(body):
        raise FrameError("bytes after the last string")
    return fields
