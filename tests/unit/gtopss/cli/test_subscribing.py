"""The commands of a subscriber and a publisher, against a service on loopback and against a store."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.live_services import live_service
from support.services import FEED, VACCINES
from typer.testing import CliRunner

from gtopss.broker.errors import InvalidTicket
from gtopss.cli.commands import app
from gtopss.cli.errors import UnknownTicket
from gtopss.cli.ticket_file import TicketFile
from gtopss.client import Client, ServiceUnreachable
from gtopss.errors import InvalidSubscription, ResourceInUse


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with live_service() as (made, _):
        yield made


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("GTOPSS_URL", raising=False)


def run(*arguments: str | Path, code: int = 0, given: bytes | None = None) -> Result:
    done = CliRunner().invoke(app, [str(each) for each in arguments], input=given)
    assert done.exit_code == code, (done.output, done.exception)
    return done


def lines(done: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def error_of(*arguments: str | Path) -> BaseException:
    done = CliRunner().invoke(app, [str(each) for each in arguments])
    assert done.exception is not None, done.output
    return done.exception


def test_subscribe_prints_what_is_needed_later_and_renew_needs_only_the_id(url: str) -> None:
    shown = run("subscribe", "vaccine", "--url", url, "--validity", "2h", "--webhook", "https://me.example/h").stdout
    (kept,) = TicketFile().all()
    for each in (kept.id, kept.ticket, "UTC", f"gtopss renew {kept.id}", "/feed.atom", "/events", "whsec_"):
        assert each in shown
    assert "expires" in run("renew", kept.id).stdout
    renewed = lines(run("renew", kept.id, "--validity", "9d", "--json"))[0]
    assert TicketFile().get(kept.id).expires_at == renewed["expires_at"] > str(kept.expires_at)
    assert "0 notifications" in run("list", "--url", url).stdout
    assert lines(run("list", "--url", url, "--json"))[0]["query"] == "vaccine"
    run("unsubscribe", kept.id)
    assert TicketFile().all() == []
    assert isinstance(error_of("renew", kept.id), UnknownTicket)
    assert isinstance(error_of("renew", kept.id, "--ticket", kept.ticket, "--url", url), InvalidTicket)


def test_what_is_published_is_shown_by_tail(url: str, tmp_path: Path) -> None:
    (tmp_path / "v.rq").write_text(VACCINES)
    made = lines(run("subscribe", tmp_path / "v.rq", "--url", url, "--json"))[0]
    assert made["renew_command"] == f"gtopss renew {made['id']}"
    (tmp_path / "feed.rss").write_bytes(FEED)
    (tmp_path / "feeds").mkdir()
    (tmp_path / "feeds" / "other.ttl").write_text('<urn:x> <http://purl.org/rss/1.0/title> "Another vaccine" .')
    done = run("publish", tmp_path / "feed.rss", tmp_path / "feeds", "--url", url)
    assert "feed.rss: 2 published" in done.stdout
    assert "other.ttl: 1 published" in done.stdout
    assert "2 published before" in run("publish", tmp_path / "feed.rss", "--url", url).stdout
    third = b'<urn:y> <http://purl.org/rss/1.0/title> "A third vaccine" .'
    published = lines(
        run("publish", "-", "--type", "text/turtle", "--id", "urn:y", "--url", url, "--json", given=third)
    )
    assert [each["id"] for each in published[0]["publications"]] == ["urn:y"]
    with Client(url) as client:
        for found in client.follow(made["id"], made["ticket"], after=0):
            if found.sequence == 3:
                break
    shown = run("tail", made["id"], "--no-follow").stdout
    assert "   1  A vaccine is tested\n      https://news.example/1\n" in shown
    assert [each["sequence"] for each in lines(run("tail", made["id"], "--no-follow", "-n", "1", "--json"))] == [3]
    assert [each["sequence"] for each in lines(run("tail", made["id"], "--no-follow", "--after", "1", "--json"))] == [
        2,
        3,
    ]


def test_a_refused_document_costs_the_others_nothing(url: str, tmp_path: Path) -> None:
    (tmp_path / "bad.ttl").write_text("<a> <b>")
    (tmp_path / "good.ttl").write_text("<urn:g> <urn:b> <urn:c> .")
    done = run("publish", tmp_path / "bad.ttl", tmp_path / "good.ttl", "--url", url, "--json", code=1)
    assert [each["error"] is None for each in lines(done)] == [False, True]
    assert "bad.ttl was refused" in done.stderr
    run("publish", tmp_path / "bad.ttl", tmp_path / "none.ttl", "--url", url, code=2)


def test_a_mistake_in_a_subscription_is_shown_and_nothing_is_kept(url: str, tmp_path: Path) -> None:
    (tmp_path / "bad.rq").write_text("SELECT ?x {\n ?x rss:title }")
    error = error_of("subscribe", tmp_path / "bad.rq", "--url", url)
    assert isinstance(error, InvalidSubscription)
    assert "line 2" in str(error)
    run("subscribe", tmp_path / "missing.rq", "--url", url, code=2)
    run("subscribe", "x", "--url", url, "--store", "memory:", code=2)
    assert TicketFile().all() == []


def test_a_subscription_that_is_gone_is_listed_as_gone_and_forgotten(url: str) -> None:
    made = lines(run("subscribe", "vaccine", "--url", url, "--json"))[0]
    kept = TicketFile().get(made["id"])
    run("unsubscribe", made["id"])
    TicketFile().keep(kept)
    assert "expired or deleted" in run("list", "--url", url).stdout
    run("list", "--url", url, "--forget-expired")
    assert TicketFile().all() == []
    assert "no tickets" in run("list", "--url", url).stderr
    assert run("list", "--url", url, "--all", "--json").exit_code == 0


def test_no_service_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        monkeypatch.setenv("GTOPSS_URL", f"http://127.0.0.1:{closed.getsockname()[1]}")
    for arguments in (["subscribe", "x"], ["list", "--all"], ["feeds"], ["tail", "s", "--ticket", "gt_x"]):
        error = error_of(*arguments)
        assert isinstance(error, ServiceUnreachable)
        assert "gtopss serve" in str(error)
    (tmp_path / "a.ttl").write_text("<urn:a> <urn:b> <urn:c> .")
    assert "no service answers" in run("publish", tmp_path / "a.ttl", code=2).stderr


def test_a_ticket_is_saved_although_nobody_reads_the_output(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(*_: object) -> None:
        raise SystemExit(141)

    monkeypatch.setattr("gtopss.cli.subscribing.typer.echo", end)
    run("subscribe", "vaccine", "--url", url, code=141)
    (kept,) = TicketFile().all()
    assert kept.query == "vaccine"


def test_feeds_are_listed_imported_and_removed(url: str, tmp_path: Path) -> None:
    (tmp_path / "f.opml").write_text(
        '<opml version="2.0"><body><outline xmlUrl="https://news.example/f"/></body></opml>'
    )
    assert "no feeds" in run("feeds", "--url", url).stderr
    refused = CliRunner().invoke(app, ["feeds", "add", "http://10.0.0.1/feed", "--url", url])
    assert refused.exit_code == 1
    assert "an option of `gtopss serve`" in refused.stderr
    assert "1 added" in run("feeds", "import", tmp_path / "f.opml", "--url", url).stdout
    assert "https://news.example/f" in run("feeds", "--url", url).stdout
    again = run("feeds", "import", "-", "--url", url, given=(tmp_path / "f.opml").read_bytes())
    assert "1 polled already" in again.stdout
    assert lines(run("feeds", "list", "--url", url, "--json"))[0]["url"] == "https://news.example/f"
    assert "<opml" in run("feeds", "export", "--url", url).stdout
    assert "no longer" in run("feeds", "remove", "https://news.example/f", "--url", url).stdout


@pytest.mark.slow
def test_a_store_without_a_service_is_used_directly(tmp_path: Path) -> None:
    store, ontology = f"sqlite:{tmp_path / 'broker.db'}", tmp_path / "o.ttl"
    ontology.write_text("<urn:Thing> a <http://www.w3.org/2000/01/rdf-schema#Class> .")
    made = lines(run("subscribe", "vaccine", "--store", store, "-o", ontology, "--json"))[0]
    (tmp_path / "feed.rss").write_bytes(FEED)
    run("publish", tmp_path / "feed.rss", "--store", store, "-o", ontology)
    assert "A vaccine is tested" in run("tail", made["id"]).stdout
    assert "expires" in run("renew", made["id"]).stdout
    assert "1 notification " in run("list", "--store", store).stdout
    with live_service(store=store):
        assert isinstance(error_of("renew", made["id"]), ResourceInUse)
    run("unsubscribe", made["id"])
