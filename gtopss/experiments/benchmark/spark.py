"""Time Spark's plans from Parquet to Parquet: publications per second, and the share of time outside the engine.

The engine plan is timed on the whole workload as a user would write it, `match(spark.read.parquet(...), engine)`: with
as many partitions as cores, with one partition on all cores, and with one partition on one core, in turn. Saving the
engine and opening it in the workers is part of it. One partition keeps more than one core busy, because the JVM reads
the next rows while Python matches. One more run of each measures the share of the workers' CPU time that is not the
engine's.

All plans are timed on a sample with fewer publications and subscriptions, after a warm-up of the JVM. The time that the
slow plans would take for all publications is extrapolated from the sample, and marked so. It is an overestimate,
because shapes cost once; but it has the sample's few subscriptions, which favours these plans. All matches are compared
with the engine's.

`python -m gtopss.experiments.benchmark.spark [--quick] [--out FILE]`
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.experiments.result_files import environment, save
from gtopss.experiments.workloads import SEED, few_shapes
from gtopss.matching.match_batch import MatchBatch
from gtopss.model import Publication
from gtopss.spark.api import match, publications_of
from gtopss.spark.io.rows import publications_table, read_publications_table
from gtopss.spark.io.table_schemas import MATCH_ROWS
from gtopss.spark.plans.engine_plan import match_batches, match_rows, match_with_shipped_engines
from gtopss.spark.plans.registry import PLANS, PLANS_NEEDING_GRAPHFRAMES, plan_by_name
from gtopss.spark.runtime.graphframes_jars import jars_available
from gtopss.spark.runtime.session import has_graphframes, spark_session
from gtopss.spark.runtime.shipped_engines import ShippedEngine, ship_engine

CORES = 2
RUNS_PER_MEASUREMENT = 3  # of the engine plan; the fastest counts, because other programs may use the machine
TRIPLES = (0, 4, 5, 7, 8, 9, 10, 11, 14, 16)
"""The numbers of the ten triples of a news item, out of twenty, that subscriptions use most."""

Answer = tuple[str, str, frozenset[tuple[str, str]]]


class Size(NamedTuple):
    """The size of a workload."""

    publications: int
    subscriptions: int


WHOLE = Size(1_000_000, 100_000)
SAMPLE = Size(10_000, 1_000)
CHECKED_PUBLICATIONS = 500  # of the whole workload, whose matches are compared; of the sample, all are


def measure_spark(
    whole: Size = WHOLE,
    sample: Size = SAMPLE,
    *,
    plans: Iterable[str] = PLANS,
    spark: SparkSession | None = None,
    progress: Callable[[str], None] = lambda step: None,
) -> dict[str, Any]:
    """Return all measurements as JSON data. A plan that cannot run here has its reason in `left_out`.

    Without a session, one is started and stopped. Raises GtopssError if a plan and the engine disagree.
    """
    session = spark or spark_session(f"local[{CORES}]", app="bench", graphframes=jars_available())
    result: dict[str, Any] = {"seed": SEED, "whole": whole._asdict(), "sample": sample._asdict()}
    result |= {"triples": len(TRIPLES), "cores": CORES, **environment(), "spark": session.version}
    result["jars"] = [path.rpartition("/")[2] for path in str(session.conf.get("spark.jars", "")).split(",")]
    rows: list[dict[str, Any]] = []
    try:
        with tempfile.TemporaryDirectory(prefix="gtopss-bench-") as folder:
            progress(f"engine, {whole.publications:,} publications, {whole.subscriptions:,} subscriptions")
            rows += _engine_plan(_workload(session, whole, Path(folder) / "whole", CHECKED_PUBLICATIONS))
            smaller = _workload(session, sample, Path(folder) / "sample", sample.publications)
            result["matches_per_publication"] = round(len(smaller.expected) / sample.publications, 3)
            for name in plans:
                progress(f"{name}, {sample.publications:,} publications, {sample.subscriptions:,} subscriptions")
                rows.append(_sampled(smaller, name, whole.publications))
    finally:
        if spark is None:
            session.stop()
    return result | {"plans": rows, "times_as_fast": _compared(rows)}


@dataclass(frozen=True, slots=True)
class _Workload:
    """An engine, publications as Parquet in two folders (`all`, and the first `few`), and the expected answers."""

    spark: SparkSession
    engine: Engine
    size: Size
    folder: Path
    expected: set[Answer]

    def table(self, name: str = "all") -> DataFrame:
        return read_publications_table(self.spark, self.folder / name)


def _workload(spark: SparkSession, size: Size, folder: Path, checked: int) -> _Workload:
    workload = few_shapes(size.subscriptions)
    engine = Engine()
    for refused in engine.add_many(workload.subscriptions()):
        raise refused
    engine.optimise()
    made = map(_shortened, workload.publications(size.publications))
    first = list(islice(made, max(checked, CHECKED_PUBLICATIONS)))
    _write(spark, first[:CHECKED_PUBLICATIONS], folder / "few")
    _write(spark, first, folder / "all")
    while more := list(islice(made, 50_000)):
        _write(spark, more, folder / "all")
    return _Workload(spark, engine, size, folder, _answers_by(engine, first[:checked]))


class _Division(NamedTuple):
    """How the engine plan uses the machine."""

    partitions: int
    cores: int


DIVISIONS = (_Division(CORES, CORES), _Division(1, CORES), _Division(1, 1))


def _engine_plan(workload: _Workload) -> Iterator[dict[str, Any]]:
    """Time the engine plan with all divisions in turn, after runs that start the workers and warm the JVM up."""
    warm = match(workload.table("few").repartition(CORES), workload.engine)
    _compare("engine", _answers_of(warm), workload.expected)
    _seconds(workload, DIVISIONS[0])
    measured = [[_seconds(workload, each) for each in DIVISIONS] for _ in range(RUNS_PER_MEASUREMENT)]
    for division, times in zip(DIVISIONS, zip(*measured, strict=True), strict=True):
        runs = sorted(times)
        work = _worker_time(workload, division)
        yield {
            "plan": "engine",
            "of": "whole",
            **division._asdict(),
            "runs": [round(run, 3) for run in runs],
            "seconds": round(runs[0], 3),
            "publications_per_second": round(workload.size.publications / runs[0], 1),
            "worker_seconds": round(work.worker, 3),
            "engine_seconds": round(work.engine, 3),
            "worker_share_outside_engine": round(1 - work.engine / work.worker, 3),
            "extrapolated": False,
        }


def _seconds(workload: _Workload, division: _Division) -> float:
    """Time what a user would write. `match` itself uses all cores; one partition makes the calls that it makes."""
    with _cores(workload.spark, division.cores):
        started = time.perf_counter()
        table = workload.table()
        if division.partitions == CORES:
            found = match(table, workload.engine)
        else:
            shipped = ship_engine(workload.spark, workload.engine)
            found = match_rows(publications_of(table).coalesce(division.partitions), [shipped], datetime.now(UTC))
        found.where("error IS NULL").write.mode("overwrite").parquet(str(workload.folder / "matches"))
        return time.perf_counter() - started


@contextmanager
def _cores(spark: SparkSession, cores: int) -> Iterator[None]:
    """Let this process, the JVM and the Python workers run on some of the cores only."""
    allowed = os.sched_getaffinity(0)
    _run_on(spark, set(sorted(allowed)[:cores]))
    try:
        yield
    finally:
        _run_on(spark, allowed)


def _run_on(spark: SparkSession, cores: set[int]) -> None:
    jvm: Any = spark._jvm
    first = psutil.Process(jvm.java.lang.ProcessHandle.current().pid())
    for process in (psutil.Process(), first, *first.children(recursive=True)):
        for thread in process.threads():
            with suppress(ProcessLookupError):  # it has ended meanwhile
                os.sched_setaffinity(thread.id, cores)


class _WorkerTime(NamedTuple):
    worker: float  # CPU seconds of the Python workers, Arrow's part included, of all tasks together
    engine: float  # the part of them that is spent in the engine's batch call


def _worker_time(workload: _Workload, division: _Division) -> _WorkerTime:
    """Run the plan with a clock around the engine, which the workers have open before the measured run."""
    shipped = ship_engine(workload.spark, workload.engine)
    match_with_shipped_engines(workload.table("few").repartition(CORES), shipped).matches.count()
    with tempfile.TemporaryDirectory(dir=workload.folder) as clock, _cores(workload.spark, division.cores):
        matched = partial(_match_and_time_engine, shipped, clock)
        table = workload.table().coalesce(division.partitions)
        found = table.mapInArrow(matched, MATCH_ROWS).where("error IS NULL")
        found.write.mode("overwrite").parquet(str(workload.folder / "matches"))
        times = [tuple(map(float, path.read_text().split())) for path in Path(clock).iterdir()]
    return _WorkerTime(sum(each[0] for each in times), sum(each[1] for each in times))


def _match_and_time_engine(
    shipped: ShippedEngine, clock: str, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Match as the engine plan does, and write the CPU seconds of this task and those of the engine to a file."""
    engine = shipped.engine()
    usual, spent, begun = engine.match_batch, [0.0], time.process_time()

    def match_batch(*given: Any, **options: Any) -> MatchBatch:
        started = time.process_time()
        found = usual(*given, **options)
        spent[0] += time.process_time() - started
        return found

    engine.match_batch = match_batch  # type: ignore[method-assign]
    try:
        yield from match_batches(shipped, datetime.now(UTC), True, batches)
    finally:
        del engine.match_batch
        (Path(clock) / uuid.uuid4().hex).write_text(f"{time.process_time() - begun} {spent[0]}")


def _sampled(workload: _Workload, name: str, publications: int) -> dict[str, Any]:
    row: dict[str, Any] = {"plan": name, "of": "sample"}
    if name in PLANS_NEEDING_GRAPHFRAMES and not has_graphframes(workload.spark):
        return row | {"left_out": "GraphFrames' JVM part is not on this machine"}
    out = workload.folder / name
    try:
        _run(workload, name, "few", out)
        seconds = _run(workload, name, "all", out)
    except Exception as error:  # any failure of Spark: the other plans are still measured
        return row | {"left_out": f"{type(error).__name__}: {str(error)[:300]}"}
    _compare(name, _answers_of(workload.spark.read.parquet(str(out))), workload.expected)
    row |= {
        "seconds": round(seconds, 3),
        "publications_per_second": round(workload.size.publications / seconds, 2),
        "extrapolated": name != "engine",
    }
    if row["extrapolated"]:
        row["seconds_for_all_publications"] = round(seconds * publications / workload.size.publications, 1)
    return row


def _run(workload: _Workload, name: str, table: str, out: Path) -> float:
    started = time.perf_counter()
    match_tables = plan_by_name(name)(workload.spark, workload.table(table), workload.engine)
    match_tables.matches.write.mode("overwrite").parquet(str(out))
    match_tables.release()
    return time.perf_counter() - started


def _compared(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Compare throughputs. The engine plan's is that of the whole workload, with all its subscriptions."""
    rates: dict[Any, float] = {
        (row["plan"], row["of"], row.get("partitions"), row.get("cores")): row["publications_per_second"]
        for row in rows
        if "left_out" not in row
    }
    default, one_partition, one_core = (rates["engine", "whole", *division] for division in DIVISIONS)
    found = {
        "two partitions to one": default / one_partition,
        "two partitions on two cores to one on one core": default / one_core,
    }
    for (name, of, _, _), rate in rates.items():
        if of == "sample" and name != "engine":
            found[f"engine, the whole, to {name}, the sample"] = default / rate
            if same := rates.get(("engine", "sample", None, None)):
                found[f"engine to {name}, both the sample"] = same / rate
    return {name: round(value, 2) for name, value in found.items()}


def _shortened(publication: Publication) -> Publication:
    return Publication.trusted(publication.id, [publication.triples[number] for number in TRIPLES])


def _write(spark: SparkSession, publications: list[Publication], path: Path) -> None:
    publications_table(spark, publications).repartition(CORES).write.mode("append").parquet(str(path))


def _answers_by(engine: Engine, publications: list[Publication]) -> set[Answer]:
    return {
        (report.publication_id, match.subscription_id, frozenset(row.items()))
        for report in engine.match_many(publications)
        for match in report
        for row in match.rows
    }


def _answers_of(matches: DataFrame) -> set[Answer]:
    return {(row.publication_id, row.subscription_id, frozenset(row.bindings.items())) for row in matches.collect()}


def _compare(plan: str, found: set[Answer], expected: set[Answer]) -> None:
    for answer in found ^ expected:
        raise GtopssError(f"the plan {plan} and the engine disagree, first about {answer[0]} and {answer[1]}")


def main() -> None:
    arguments = argparse.ArgumentParser(description="Time Spark's plans.")
    arguments.add_argument("--quick", action="store_true", help="use a tenth of each workload")
    for name, size in (("whole", WHOLE), ("sample", SAMPLE)):
        shown = f"instead of {size.publications} {size.subscriptions}"
        arguments.add_argument(f"--{name}", type=int, nargs=2, metavar=("PUBLICATIONS", "SUBSCRIPTIONS"), help=shown)
    arguments.add_argument("--plans", nargs="+", choices=list(PLANS), default=list(PLANS), help="the plans to time")
    arguments.add_argument("--out", type=Path, default=None, help="also write the result to this JSON file")
    given = arguments.parse_args()
    part = 10 if given.quick else 1
    sizes = (Size(*(chosen or (number // part for number in size))) for chosen, size in
             ((given.whole, WHOLE), (given.sample, SAMPLE)))  # fmt: skip
    result = measure_spark(*sizes, plans=given.plans, progress=lambda step: print(step, file=sys.stderr))
    if given.out is not None:
        save(given.out, result)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
