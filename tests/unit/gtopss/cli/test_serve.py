"""`gtopss serve` as a process: what it prints, that it serves, and how it ends."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import typer
from support.postgresql_server import PostgresqlServer
from support.services import FEED
from support.smtp_server import smtp_server
from typer.testing import CliRunner

from gtopss.cli.commands import app
from gtopss.cli.serve import is_loopback, smtp_config
from gtopss.errors import MalformedPublication
from gtopss.http.server import bind
from gtopss.http.service import Service
from gtopss.http.settings import ServiceSettings

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


@pytest.mark.slow
def test_feeds_are_read_from_opml_and_requests_are_logged_as_json(tmp_path: Path) -> None:
    opml = tmp_path / "feeds.opml"
    outlines = "<outline text='A' xmlUrl='https://a.example/feed'/><outline text='B' xmlUrl='file:///etc/passwd'/>"
    opml.write_text(f"<opml version='2.0'><body>{outlines}</body></opml>")
    options = ("--store", "memory:", "--no-examples", "--opml", str(opml), "--log-json")
    with serving(*options) as (process, url, messages):
        assert any("1 new feeds" in line and "1 refused" in line for line in messages)
        assert [feed["url"] for feed in httpx.get(f"{url}/feeds").json()["feeds"]] == ["https://a.example/feed"]
        httpx.get(f"{url}/read/some/secret-token/feed.atom", headers={"X-Request-ID": "mine"})
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        said = [json.loads(line)["message"] for line in messages]
        assert said[0].startswith("starting; ")
        assert said[-1].startswith("serving on ")
        logged = [json.loads(line) for line in process.stderr]
        assert process.wait(60) == 0
    (asked,) = [line for line in logged if line.get("request") == "mine"]
    assert (asked["message"], asked["status"]) == ("GET /read/some/.../feed.atom 404", 404)
    assert "secret-token" not in json.dumps(logged)


@pytest.mark.slow
def test_on_another_address_than_loopback_keys_are_required(tmp_path: Path) -> None:
    key_file = tmp_path / "key"
    key_file.write_text("gk_0123456789012345678901234567890123456789012\n")
    options = ("--host", "0.0.0.0", "--store", "memory:", "--no-examples", "--administrator-key-file", str(key_file))
    with serving(*options) as (_, url, messages):
        local = url.replace("0.0.0.0", "127.0.0.1")
        assert "gk_" not in "".join(messages)
        feed = {"Content-Type": "application/rss+xml"}
        assert httpx.get(f"{local}/healthz").status_code == 200
        for method, path in (("GET", "/stats"), ("GET", "/publications"), ("POST", "/publications"), ("GET", "/keys")):
            assert httpx.request(method, f"{local}{path}", headers=feed).status_code == 401, path
        key = {"X-API-Key": key_file.read_text().strip()}
        assert httpx.get(f"{local}/stats", headers=key).json()["keys_required"] is True


@pytest.mark.slow
def test_a_confirmed_address_gets_matches_by_mail() -> None:
    with (
        smtp_server() as box,
        serving(
            *("--store", "memory:", "--no-examples", "--mail-from", "broker@example.org"),
            *("--smtp", f"smtp+plain://127.0.0.1:{box.port}"),
        ) as (_, url, _),
    ):
        assert httpx.get(f"{url}/stats").json()["delivery_kinds"] == ["webhook", "email"]
        deliver = [{"kind": "email", "address": "reader@example.net"}]
        asked = {"query": "vaccine", "form": "short", "deliver": deliver}
        made = httpx.post(f"{url}/subscriptions", json=asked).json()
        code = re.search(r"[0-9a-f]{32}", box.wait_for_message().get_content())
        assert code is not None
        target = f"{url}/subscriptions/{made['id']}/targets/{made['targets'][0]['id']}"
        ticket = {"Authorization": f"Bearer {made['ticket']}"}
        assert httpx.post(f"{target}/confirm", json={"code": code[0]}, headers=ticket).status_code == 204
        feed = {"Content-Type": "application/rss+xml"}
        assert httpx.post(f"{url}/publications", content=FEED, headers=feed).status_code == 202
        assert "A vaccine is tested" in box.wait_for_message().get_content()


@pytest.mark.slow
def test_it_serves_from_postgresql(postgresql: PostgresqlServer) -> None:
    store = postgresql.new_store_url()
    with serving("--store", store, "--no-examples") as (process, url, _):
        assert httpx.get(f"{url}/readyz").json()["durable"] is True
        text = {"Content-Type": "text/plain"}
        made = httpx.post(f"{url}/subscriptions?form=short", content="vaccine", headers=text).json()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    with serving("--store", store, "--no-examples") as (_, url, _):
        ticket = {"Authorization": f"Bearer {made['ticket']}"}
        assert httpx.get(f"{url}/subscriptions/{made['id']}", headers=ticket).json()["query"] == "vaccine"


@pytest.mark.slow
def test_with_an_empty_cache_it_is_ready_before_the_loops_are_compiled_and_stops_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits here until the matching loops are compiled."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    with serving("--store", "memory:") as (process, url, messages):
        assert "shows the progress" in messages[0]
        assert httpx.get(f"{url}/readyz").status_code == 200
        assert "<title>" in httpx.get(url).text
        checked = httpx.post(f"{url}/subscriptions/check", json={"query": "topic:health", "form": "short"})
        assert checked.json()["dry_run"]["matched"] > 0
        assert process.stderr is not None
        while "compiling the matching loops" not in "".join(messages):
            messages.append(process.stderr.readline())
            assert messages[-1]
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert "Traceback" not in process.stderr.read()


def test_a_store_that_cannot_be_opened_is_reported(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"not a database" * 1_000)
    command = [*COMMAND, "--port", "0", "--store", f"sqlite:{damaged}", "--no-examples"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "damaged.db" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_list_of_feeds_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    opml = tmp_path / "mine.opml"
    opml.write_text("<opml")
    with (
        Service(ServiceSettings(opml=opml)) as service,
        pytest.raises(MalformedPublication, match=r"mine\.opml.*not well-formed"),
    ):
        service.prepare()


def test_a_public_url_that_is_none_is_wrong_usage() -> None:
    refused = CliRunner().invoke(app, ["serve", "--public-url", "nonsense"])
    assert refused.exit_code == 2
    assert "--public-url" in refused.output


class TestSmtp:
    def test_a_mail_server_is_read_from_its_url(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GTOPSS_SMTP_PASSWORD", "secret")
        found = smtp_config("smtp://me%40a@mail.example", "gtopss@example.org")
        assert found is not None
        assert (found.host, found.port, found.security, found.username, found.password, found.sender) == (
            "mail.example",
            587,
            "starttls",
            "me@a",
            "secret",
            "gtopss@example.org",
        )
        tls, plain = (
            smtp_config(url, "a@b.example") for url in ("smtps://mail.example:4650", "smtp+plain://localhost")
        )
        assert tls is not None
        assert plain is not None
        assert (tls.port, tls.security, plain.port, plain.security) == (4650, "tls", 25, "none")
        assert smtp_config(None, None) is None

    @pytest.mark.parametrize(
        ("url", "sender"),
        [
            ("smtp://mail.example", None),
            (None, "a@b.example"),
            ("mail.example", "a@b.example"),
            ("http://mail.example", "a@b.example"),
            ("smtp://", "a@b.example"),
            ("smtp://mail.example:port", "a@b.example"),
            ("smtp://mail.example/path", "a@b.example"),
            ("smtp://me:secret@mail.example", "a@b.example"),
        ],
    )
    def test_another_text_is_refused(self, url: str | None, sender: str | None) -> None:
        with pytest.raises(typer.BadParameter):
            smtp_config(url, sender)


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
