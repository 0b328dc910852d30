"""`gtopss serve` as a process: what it prints, that it serves, and how it ends."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from gtopss.cli.serve import is_loopback
from gtopss.http.server import bind

COMMAND = [sys.executable, "-c", "from gtopss.cli import main; main()", "serve"]


@contextmanager
def serving(*options: str) -> Iterator[tuple[subprocess.Popen[str], str, list[str]]]:
    """Run the command; yield the process, its address and the messages so far, when it serves."""
    with subprocess.Popen([*COMMAND, "--port", "0", *options], stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            messages: list[str] = []
            for line in process.stderr:
                messages.append(line)
                if found := re.search(r"serving on (\S+)/ from", line):
                    yield process, found[1], messages
                    break
            else:
                pytest.fail("".join(messages))
        finally:
            process.kill()


@pytest.mark.slow
def test_it_serves_until_a_signal_and_keeps_what_it_has(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'store.db'}"
    with serving("--store", store, "--no-examples") as (process, url, _):
        assert httpx.get(f"{url}/readyz").json()["durable"] is True
        text = {"Content-Type": "text/plain"}
        made = httpx.post(f"{url}/subscriptions?form=short", content="topic:health", headers=text).json()
        assert made["warnings"] == []  # the shipped ontology knows the topic
        with httpx.stream("GET", made["read_address"]["events"]) as events:
            assert next(events.iter_lines()) == "retry: 3000"
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
    assert (tmp_path / "store.db.engine").is_dir()
    with serving("--store", store, "--no-examples") as (_, url, _):
        ticket = {"Authorization": f"Bearer {made['ticket']}"}
        assert httpx.get(f"{url}/subscriptions/{made['id']}", headers=ticket).json()["query"] == "topic:health"


@pytest.mark.slow
def test_with_keys_the_administrators_key_is_printed_once(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'store.db'}"
    with serving("--store", store, "--no-examples", "--keys") as (process, url, messages):
        (key,) = re.findall(r"shown this once: (gk_\S+)", "".join(messages))
        assert httpx.get(f"{url}/costs").status_code == 401
        assert httpx.get(f"{url}/costs", headers={"X-API-Key": key}).status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    with serving("--store", store, "--no-examples", "--keys") as (_, url, messages):
        assert "gk_" not in "".join(messages)
        assert httpx.get(f"{url}/costs", headers={"X-API-Key": key}).status_code == 200


@pytest.mark.slow
def test_the_examples_are_published_and_a_page_is_served() -> None:
    with serving("--store", "memory:") as (_, url, _):
        assert len(httpx.get(f"{url}/publications?limit=200").json()["publications"]) == 200
        assert "text/html" in httpx.get(f"{url}/").headers["content-type"]


def test_a_port_in_use_is_reported_at_once() -> None:
    with bind("127.0.0.1", 0) as taken:
        taken.listen()
        command = [*COMMAND, "--port", str(taken.getsockname()[1]), "--store", "memory:"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith("gtopss: cannot listen on 127.0.0.1:")
        assert "choose another --port" in done.stderr
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("host", "answer"),
    [("127.0.0.1", True), ("127.5.5.5", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False),
     ("192.168.1.5", False), ("broker.example", False)],
)  # fmt: skip
def test_loopback_addresses(host: str, answer: bool) -> None:
    assert is_loopback(host) is answer
