from __future__ import annotations

import contextlib
import random
import socket
import struct
import threading
from collections.abc import Iterator
from typing import ClassVar

import pytest

from gtopss.reading.frames import Deadline, FrameError, FrameSocket, FrameTimeout, split_frame


@pytest.fixture
def pair() -> Iterator[tuple[FrameSocket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield FrameSocket(ours), theirs


@pytest.mark.parametrize(
    "fields", [[], [b""], [b"a", b"", b"bc"], [b"x" * 10, b"y" * 3_000_000, b"z"], [b"a"] * 50_000]
)
def test_a_frame_arrives_as_it_was_sent(fields: list[bytes]) -> None:
    ours, theirs = map(FrameSocket, socket.socketpair())
    sender = threading.Thread(target=ours.send, args=(fields,))
    sender.start()
    assert theirs.receive(2**26, Deadline(30)) == fields
    sender.join()
    assert not theirs.is_readable()
    ours.close()
    assert theirs.is_readable()
    with pytest.raises(EOFError):
        theirs.receive(100)
    theirs.close()


@pytest.mark.parametrize("size", [0, 7, 101, 2**40, 2**64 - 1])
def test_a_size_that_is_not_allowed_is_refused_before_anything_is_read(
    size: int, pair: tuple[FrameSocket, socket.socket]
) -> None:
    frames, theirs = pair
    theirs.sendall(struct.pack("<Q", size))
    with pytest.raises(FrameError):
        frames.receive(100, Deadline(5))


@pytest.mark.parametrize("sent", [b"", b"\x10", struct.pack("<QQ", 16, 1), struct.pack("<QQQ", 17, 1, 1)])
def test_a_frame_that_stays_incomplete_meets_the_deadline(sent: bytes, pair: tuple[FrameSocket, socket.socket]) -> None:
    frames, theirs = pair
    theirs.sendall(sent)
    with pytest.raises(FrameTimeout):
        frames.receive(100, Deadline(0.01))
    theirs.close()
    with pytest.raises(EOFError):
        frames.receive(100, Deadline(5))


def test_sending_to_someone_who_does_not_read_meets_the_deadline(pair: tuple[FrameSocket, socket.socket]) -> None:
    with pytest.raises(FrameTimeout):
        pair[0].send([b"x" * 50_000_000], Deadline(0.01))


def test_any_bytes_are_a_frame_or_an_error() -> None:
    generator = random.Random(4)
    for _ in range(2_000):
        body = bytearray(struct.pack("<QQQ", 2, 1, 2) + b"abc")
        for _ in range(generator.randint(0, 3)):
            body[generator.randrange(len(body))] = generator.randrange(256)
        del body[generator.randint(8, len(body)) :]
        with contextlib.suppress(FrameError):
            assert sum(map(len, split_frame(bytes(body)))) <= len(body)


class ImpatientSocket(socket.socket):
    """A socket on which the first waits end without data."""

    waits: ClassVar[list[float | None]] = []

    def recv(self, *given: int) -> bytes:  # type: ignore[override]
        self.waits.append(self.gettimeout())
        if len(self.waits) <= 2:
            raise TimeoutError
        return super().recv(*given)


def test_a_long_wait_is_made_of_short_ones_so_that_no_signal_waits_for_its_end() -> None:
    ours, theirs = socket.socketpair()
    impatient = ImpatientSocket(fileno=ours.detach())
    with impatient, theirs:
        FrameSocket(theirs).send([b"answer"])
        assert FrameSocket(impatient).receive(100, Deadline(60)) == [b"answer"]
    assert len(impatient.waits) > 2
    assert all(wait is not None and wait < 1 for wait in impatient.waits)
