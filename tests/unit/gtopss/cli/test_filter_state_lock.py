"""Two runs with one `--state` file. Each test runs the real command."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path
from subprocess import Popen

import pytest
from conftest import ROOT
from support.commands import DEADLINE_SECONDS, ended, run, started

pytestmark = pytest.mark.slow

FEED = (ROOT / "data" / "feeds" / "nasa-liftoff.rss20.xml").read_bytes()
ANSWER = b'HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Length: %d\r\n\r\n' % len(FEED) + FEED


@pytest.fixture
def server() -> socket.socket:
    """A server that answers when a test tells it to: a request says that the command holds its state."""
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(DEADLINE_SECONDS)
    return listening


def arguments(server: socket.socket, folder: Path, name: str) -> tuple[str | Path, ...]:
    host = f"127.0.0.1:{server.getsockname()[1]}"
    common: tuple[str | Path, ...] = (f"http://{host}/feed", "--allow", host, "--state", folder / "state")
    if name == "spool":
        return ("spark", "spool", folder / "spool", *common)
    return ("filter", *common, "--matcher", "naive", "-s", ROOT / "data" / "subscriptions")


def answer(server: socket.socket, process: Popen[str]) -> tuple[int, str, str]:
    """Answer one request of a command, and return how it ends."""
    with server.accept()[0] as connection:
        connection.recv(10_000)
        connection.sendall(ANSWER)
        return ended(process)


@pytest.mark.parametrize("name", ["filter", "spool"])
def test_the_second_run_says_who_holds_the_state(name: str, tmp_path: Path, server: socket.socket) -> None:
    command = arguments(server, tmp_path, name)
    with started(*command, folder=tmp_path) as first:
        with server.accept()[0]:
            code, out, error = run(*command, folder=tmp_path)
            assert (code, out) == (2 if name == "filter" else 1, "")
            assert f"state is in use by process {first.pid}, since 20" in error
            os.kill(first.pid, signal.SIGKILL)
            first.wait()
        with started(*command, folder=tmp_path) as next_run:  # what the killed process left does not block it
            code, _, error = answer(server, next_run)
    assert code == 0, error


def test_a_link_to_the_state_is_the_same_state(tmp_path: Path, server: socket.socket) -> None:
    (tmp_path / "link").symlink_to("state")
    command = arguments(server, tmp_path, "filter")
    with started(*command, folder=tmp_path) as first, server.accept()[0]:
        other = [tmp_path / "link" if each == tmp_path / "state" else each for each in command]
        code, _, error = run(*other, folder=tmp_path)
        assert code == 2
        assert f"in use by process {first.pid}" in error


def test_items_are_delivered_again_if_nobody_read_them(tmp_path: Path, server: socket.socket) -> None:
    command = arguments(server, tmp_path, "filter")
    reader, writer = os.pipe()
    os.close(reader)
    with started(*command, folder=tmp_path, stdout=writer) as unread:
        assert answer(server, unread)[0] == 0
    os.close(writer)
    with started(*command, folder=tmp_path) as again:
        code, out, error = answer(server, again)
    assert code == 0, error
    assert "Star City" in out
