from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from conftest import ROOT, SOAK
from pyspark.sql import SparkSession
from support import spark_fragile
from support.package_archive import write_archive
from support.spark_answers import answers_by, answers_of, read_without_spark
from support.spark_cluster import cluster, messages_of, submit

from gtopss import Engine
from gtopss.engine.loading import load_engine
from gtopss.errors import GtopssError
from gtopss.spark.errors import MissingSource, NothingRead
from gtopss.spark.io import sources
from gtopss.spark.io.batch_log import BatchLog
from gtopss.spark.io.output import read_results
from gtopss.spark.io.storage import LocalStorage
from gtopss.spark.jobs.bulk import BulkOptions, run_bulk
from gtopss.spark.jobs.report import report_page
from gtopss.spark.jobs.report_data import collect_report_data

__all__ = ["cluster"]


def test_a_bulk_job_writes_its_tables_and_a_report(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    feeds, out = data / "feeds", tmp_path / "out"
    engine, *_ = load_engine(data / "subscriptions", None)
    refused = [{"subscription_id": "bad", "error": "no"}]
    steps: list[str] = []
    done = run_bulk(spark, [feeds], engine, out, BulkOptions(refused=refused, on_step=steps.append))
    publications = read_without_spark(feeds)
    expected = answers_by(engine, publications)
    assert answers_of(read_results(spark, out, "matches")) == expected
    assert {row.error.split(":")[0] for row in read_results(spark, out, "errors").collect()} >= {"no"}
    assert (done.publications, done.rows, done.errors) == (len(publications), len(expected), 1)
    assert done.matched == len({(publication, subscription) for publication, subscription, _ in expected})
    assert json.loads((out / "summary.json").read_text())["rows"] == done.rows
    assert steps[:2] == ["reading", "matching"]

    again = run_bulk(spark, [out / "publications"], engine, tmp_path / "again")
    assert (again.publications, again.rows) == (done.publications, done.rows)
    with pytest.raises(GtopssError, match="is overwritten"):
        run_bulk(spark, [out / "publications"], engine, out)

    facts = collect_report_data(spark, LocalStorage(out), (("reading", 10.0),))
    assert sum(count for _, count in facts.by_subscription) == done.matched
    page = report_page(facts, {"publications": done.publications})
    assert page.count("<svg") == 4
    assert "http-equiv" in page


def test_a_bulk_job_ends_well_and_names_every_bad_input(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document that brings its parser down, one of 200 MB that is none, a subscription over its budget."""
    monkeypatch.setattr(sources, "_read_units", spark_fragile.read_units)
    feeds = tmp_path / "feeds"
    feeds.mkdir()
    (feeds / "segfault").write_text("segfault")
    with (feeds / "large.rss").open("wb") as file:
        file.write(b"<rss version='2.0'><channel>")
        file.truncate(200 * 2**20)
    edges = (f"<urn:n{a}> <urn:p> <urn:n{b}> .\n" for a in range(40) for b in range(40))
    (feeds / "many.nt").write_text("".join(edges))
    engine = Engine(work_limit=2_000)
    engine.add("SELECT ?a ?d { ?a <urn:p> ?b . ?b <urn:p> ?c . ?c <urn:p> ?d }", id="dear")
    engine.add("SELECT ?a { ?a <urn:p> <urn:n1> }", id="cheap")
    done = run_bulk(spark, [feeds], engine, tmp_path / "out")
    assert done.publications == 1
    errors = read_results(spark, tmp_path / "out", "errors").collect()
    assert {(Path(row.source).name, row.subscription_id) for row in errors} == {
        ("segfault", None),
        ("large.rss", None),
        ("many.nt", "dear"),
    }
    assert {row.subscription_id for row in read_results(spark, tmp_path / "out", "matches").collect()} >= {"cheap"}


def test_a_streams_folder_is_not_overwritten(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    with BatchLog(tmp_path).lock():
        pass
    engine, *_ = load_engine(data / "subscriptions", None)
    with pytest.raises(GtopssError, match="a stream writes here"):
        run_bulk(spark, [data / "feeds"], engine, tmp_path)


def test_a_job_that_has_nothing_to_do_is_an_error(spark: SparkSession, tmp_path: Path) -> None:
    engine = Engine()
    with pytest.raises(NothingRead, match="no subscription"):
        run_bulk(spark, [tmp_path], engine, tmp_path / "out")
    engine.add("SELECT ?a { ?a <urn:p> <urn:n1> }", id="any")
    with pytest.raises(MissingSource, match="nowhere: there is no such file"):
        run_bulk(spark, [tmp_path / "nowhere"], engine, tmp_path / "out")
    (tmp_path / "garbage").write_bytes(b"\x00\x01")
    with pytest.raises(NothingRead, match="1 errors are in"):
        run_bulk(spark, [tmp_path / "garbage"], engine, tmp_path / "out")


# --- a cluster ---------------------------------------------------------------------------------------------


@pytest.mark.skipif(not SOAK, reason="six JVMs, over a minute on two cores: `make soak`")
def test_spark_submit_to_a_cluster_of_two_workers(
    cluster: str, spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """Paths are relative to the driver's folder, which no executor has; the user's settings are kept."""
    out = tmp_path / "out"
    command = [
        ROOT / "gtopss" / "cli" / "pipeline.py",
        "feeds",
        "-s",
        "subscriptions",
        "--out",
        os.path.relpath(out, data),
    ]
    done = submit(cluster, [*command, "--no-report"], cwd=data)
    assert done.returncode == 0, (done.stdout[-3000:], done.stderr[-2000:])
    engine, *_ = load_engine(data / "subscriptions", None)
    expected = answers_by(engine, read_without_spark(data / "feeds"))
    assert answers_of(read_results(spark, out, "matches")) == expected
    workers = [folder for number in range(2) for folder in (tmp_path / f"work{number}").glob("app-*/*")]
    assert len(workers) == 2
    missing = submit(cluster, [*command[:1], "nowhere", *command[2:]], cwd=data)
    assert missing.returncode == 1
    assert messages_of(missing) == [
        "gtopss: nowhere: there is no such file or directory on the driver (needed as: source)"
    ], missing.stderr[-3000:]


@pytest.mark.skipif(not SOAK, reason="six JVMs: `make soak`")
@pytest.mark.usefixtures("graphframes")
def test_motifs_by_spark_submit(cluster: str, spark: SparkSession, data: Path, tmp_path: Path) -> None:
    """The jar is added to a JVM that has started, and reaches the executors."""
    out = tmp_path / "out"
    feed = sorted((data / "feeds").iterdir())[0]
    command = [ROOT / "gtopss" / "cli" / "pipeline.py", feed, "-s", data / "subscriptions", "--plan", "graphframes"]
    done = submit(
        cluster, [*command, "--out", out, "--no-report"], cwd=tmp_path, options=["--conf", "spark.ui.enabled=true"]
    )
    assert done.returncode == 0, (done.stdout[-3000:], done.stderr[-2000:])
    engine, *_ = load_engine(data / "subscriptions", None)
    refused = {row.subscription_id for row in read_results(spark, out, "errors").collect()}
    expected = {each for each in answers_by(engine, read_without_spark(feed)) if each[1] not in refused}
    assert answers_of(read_results(spark, out, "matches")) == expected


@pytest.mark.skipif(not SOAK, reason="six JVMs: `make soak`")
def test_a_worker_without_gtopss_is_named_in_one_line(cluster: str, data: Path, tmp_path: Path) -> None:
    bare = tmp_path / "python"  # a Python without any package
    bare.write_text(f'#!/bin/sh\nunset PYTHONPATH\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    command = [
        ROOT / "gtopss" / "cli" / "pipeline.py",
        data / "feeds",
        "-s",
        data / "subscriptions",
        "--out",
        tmp_path / "out",
    ]
    done = submit(cluster, command, cwd=tmp_path, python=str(bare))
    assert done.returncode == 1
    said = messages_of(done)
    assert len(said) == 1, (said, done.stderr[-3000:])
    assert "which lacks pyspark: install gtopss[spark] there" in said[0]


@pytest.mark.skipif(not SOAK, reason="six JVMs, and an archive of half a gigabyte: `make soak`")
def test_workers_without_packages_get_them_by_an_archive(
    cluster: str, spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """The recipe of docs/spark.md: the Python of the workers has no package at all."""
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    archive, out = write_archive(tmp_path / "packages.zip"), tmp_path / "out"
    options = ["--archives", f"{archive}#packages", "--conf", "spark.executorEnv.PYTHONPATH=packages"]
    command = [ROOT / "gtopss" / "cli" / "pipeline.py", data / "feeds", "-s", data / "subscriptions", "--out", out]
    done = submit(cluster, [*command, "--no-report"], cwd=tmp_path, options=options, python=str(bare))
    assert done.returncode == 0, (done.stdout[-3000:], done.stderr[-2000:])
    engine, *_ = load_engine(data / "subscriptions", None)
    assert answers_of(read_results(spark, out, "matches")) == answers_by(engine, read_without_spark(data / "feeds"))
