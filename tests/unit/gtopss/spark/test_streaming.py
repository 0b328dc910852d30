from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import SOAK
from pyspark.sql import SparkSession

from gtopss.errors import GtopssError
from gtopss.spark.batches import Batches, read_results
from gtopss.spark.spool import Spool
from gtopss.spark.streaming import Progress, run_stream
from gtopss.spark.versions import Versions

QUERY = 'SELECT ?item ?title {{ ?item <urn:title> ?title . FILTER (CONTAINS(?title, "{}")) }}'
FILES = 50
KILLS = 10 if SOAK else 2
COMMAND = [sys.executable, "-c", "import typer, gtopss.cli.pipeline as p; typer.run(p.pipeline)"]


def subscribe(folder: Path, *words: str) -> Path:
    folder.mkdir(exist_ok=True)
    for word in words:
        (folder / f"{word}.rq").write_text(QUERY.format(word))
    return folder


def fill(spool: Path, files: range) -> None:
    for number in files:
        items = "".join(
            f'<urn:{number}:{i}> <urn:title> "item {i} of {number}" <urn:g:{number}:{i}> .\n' for i in range(20)
        )
        Spool(spool).put(f"file{number}.nq", b"\x00" if number % 10 == 7 else items.encode())


def rows(spark: SparkSession, out: Path) -> tuple[Counter[object], Counter[object]]:
    matches = read_results(spark, out, "matches").collect()
    errors = read_results(spark, out, "errors").collect()
    return (
        Counter((m.publication_id, m.source, m.subscription_id, tuple(sorted(m.bindings.items()))) for m in matches),
        Counter(map(tuple, errors)),
    )


def test_batches_versions_and_lag(spark: SparkSession, tmp_path: Path) -> None:
    spool, out, told = tmp_path / "spool", tmp_path / "out", list[Progress]()
    subscriptions = subscribe(tmp_path / "subscriptions", "item 1 ")
    (subscriptions / "bad.rq").write_text("ASK {")
    versions = Versions(out / "versions", subscriptions)
    fill(spool, range(8))
    run_stream(spark, spool, out, versions, once=True, documents=5, tell=told.append)
    assert [(each.documents, each.waiting) for each in told] == [(5, 3), (3, 0)]
    assert told[0].batch.publications == 100
    subscribe(subscriptions, "item 2 ")
    fill(spool, range(8, 10))
    run_stream(spark, spool, out, versions, once=True, tell=told.append)
    done = Batches(out).finished()
    assert [(each.batch_id, each.matches, each.errors) for each in done] == [(0, 5, 1), (1, 2, 1), (2, 4, 1)]
    assert done[0].version == done[1].version != done[2].version
    assert "nothing waits" in str(told[-1])
    named = [(row.source, row.subscription_id, row.place) for row in read_results(spark, out, "errors").collect()]
    assert ("file7.nq", None, "number 8 of the spool") in named
    assert sum(subscription == "bad" for _, subscription, _ in named) == 2  # once for each version
    with Batches(out).held(), pytest.raises(GtopssError, match="another stream"):
        run_stream(spark, spool, out, versions, once=True)


@pytest.mark.skipif(not SOAK, reason="minutes, on a machine with others on it: `make soak`")
def test_killed_at_random_moments_it_writes_what_it_writes_undisturbed(spark: SparkSession, tmp_path: Path) -> None:
    spool, out = tmp_path / "spool", tmp_path / "out"
    subscriptions = subscribe(tmp_path / "subscriptions", "item 1", "of 3")
    fill(spool, range(FILES))
    size = 2 if SOAK else 17
    undisturbed = tmp_path / "undisturbed"
    run_stream(spark, spool, undisturbed, Versions(undisturbed / "versions", subscriptions), once=True, documents=size)

    generator = random.Random(2005)
    command = [*COMMAND, str(spool), "-s", str(subscriptions), "--out", str(out), "--master", "local[2]"]
    command += ["--stream", "--once", "--documents", str(size), "--no-report"]
    killed = 0
    for _ in range(KILLS):
        before = begun(out)
        process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while begun(out) == before and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(generator.uniform(0, 3))
        killed += process.poll() is None
        with suppress(ProcessLookupError):  # it was done already
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert killed
    assert rows(spark, out) == rows(spark, undisturbed)
    assert len(rows(spark, out)[0]) > 500


def begun(out: Path) -> int:
    """Batches that Spark has planned: from then on a kill is in the middle of something."""
    return len(list((out / "checkpoint" / "offsets").glob("[0-9]*")))
