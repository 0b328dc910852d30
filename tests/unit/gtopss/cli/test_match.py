"""`gtopss match`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from support.hostile_rdf import TRIPLE_TERMS
from support.hostile_reader import fragile_worker
from support.pdf_files import pdf
from support.subscription_folders import INVALID_SUBSCRIPTIONS, SUBSCRIPTIONS, write_files
from typer.testing import CliRunner

from gtopss.cli.commands import app
from gtopss.reading.isolation import IsolatedReader

run = CliRunner().invoke
NAIVE = ("--matcher", "naive")  # nothing is compiled for it


def test_match_writes_json_lines(tmp_path: Path, data: Path) -> None:
    subs = write_files(tmp_path / "subs", SUBSCRIPTIONS)
    event, bib = data / "figure5" / "event.ttl", data / "ontologies" / "bibliography.ttl"
    done = run(app, ["match", str(event), "-s", str(subs), "-o", str(bib)])
    assert done.exit_code == 0, done.output
    found = {line["subscription"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert set(found) == {"recent", "deep/er", "line", "tuples"}
    assert found["recent"]["bindings"] == [{"paper": {"type": "uri", "value": "http://example.org/bib#ArnosPaper17"}}]
    assert found["recent"]["publication"] == str(event)
    assert "1 document, 4 subscriptions, 4 matches" in done.stderr


def test_match_reports_refused_input_and_matches_the_rest(tmp_path: Path, data: Path) -> None:
    subs = write_files(tmp_path / "subs", SUBSCRIPTIONS | INVALID_SUBSCRIPTIONS)
    torn = tmp_path / "torn.ttl"
    torn.write_text("<urn:a> <urn:p> 'open")
    documents = [str(torn), str(tmp_path / "missing.ttl"), str(data / "figure5" / "event.ttl")]
    done = run(app, ["match", *documents, "-s", str(subs)])
    assert done.exit_code == 1
    assert {json.loads(line)["subscription"] for line in done.stdout.splitlines()} == {"deep/er", "line", "tuples"}
    for text in (
        "bad.rq: SERVICE is not supported", "    ^", "bad.jsonl, line 1: this is not JSON", "latin.rq': the file",
        "matches every publication", "never matches: (?y > 2) and (?y < 1)", "torn.ttl', line 1", "missing.ttl",
        'bad.jsonl, line 3: a line needs "id" and "query"', "bad.jsonl, line 4", "refused",
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


def test_a_large_result_is_cut_in_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen million characters, as many as are written as JSON, would be drawn for minutes."""
    monkeypatch.setattr("gtopss.cli.match._is_terminal", lambda: True)
    subs = write_files(tmp_path / "subs", {"all.rq": "SELECT ?o { ?s <urn:p> ?o }"})
    large, small = tmp_path / "large.nt", tmp_path / "small.nt"
    large.write_text("".join(f'<urn:s> <urn:p> "{number}{"x" * 1_000}" .\n' for number in range(1_000)))
    small.write_text('<urn:s> <urn:p> "y" .\n')
    done = run(app, ["match", str(large), str(small), "-s", str(subs)])
    assert done.exit_code == 0, done.output
    assert 150_000 < done.stdout.count("x") < 200_000
    assert "more rows than are shown" in done.stdout.replace("\n", " ")
    assert "all reached output_text_limit, so only 19" in done.stderr
    assert done.stdout.count("y") >= 1
    assert "2 documents, 1 subscription, 2 matches" in done.stderr


CRASHES = {"abort": "exit code -6", "segfault": "exit code -11", "hungry": "too much memory", "endless": "longer than"}


def test_match_answers_for_the_good_document_whatever_the_bad_ones_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gtopss.reading.isolation.run_worker", fragile_worker)
    monkeypatch.setattr("gtopss.cli.match.IsolatedReader", partial(IsolatedReader, timeout_seconds=2))
    documents = []
    for name in (*CRASHES, "good"):
        document = tmp_path / f"{name}.nt"
        document.write_text(f"<urn:a> <urn:p> <urn:b> . #{name}\n")
        documents.append(str(document))
    nested = tmp_path / "nested.nt"
    nested.write_bytes(TRIPLE_TERMS)
    subscription = tmp_path / "s.rq"
    subscription.write_text("SELECT ?x { ?x <urn:p> <urn:b> }")
    done = run(app, ["match", str(nested), *documents, "/dev/null", "-s", str(subscription), "--matcher", "naive"])
    assert done.exit_code == 1, done.output
    assert [json.loads(line)["publication"] for line in done.stdout.splitlines()] == [documents[-1]]
    messages = done.stderr.splitlines()
    assert "max_depth" in messages[0]
    for (name, reason), message in zip(CRASHES.items(), messages[1:], strict=False):
        assert f"{name}.nt" in message
        assert reason in message
    assert "7 documents, 1 subscription, 1 match, 5 documents refused" in messages[-1]


def test_an_ontology_that_crashes_its_parser_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gtopss.reading.isolation.run_worker", fragile_worker)
    (tmp_path / "s.rq").write_text("SELECT ?x { ?x <urn:p> <urn:b> }")
    for name, reason in CRASHES.items():
        if name == "endless":
            monkeypatch.setattr("gtopss.engine.loading.ONTOLOGY_TIMEOUT_SECONDS", 1.0)
        ontology = tmp_path / f"{name}.ttl"
        ontology.write_text(f"<urn:a> <urn:p> <urn:b> . #{name}\n")
        arguments = ["match", "/dev/null", "-s", str(tmp_path / "s.rq"), "-o", str(ontology), "--matcher", "naive"]
        done = run(app, arguments)
        assert done.exit_code == 1
        assert f"{name}.ttl" in str(done.exception)
        assert reason in str(done.exception)


def test_what_match_prints_is_limited_and_says_so(tmp_path: Path) -> None:
    """A document of 60 KB whose long literal is in 1,000 rows of 20 columns: 800 MB as JSON."""
    long = f'<urn:a> <urn:p> "{"a" * 40_000}" .\n'
    (tmp_path / "d.nt").write_text(long + "".join(f"<urn:a> <urn:q> <urn:{n}> .\n" for n in range(1_000)))
    binds = " ".join(f"BIND(?o AS ?o{n})" for n in range(20))
    (tmp_path / "s.rq").write_text(f"SELECT * {{ ?x <urn:p> ?o ; <urn:q> ?y {binds} }}")
    done = run(app, ["match", str(tmp_path / "d.nt"), "-s", str(tmp_path / "s.rq"), "--json"])
    assert done.exit_code == 0, done.output
    assert "s reached output_text_limit, so only 19 of its solutions are printed" in done.stderr
    assert len(done.stdout) < 17_000_000


def test_the_metadata_of_pdfs_is_matched_and_hostile_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / "good.pdf").write_bytes(pdf())
    (tmp_path / "bomb.pdf").write_bytes(pdf(bytes(2**28), filters=2))
    (tmp_path / "s.rq").write_text("SELECT ?pdf { ?pdf dc:format 'application/pdf' }")
    documents = [str(tmp_path / "bomb.pdf"), str(tmp_path / "good.pdf")]
    done = run(app, ["match", *documents, "-s", str(tmp_path / "s.rq")])
    assert done.exit_code == 1
    (line,) = map(json.loads, done.stdout.splitlines())
    assert line["publication"] == str(tmp_path / "good.pdf")
    assert line["bindings"] == [{"pdf": {"type": "uri", "value": (tmp_path / "good.pdf").as_uri()}}]
    assert "bomb.pdf" in done.stderr


def test_lenient_literals_and_entailment_are_options(tmp_path: Path, data: Path) -> None:
    event = tmp_path / "event.ttl"
    event.write_text((data / "figure5" / "event.ttl").read_text().replace("2001 ;", '"2001" ;'))
    query = tmp_path / "recent.rq"
    query.write_text("SELECT ?x { ?x <http://example.org/bib#year> ?y FILTER (?y > 2000) }")
    command = ["match", str(event), "-s", str(query), "--json"]
    assert run(app, command).stdout == ""
    assert json.loads(run(app, [*command, "--literals", "lenient"]).stdout)["subscription"] == "recent"
    assert run(app, [*command, "--literals", "loose"]).exit_code == 2
    query.write_text("PREFIX bib: <http://example.org/bib#> SELECT ?x { ?x a bib:Publication }")
    command += ["-o", str(data / "ontologies" / "bibliography.ttl")]
    assert run(app, command).stdout == ""
    assert json.loads(run(app, [*command, "--entailment", "rdfs"]).stdout)["subscription"] == "recent"


def test_the_ontology_is_described_and_a_wrong_one_is_refused(tmp_path: Path, data: Path) -> None:
    subs = write_files(tmp_path / "subs", SUBSCRIPTIONS)
    event = data / "figure5" / "event.ttl"
    command = ["match", str(event), "-s", str(subs), "-o"]
    bib = data / "ontologies" / "bibliography.ttl"
    assert f"{bib}: 1" in run(app, [*command, str(bib)]).stderr
    done = run(app, [*command, str(event)])
    assert (done.exit_code, "has no classes" in str(done.exception)) == (1, True)
    circle = tmp_path / "circle.ttl"
    below = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    circle.write_text(f"<urn:a> {below} <urn:b> . <urn:b> {below} <urn:a> .")
    done = run(app, [*command, str(circle)])
    assert (done.exit_code, "--cycles condense" in str(done.exception)) == (1, True)
    assert run(app, [*command, str(circle), "--cycles", "condense"]).exit_code == 0


def test_the_plan_says_what_the_index_holds_and_what_is_evaluated_after_it(tmp_path: Path) -> None:
    subs = write_files(
        tmp_path / "subs",
        {
            "named.rq": "SELECT * { ?x <urn:p> ?y OPTIONAL { ?x <urn:name> ?n } FILTER NOT EXISTS { ?x <urn:d> ?z } }",
            "absent.rq": "ASK { FILTER NOT EXISTS { ?x <urn:p> 1 } }",
        },
    )
    (tmp_path / "event.ttl").write_text("<urn:a> <urn:p> 2 .")
    done = run(app, ["match", str(tmp_path / "event.ttl"), "-s", str(subs), "--matcher", "naive", "--plan"])
    assert done.exit_code == 0, done.output
    plan = [line for line in done.stdout.splitlines() if not line.startswith("{")]
    assert plan == [
        "absent:",
        "  index: nothing: it is evaluated for each publication",
        '  then:  FILTER NOT EXISTS { ?x <urn:p> "1"^^xsd:integer . }',
        "named:",
        "  index: ?x <urn:p> ?y . NOT EXISTS { ?x <urn:d> ?any }",
        "  then:  OPTIONAL { ?x <urn:name> ?n . }",
    ]


def test_a_dataset_is_one_publication_only_on_request(tmp_path: Path) -> None:
    subs = write_files(tmp_path / "subs", {"g.rq": "SELECT ?g { GRAPH ?g { ?x <urn:p> ?y } }"})
    (tmp_path / "d.trig").write_text("<urn:g1> { <urn:a> <urn:p> 1 } <urn:g2> { <urn:a> <urn:q> 1 }")
    command = ["match", str(tmp_path / "d.trig"), "-s", str(subs), "--matcher", "naive"]
    assert run(app, command).stdout == ""
    done = run(app, [*command, "--dataset"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["bindings"] == [{"g": {"type": "uri", "value": "urn:g1"}}]
    (tmp_path / "d.trig").write_text("<urn:g1> { <urn:a> ")
    assert run(app, [*command, "--dataset"]).exit_code == 1


def test_a_dataset_is_read_in_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subs = write_files(tmp_path / "subs", {"g.rq": "SELECT ?g { GRAPH ?g { ?x <urn:p> ?y } }"})
    (tmp_path / "d.trig").write_text("<urn:g1> { <urn:a> <urn:p> 1 }")
    monkeypatch.setattr("gtopss.rdf.parse.read_quads", lambda *_, **__: pytest.fail("parsed in this process"))
    done = run(app, ["match", str(tmp_path / "d.trig"), "-s", str(subs), "--dataset"])
    assert done.exit_code == 0, done.output


def test_match_reads_a_document_or_a_query_from_standard_input(tmp_path: Path) -> None:
    document, query = tmp_path / "a.ttl", tmp_path / "any.rq"
    document.write_text("<urn:a> <urn:p> 1 .")
    query.write_text("SELECT ?o { ?s <urn:p> ?o }")
    done = run(app, ["match", "-", "-s", str(query), *NAIVE], input=document.read_text())
    assert json.loads(done.stdout)["publication"] == "standard input"
    done = run(app, ["match", str(document), "-s", "-", *NAIVE], input=query.read_text())
    assert json.loads(done.stdout)["subscription"] == "stdin"
    lines = json.dumps({"id": "line", "query": query.read_text()})
    done = run(app, ["match", str(document), "-s", "-", *NAIVE], input=lines)
    assert json.loads(done.stdout)["subscription"] == "line"


def test_match_reads_an_ontology_from_standard_input(tmp_path: Path, data: Path) -> None:
    document = tmp_path / "a.ttl"
    document.write_text("<urn:a> <urn:p> <http://example.org/bib#ConferenceProceedings> .")
    query = tmp_path / "publication.rq"
    query.write_text("SELECT ?o { ?s <urn:p> ?o FILTER isA(?o, <http://example.org/bib#Publication>) }")
    ontology = (data / "ontologies" / "bibliography.ttl").read_text()
    done = run(app, ["match", str(document), "-s", str(query), "-o", "-", *NAIVE], input=ontology)
    assert json.loads(done.stdout)["subscription"] == "publication", done.output


def test_match_stops_at_once_if_its_only_subscription_is_refused(tmp_path: Path) -> None:
    query = tmp_path / "parts.rq"
    query.write_text("SELECT * { ?a <urn:p> ?b . ?c <urn:q> ?d }")
    done = run(app, ["match", "no-such-file.ttl", "-s", str(query), *NAIVE])
    assert done.exit_code == 1
    assert "connect them with a variable, or use --allow-cartesian\n" in done.stderr
    assert done.stderr.endswith("gtopss: no subscription is usable, so nothing was read\n")
    done = run(app, ["match", "no-such-file.ttl", "-s", str(query), "--allow-cartesian", *NAIVE])
    assert "1 document refused" in done.stderr


def test_match_says_that_a_folder_is_one(tmp_path: Path) -> None:
    query = tmp_path / "any.rq"
    query.write_text("SELECT ?o { ?s <urn:p> ?o }")
    (tmp_path / "empty").mkdir()
    done = run(app, ["match", str(tmp_path), "-s", str(query), *NAIVE])
    assert "it is a folder" in done.stderr
    done = run(app, ["match", str(query), "-s", str(tmp_path / "empty"), *NAIVE])
    assert "the folder is empty" in done.stderr


def test_standard_input_is_read_only_once(tmp_path: Path) -> None:
    document = tmp_path / "a.ttl"
    document.write_text("<urn:a> <urn:p> 1 .")
    for arguments in (
        ["match", "-", "-s", "-", *NAIVE],
        ["filter", "-", "-s", "-", *NAIVE],
        ["explain", "-", "stdin", "-s", "-"],
        ["check", "-", str(document), "-o", "-"],
    ):
        done = run(app, arguments, input="SELECT ?o { ?s <urn:p> ?o }")
        assert done.exit_code == 2, done.output
        assert "standard input can be read only once" in " ".join(done.output.replace("│", " ").split())


def test_only_empty_documents_are_said_to_be_empty_and_end_with_1(tmp_path: Path) -> None:
    (tmp_path / "s.rq").write_text("SELECT ?x { ?x <urn:p> <urn:b> }")
    done = run(app, ["match", "-", "-s", str(tmp_path / "s.rq")], input="")
    assert (done.exit_code, "standard input: the document is empty" in done.stderr) == (1, True), done.output


def test_a_feed_is_refused_with_the_command_that_reads_feeds(tmp_path: Path) -> None:
    (tmp_path / "news.xml").write_text("<rss version='2.0'><channel><item><title>a</title></item></channel></rss>")
    done = run(app, ["match", str(tmp_path / "news.xml"), "--subscribe", "a", *NAIVE])
    assert (done.exit_code, "this looks like a feed: `gtopss filter` reads feeds" in done.stderr) == (1, True)
    (tmp_path / "torn.rdf").write_text("<rdf:RDF")
    assert "like a feed" not in run(app, ["match", str(tmp_path / "torn.rdf"), "--subscribe", "a", *NAIVE]).stderr
