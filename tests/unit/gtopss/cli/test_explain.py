"""`gtopss explain`."""

from __future__ import annotations

import json
from pathlib import Path

from support.subscription_folders import SUBSCRIPTIONS, write_files
from typer.testing import CliRunner

from gtopss.cli.commands import app
from gtopss.errors import SubscriptionNotFound

run = CliRunner().invoke


def test_explain_prints_every_output_format(tmp_path: Path, data: Path) -> None:
    subs = write_files(tmp_path / "subs", SUBSCRIPTIONS)
    arguments = ["explain", str(data / "figure5" / "event.ttl"), "recent", "-s", str(subs)]
    bib = ["-o", str(data / "ontologies" / "bibliography.ttl")]
    assert "bib:SIGMODProceedings → bib:ConferenceProceedings" in run(app, [*arguments, *bib]).stdout
    miss = run(app, arguments)
    assert miss.exit_code == 0
    assert "recent does not match" in miss.stdout
    assert json.loads(run(app, [*arguments, "--as", "json"]).stdout)["matched"] is False
    assert run(app, [*arguments, "--as", "svg"]).stdout.startswith("<svg")
    assert "flowchart" in run(app, [*arguments, "--as", "mermaid"]).stdout
    assert isinstance(run(app, [*arguments[:2], "nobody", *arguments[3:]]).exception, SubscriptionNotFound)
