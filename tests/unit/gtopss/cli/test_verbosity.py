"""`-q` and `-v` of every command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gtopss.cli.commands import COMMANDS, app, load_command

run = CliRunner().invoke


def leaves(command: Any) -> list[Any]:
    return (
        [leaf for each in command.commands.values() for leaf in leaves(each)]
        if hasattr(command, "commands")
        else [command]
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_both_options(name: str) -> None:
    for command in leaves(load_command(name)):
        options = [option for each in command.params for option in each.opts]
        assert options.count("-q") == options.count("-v") == 1, command.name


def test_verbose_prints_what_happens(tmp_path: Path, data: Path) -> None:
    query = tmp_path / "any.rq"
    query.write_text("SELECT ?title { ?item rss:title ?title }")
    feed = data / "feeds" / "nasa-liftoff.rss20.xml"
    command = [sys.executable, "-m", "gtopss", "filter", str(feed), "-s", str(query), "--matcher", "naive"]
    done = subprocess.run([*command, "-v"], capture_output=True, text=True, check=True)
    assert "gtopss.engine: added 1 subscription, refused 0\n" in done.stderr
    assert f"gtopss.filtering: {feed}: 4 items\n" in done.stderr
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "gtopss.engine" not in done.stderr


def test_quiet_and_verbose_contradict_each_other() -> None:
    done = run(app, ["demo", "-q", "-v", "--matcher", "naive"])
    assert done.exit_code == 2
    assert "-q and -v cannot be combined" in done.stderr


def test_the_options_may_stand_before_the_command(data: Path) -> None:
    event, subscriptions = data / "figure5" / "event.ttl", data / "figure5" / "subscriptions.jsonl"
    matching = ["match", str(event), "-s", str(subscriptions), "--matcher", "naive"]
    assert "1 document, 2 subscriptions" in run(app, matching).stderr
    assert run(app, ["-q", *matching]).stderr == ""
    assert "1 document, 2 subscriptions" in run(app, matching).stderr  # a later command is not quiet
    refused = run(app, ["-q", *matching, "-v"])
    assert (refused.exit_code, "cannot be combined" in refused.stderr) == (2, True)
