from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import SOAK
from pyspark.sql import SparkSession

from gtopss.errors import GtopssError
from gtopss.spark.io.batch_log import BatchLog
from gtopss.spark.io.output import read_results
from gtopss.spark.io.spool import Spool
from gtopss.spark.jobs.stream import StreamOptions, StreamProgress, run_stream
from gtopss.spark.runtime.engine_versions import EngineVersions

QUERY = 'SELECT ?item ?title {{ ?item <urn:title> ?title . FILTER (CONTAINS(?title, "{}")) }}'
FILES = 50
KILLS, SIZE, MAX_STEPS = (10, 2, 10) if SOAK else (2, 13, 8)
"""A batch of SIZE files takes six steps or more, so KILLS kills after at most MAX_STEPS steps leave some files."""
ATTEMPTS = 3
COMMAND = [sys.executable, "-m", "gtopss", "pipeline"]


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


def written(spark: SparkSession, out: Path) -> tuple[Counter[object], Counter[object], list[object]]:
    """All rows of both tables, as often as they are there, and what the batches say of themselves."""
    matches = read_results(spark, out, "matches").collect()
    errors = read_results(spark, out, "errors").collect()
    batches = [(each.batch_id, each.version, each.publications, each.matches) for each in BatchLog(out).completed()]
    return (
        Counter((*row[:4], tuple(sorted(row.bindings.items())), row.truncated) for row in matches),
        Counter(map(tuple, errors)),
        [*batches],
    )


def test_batches_versions_and_lag(spark: SparkSession, tmp_path: Path) -> None:
    spool, out, reported = tmp_path / "spool", tmp_path / "out", list[StreamProgress]()
    subscriptions = subscribe(tmp_path / "subscriptions", "item 1 ")
    (subscriptions / "bad.rq").write_text("ASK {")
    versions = EngineVersions(out / "versions", subscriptions)
    fill(spool, range(8))
    run_stream(spark, spool, out, versions, StreamOptions(once=True, batch_documents=5, on_progress=reported.append))
    assert [(each.documents, each.waiting) for each in reported] == [(5, 3), (3, 0)]
    assert reported[0].batch.publications == 100
    subscribe(subscriptions, "item 2 ")
    fill(spool, range(8, 10))
    run_stream(spark, spool, out, versions, StreamOptions(once=True, on_progress=reported.append))
    done = BatchLog(out).completed()
    assert [(each.batch_id, each.matches, each.errors) for each in done] == [(0, 5, 1), (1, 2, 1), (2, 4, 1)]
    assert done[0].version == done[1].version != done[2].version
    assert "no documents wait" in str(reported[-1])
    named = [(row.source, row.subscription_id, row.place) for row in read_results(spark, out, "errors").collect()]
    assert ("file7.nq", None, "number 8 of the spool") in named
    assert sum(subscription == "bad" for _, subscription, _ in named) == 2  # once for each version
    with BatchLog(out).lock(), pytest.raises(GtopssError, match="another stream"):
        run_stream(spark, spool, out, versions, StreamOptions(once=True))


def test_killed_at_random_moments_it_writes_what_it_writes_undisturbed(spark: SparkSession, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    subscriptions = subscribe(tmp_path / "subscriptions", "item 1", "of 3")
    fill(spool, range(FILES))
    undisturbed = tmp_path / "undisturbed"

    def run(into: Path) -> None:
        run_stream(
            spark,
            spool,
            into,
            EngineVersions(into / "versions", subscriptions),
            StreamOptions(once=True, batch_documents=SIZE),
        )

    command = [*COMMAND, str(spool), "-s", str(subscriptions), "--master", "local[2]"]
    command += ["--stream", "--once", "--documents", str(SIZE), "--no-report", "--out"]
    generator = random.Random(2005)
    with ThreadPoolExecutor(1) as pool:  # both mostly wait for processes to start
        beside = pool.submit(run, undisturbed)
        for attempt in range(ATTEMPTS):
            out = tmp_path / f"out{attempt}"
            if all(kill([*command, str(out)], out, generator) for _ in range(KILLS)):
                break
        else:
            pytest.fail(f"of {ATTEMPTS} streams, none was killed {KILLS} times before it was done")
        beside.result()
    left = len(BatchLog(out).completed())
    run(out)
    assert left < len(BatchLog(out).completed()) == -(-FILES // SIZE)
    assert written(spark, out) == written(spark, undisturbed)
    assert len(written(spark, out)[0]) > 500


def kill(command: list[str], out: Path, generator: random.Random) -> bool:
    """Start it; kill it, with all its processes, after so many steps of its work and a little more.

    False if it was done by then.
    """
    quick = {**os.environ, "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}  # it will not live long
    silent = subprocess.DEVNULL
    process = subprocess.Popen(command, start_new_session=True, env=quick, stderr=silent, stdout=silent)
    steps, pause = generator.randint(1, MAX_STEPS), generator.uniform(0, 0.5)
    seen, deadline = traces(out), time.monotonic() + 120
    while steps > 0 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
        now = traces(out)
        steps -= len(now - seen)
        seen |= now
    time.sleep(pause)
    alive = process.poll() is None
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return alive and steps <= 0


def traces(out: Path) -> set[tuple[Path, int]]:
    """What a batch leaves when it is planned, begun, written, done and committed; and again when it is run again."""
    found = set()
    for folder in ("checkpoint/offsets", "checkpoint/commits", "batches", "matches", "errors"):
        for path in (out / folder).glob("[!.]*"):
            with suppress(FileNotFoundError):
                found.add((path, path.stat().st_mtime_ns))
    return found
