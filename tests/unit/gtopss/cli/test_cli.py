from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from gtopss import __version__
from gtopss.cli import app
from gtopss.errors import SubscriptionNotFound
from sparqlish import parse

run = CliRunner().invoke


def test_demo_shows_both_subscriptions_with_bindings_and_triples() -> None:
    done = run(app, ["demo"])
    assert done.exit_code == 0
    matched = done.stdout.split("What matched, and why")[1]
    for text in ("S1", "?z = 2001", "S2", "?y = bib:ArnosPaper17", "bib:SIGMOD  bib:year  2001", "2001 > 1999"):
        assert text in matched
    assert "bib:ArnosPaper17 → bib:SIGMODProceedings → bib:ConferenceProceedings → bib:Publication" in matched
    assert "2 of 2 subscriptions matched" in matched


def test_an_error_is_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from gtopss.cli import main; main()", "demo", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("gtopss: there is no figure5 folder")
    assert len(done.stderr.splitlines()) == 1


def test_version_and_help() -> None:
    assert run(app, ["--version"]).stdout.strip() == f"gtopss {__version__}"
    assert "demo" in run(app, ["--help"]).stdout


SUBSCRIPTIONS = {
    "recent.rq": "PREFIX bib: <http://example.org/bib#> SELECT ?paper { ?paper bib:conference ?c . ?c bib:year ?y "
    "FILTER(?y > 1999) FILTER(isA(?paper, bib:Publication)) }",
    "deep/er.rq": "ASK { ?x <http://example.org/bib#title> ?t FILTER(STRSTARTS(?t, 'Very')) }",
    "lines.jsonl": '{"id": "line", "query": "ASK { ?x ?p 2001 }"}\n\n'
    '{"id": "tuples", "tuples": [["?x", "<http://example.org/bib#year>", "?y"]]}\n',
}
BAD = {
    "bad.rq": "SELECT ?x {\n  ?x a ?y\n  OPTIONAL {} }",
    "bad.jsonl": '{"id": "torn", "query": \n{"id": "line", "query": "ASK {}"}\n{"query": "ASK {}"}\n["x"]\n',
    "latin.rq": b"ASK { ?x ?y '\xe9' }",
    "never.rq": "ASK { ?x <urn:p> ?y FILTER(?y > 2 && ?y < 1) }",
}


def write(folder: Path, files: dict[str, Any]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def test_match_writes_json_lines(tmp_path: Path, data: Path) -> None:
    subs = write(tmp_path / "subs", SUBSCRIPTIONS)
    event, bib = data / "figure5" / "event.ttl", data / "ontologies" / "bibliography.ttl"
    done = run(app, ["match", str(event), "-s", str(subs), "-o", str(bib)])
    assert done.exit_code == 0, done.output
    found = {line["subscription"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert set(found) == {"recent", "deep/er", "line", "tuples"}
    assert found["recent"]["bindings"] == [{"paper": "<http://example.org/bib#ArnosPaper17>"}]
    assert found["recent"]["publication"] == str(event)
    assert "1 documents, 4 subscriptions, 4 matches" in done.stderr


def test_match_names_what_it_refuses_and_goes_on(tmp_path: Path, data: Path) -> None:
    subs = write(tmp_path / "subs", SUBSCRIPTIONS | BAD)
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
    subs = write(tmp_path / "subs", SUBSCRIPTIONS)
    command = [sys.executable, "-m", "gtopss", "match", str(data / "figure5" / "event.ttl"), "-s", str(subs)]
    reading, writing = os.openpty()
    subprocess.run(command, stdout=writing, stderr=subprocess.DEVNULL, check=True)
    os.close(writing)
    shown = os.read(reading, 100_000).decode()
    os.close(reading)
    assert "subscription" in shown
    assert "─" in shown
    assert '{"publication"' not in shown


def test_explain_in_every_form(tmp_path: Path, data: Path) -> None:
    subs = write(tmp_path / "subs", SUBSCRIPTIONS)
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


def test_prefixes_can_be_pasted_into_a_query() -> None:
    lines = run(app, ["prefixes"]).stdout
    assert "PREFIX schema: <https://schema.org/>" in lines
    parse(lines + "ASK { ?x schema:name ?y }", prefixes={})
