"""`gtopss match`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from support.subscription_folders import INVALID_SUBSCRIPTIONS, SUBSCRIPTIONS, write_files
from typer.testing import CliRunner

from gtopss.cli.commands import app

run = CliRunner().invoke


def test_match_writes_json_lines(tmp_path: Path, data: Path) -> None:
    subs = write_files(tmp_path / "subs", SUBSCRIPTIONS)
    event, bib = data / "figure5" / "event.ttl", data / "ontologies" / "bibliography.ttl"
    done = run(app, ["match", str(event), "-s", str(subs), "-o", str(bib)])
    assert done.exit_code == 0, done.output
    found = {line["subscription"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert set(found) == {"recent", "deep/er", "line", "tuples"}
    assert found["recent"]["bindings"] == [{"paper": "<http://example.org/bib#ArnosPaper17>"}]
    assert found["recent"]["publication"] == str(event)
    assert "1 documents, 4 subscriptions, 4 matches" in done.stderr


def test_match_reports_refused_input_and_matches_the_rest(tmp_path: Path, data: Path) -> None:
    subs = write_files(tmp_path / "subs", SUBSCRIPTIONS | INVALID_SUBSCRIPTIONS)
    torn = tmp_path / "torn.ttl"
    torn.write_text("<urn:a> <urn:p> 'open")
    documents = [str(torn), str(tmp_path / "missing.ttl"), str(data / "figure5" / "event.ttl")]
    done = run(app, ["match", *documents, "-s", str(subs)])
    assert done.exit_code == 1
    assert {json.loads(line)["subscription"] for line in done.stdout.splitlines()} == {"deep/er", "line", "tuples"}
    for text in (
        "bad.rq: OPTIONAL is not supported", "    ^", "bad.jsonl, line 1: this is not JSON", "latin.rq': the file",
        "matches every publication", "never matches: (?y > 2) and (?y < 1)", "torn.ttl', line 1", "missing.ttl",
        'bad.jsonl, line 3: a line needs a text "id"', "bad.jsonl, line 4", "refused",
    ):  # fmt: skip
        assert text in done.stderr, text
    assert run(app, ["match", documents[2], "-s", str(tmp_path / "none")]).exit_code == 1
    assert run(app, ["match", documents[2]]).exit_code == 2


def test_match_draws_a_table_on_a_terminal(tmp_path: Path, data: Path) -> None:
    subs = write_files(tmp_path / "subs", SUBSCRIPTIONS)
    command = [sys.executable, "-m", "gtopss", "match", str(data / "figure5" / "event.ttl"), "-s", str(subs)]
    reading, writing = os.openpty()
    subprocess.run(command, stdout=writing, stderr=subprocess.DEVNULL, check=True)
    os.close(writing)
    shown = os.read(reading, 100_000).decode()
    os.close(reading)
    assert "subscription" in shown
    assert "─" in shown
    assert '{"publication"' not in shown
