from __future__ import annotations

import json
from pathlib import Path

from support.brokers import TestClock, about
from support.share_brokers import run_all, share_brokers
from typer.testing import CliRunner

from gtopss.broker.store.open_store import open_store
from gtopss.cli.store import store as command


def shares(url: str, *arguments: str) -> list[dict[str, object]]:
    result = CliRunner().invoke(command, ["shares", url, "--json", *arguments])
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.output.splitlines()]


def test_shares_are_listed_and_set(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'broker.db'}"
    with open_store(url) as store:
        (broker,) = share_brokers(store, TestClock(), 1)
        broker.subscribe(about("a"))
        broker.close()
    assert shares(url) == [{"share": 0, "subscriptions": 1, "holders": [], "waiting": 0}]
    assert len(shares(url, "--set", "3")) == 1  # no broker has divided them yet
    with open_store(url) as store:
        (broker,) = share_brokers(store, TestClock(), 1)
        run_all([broker])
        broker.close()
    found = shares(url)
    assert [each["share"] for each in found] == [0, 1, 2]
    assert sum(int(str(each["subscriptions"])) for each in found) == 1


def test_more_shares_than_there_may_be_are_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["shares", f"sqlite:{tmp_path / 'broker.db'}", "--set", "33"])
    assert result.exit_code != 0
