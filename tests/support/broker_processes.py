"""Broker processes that tests kill.

A parent process imports everything and loads the compiled code once; each broker is forked from it. Starting a broker
then takes milliseconds instead of several seconds, and two hundred kills take minutes instead of an hour.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from types import TracebackType
from typing import Any, Self

from conftest import ROOT

_DEADLINE_SECONDS = 120


class BrokerProcess:
    """A forked broker (`support.killed_broker`). A thread reads the lines that it prints."""

    def __init__(self, pid: int, output: int) -> None:
        self.lines: list[dict[str, Any]] = []
        self._pid, self._has_ended = pid, False
        self._grown = threading.Condition()
        self._thread = threading.Thread(target=self._read, args=(output,), daemon=True)
        self._thread.start()

    def _read(self, output: int) -> None:
        with open(output, "rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):
                    with self._grown:
                        self.lines.append(json.loads(line))
                        self._grown.notify_all()
        with self._grown:
            self._has_ended = True
            self._grown.notify_all()

    def wait_for(self, count: int) -> None:
        """Wait until the broker has printed so many lines."""
        with self._grown:
            assert self._grown.wait_for(lambda: len(self.lines) >= count or self._has_ended, timeout=_DEADLINE_SECONDS)
            assert not self._has_ended, "the broker ended by itself"

    def kill(self) -> None:
        """Kill the broker and wait until all that it has printed is read."""
        with self._grown:
            assert not self._has_ended, "the broker ended by itself"
            os.kill(self._pid, signal.SIGKILL)
        self._thread.join()


class BrokerProcesses:
    """Forks brokers. A context manager, which ends the parent process and the brokers that are left."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "support.killed_broker", str(theirs.fileno())]
        self._parent = subprocess.Popen(command, cwd=ROOT / "tests", pass_fds=[theirs.fileno()])
        theirs.close()

    def start(self, **arguments: Any) -> BrokerProcess:
        """Fork a broker. The arguments are those of `support.killed_broker.run`."""
        output, theirs = os.pipe()
        socket.send_fds(self._socket, [json.dumps(arguments).encode()], [theirs])
        os.close(theirs)
        return BrokerProcess(int(self._socket.recv(100)), output)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()
        self._parent.wait(_DEADLINE_SECONDS)
