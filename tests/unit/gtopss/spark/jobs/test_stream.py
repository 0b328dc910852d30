from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import SOAK
from pyspark.sql import SparkSession
from support.spark_cluster import cluster

from gtopss.errors import ResourceInUse
from gtopss.spark.errors import InvalidSpool, NothingRead, SparkJobFailed
from gtopss.spark.io.batch_log import BatchLog, BatchStart
from gtopss.spark.io.output import read_results
from gtopss.spark.io.spool import Spool
from gtopss.spark.jobs.stream import MAX_ATTEMPTS, StreamOptions, StreamProgress, run_stream
from gtopss.spark.runtime.engine_versions import EngineVersions

__all__ = ["cluster"]

QUERY = 'SELECT ?item ?title {{ ?item <urn:title> ?title . FILTER (CONTAINS(?title, "{}")) }}'
FILES = 15
KILLS, BATCH_FILES, MAX_STEPS = (10, 1, 5) if SOAK else (1, 5, 4)
"""A batch takes four steps (see `support.killed_pipeline`), so KILLS kills after MAX_STEPS steps each leave some."""


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


def test_batches_keep_their_engine_version_and_report_their_lag(spark: SparkSession, tmp_path: Path) -> None:
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
    with BatchLog(out).lock(), pytest.raises(ResourceInUse, match="in use by process"):
        run_stream(spark, spool, out, versions, StreamOptions(once=True))


def test_read_documents_may_be_deleted_and_unread_ones_are_named(spark: SparkSession, tmp_path: Path) -> None:
    spool, out = tmp_path / "spool", tmp_path / "out"
    versions = EngineVersions(out / "versions", subscribe(tmp_path / "subscriptions", "item 1 "))
    fill(spool, range(3))
    run_stream(spark, spool, out, versions, StreamOptions(once=True))
    for path in spool.glob("*.doc"):
        path.unlink()
    fill(spool, range(3, 6))
    (spool / "0000000005.doc").unlink()
    run_stream(spark, spool, out, versions, StreamOptions(once=True))
    found = {row.publication_id for row in read_results(spark, out, "matches").collect()}
    assert found == {f"urn:g:{number}:1" for number in (0, 1, 2, 3, 5)}
    (lost,) = read_results(spark, out, "errors").collect()
    assert (lost.place, "deleted" in lost.error) == ("number 5 of the spool", True)
    (spool / ".highest").unlink()
    for path in spool.glob("*.doc"):
        path.unlink()
    Spool(spool).put("a", b"x")
    with pytest.raises(InvalidSpool, match="documents up to 6 were read, and the spool has had only 1"):
        run_stream(spark, spool, out, versions, StreamOptions(once=True))


def test_a_stream_without_subscriptions_reads_nothing(spark: SparkSession, tmp_path: Path) -> None:
    spool, out, subscriptions = tmp_path / "spool", tmp_path / "out", tmp_path / "subscriptions"
    subscriptions.mkdir()
    (subscriptions / "bad.rq").write_text("ASK {")
    fill(spool, range(1))
    versions = EngineVersions(out / "versions", subscriptions)
    with pytest.raises(NothingRead, match="no subscription to match"):
        run_stream(spark, spool, out, versions, StreamOptions(once=True))
    assert BatchLog(out).read_through() == 0
    subscribe(subscriptions, "item 1 ")
    run_stream(spark, spool, out, versions, StreamOptions(once=True))
    assert read_results(spark, out, "matches").count() == 1


def test_an_unreadable_file_fails_its_batch_and_nothing_of_it_is_recorded(spark: SparkSession, tmp_path: Path) -> None:
    spool, out, warnings = tmp_path / "spool", tmp_path / "out", list[str]()
    versions = EngineVersions(out / "versions", subscribe(tmp_path / "subscriptions", "item 1 "))
    fill(spool, range(3))
    hidden, document = tmp_path / "hidden", spool / "0000000002.doc"

    def lose(batch_id: int, start: object) -> BatchStart:
        begun = usual(log, batch_id, start)  # type: ignore[arg-type]
        document.rename(hidden)
        return begun

    log = BatchLog(out)
    usual = BatchLog.begin
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BatchLog, "begin", lambda self, batch_id, start: lose(batch_id, start))
        options = StreamOptions(once=True, sleep=lambda seconds: None, on_warning=warnings.append)
        with pytest.raises(SparkJobFailed, match=r"0000000002\.doc"):
            run_stream(spark, spool, out, versions, options)
    assert len(warnings) == MAX_ATTEMPTS - 1
    assert all("runs again" in warning and "\n" not in warning for warning in warnings)
    assert BatchLog(out).completed() == []
    restored = StreamOptions(once=True, sleep=lambda seconds: None, on_warning=lambda text: hidden.rename(document))
    run_stream(spark, spool, out, versions, restored)  # the second attempt finds the file
    assert {row.publication_id for row in read_results(spark, out, "matches").collect()} == {
        f"urn:g:{number}:1" for number in range(3)
    }
    assert read_results(spark, out, "errors").collect() == []


def test_a_killed_stream_writes_what_an_undisturbed_one_writes(spark: SparkSession, tmp_path: Path) -> None:
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
            StreamOptions(once=True, batch_documents=BATCH_FILES),
        )

    command = [str(spool), "-s", str(subscriptions), "--master", "local[2]"]
    command += ["--stream", "--once", "--documents", str(BATCH_FILES), "--no-report", "--out"]
    generator = random.Random(2005)
    out = tmp_path / "out"
    with ThreadPoolExecutor(1) as pool:  # both mostly wait for processes to start
        beside = pool.submit(run, undisturbed)
        for _ in range(KILLS):
            run_and_kill([*command, str(out)], generator)
        beside.result()
    left = len(BatchLog(out).completed())
    run(out)
    assert left < len(BatchLog(out).completed()) == -(-FILES // BATCH_FILES)
    found = written(spark, out)
    assert found == written(spark, undisturbed)
    assert len(found[0]) > 150


@pytest.mark.skipif(not SOAK, reason="ten kills of a cluster's driver: `make soak`")
def test_a_cluster_stream_with_kills_and_io_errors_writes_what_an_undisturbed_one_writes(
    cluster: str, spark: SparkSession, tmp_path: Path
) -> None:
    spool, undisturbed, out = tmp_path / "spool", tmp_path / "undisturbed", tmp_path / "out"
    subscriptions = subscribe(tmp_path / "subscriptions", "item 1", "of 3")
    fill(spool, range(FILES))
    options = StreamOptions(once=True, batch_documents=1)
    run_stream(spark, spool, undisturbed, EngineVersions(undisturbed / "versions", subscriptions), options)
    generator = random.Random(23)
    command = [str(spool), "-s", str(subscriptions), "--master", cluster, "--stream", "--once", "--documents", "1"]
    command += ["--every", "0.5", "--no-report", "--out"]
    injected = 0
    for kill in range(KILLS):
        if kill % 3 == 1:  # a document that cannot be read: the stream ends by itself, and nothing of it is recorded
            waiting = Spool(spool).numbers(BatchLog(out).read_through())
            hidden = spool / f"{waiting[0]:010d}.doc"
            if BatchLog(out).start_of(len(BatchLog(out).completed())) is not None:
                hidden.rename(tmp_path / "hidden")
                failed = subprocess.run(
                    [sys.executable, "-m", "gtopss", "pipeline", *command, str(out)],
                    capture_output=True, timeout=600, check=False, text=True,
                )  # fmt: skip
                (tmp_path / "hidden").rename(hidden)
                assert failed.returncode == 1, failed.stderr
                assert hidden.name in failed.stderr
                injected += 1
        run_and_kill([*command, str(out)], generator, max_steps=1 if kill % 3 == 0 else MAX_STEPS)  # 1: in a batch
    left = len(BatchLog(out).completed())
    run_stream(spark, spool, out, EngineVersions(out / "versions", subscriptions), options)
    assert left < len(BatchLog(out).completed()) == FILES
    assert injected > 0, "no batch had begun when a document was hidden"
    assert written(spark, out) == written(spark, undisturbed)


def run_and_kill(arguments: list[str], generator: random.Random, max_steps: int = MAX_STEPS) -> None:
    """Run `gtopss pipeline` until it is killed: after a random number of steps, and a random time more."""
    after = [str(generator.randint(1, max_steps)), str(generator.uniform(0.001, 0.3))]
    quick = {**os.environ, "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}  # it will not live long
    process = subprocess.run(
        [sys.executable, "-m", "support.killed_pipeline", *after, *arguments],
        start_new_session=True,
        env=quick,
        capture_output=True,
        timeout=600,
        check=False,
    )
    assert process.returncode == -signal.SIGKILL, process.stderr.decode()
