"""Spark's plans, Parquet to Parquet: publications a second, and how much of the time is not the engine's.

The default plan is timed on all publications. The others are slower by orders of magnitude: they are timed on a sample,
and what they would take for all is extrapolated from it, and marked so; shapes are paid once, so that this is too much
rather than too little. Answers on the sample are compared with the engine's before anything is timed.

`python -m gtopss.bench.spark [--quick] [--out FILE]`
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from gtopss.bench.results import environment, save
from gtopss.bench.workloads import SEED, few_shapes
from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.model import MatchReport, Publication
from gtopss.spark.errors import MissingJar
from gtopss.spark.jars import find_jars
from gtopss.spark.kernel import matching
from gtopss.spark.plans import MOTIFS, PLANS
from gtopss.spark.session import has_motifs, spark_session
from gtopss.spark.snapshots import Shared, share
from gtopss.spark.tables import MATCHED, Outcome, publications_table, read_publications_table

CORES = 2
TRIPLES = (0, 4, 5, 7, 8, 9, 10, 11, 14, 16)
"""Of a news item's twenty, the ten that subscriptions ask for most."""

Answer = tuple[str, str, frozenset[tuple[str, str]]]


def measure_spark(
    publications: int = 100_000,
    subscriptions: int = 100_000,
    *,
    sample: int = 500,
    plans: Iterable[str] = PLANS,
    spark: SparkSession | None = None,
    progress: Callable[[str], None] = lambda step: None,
) -> dict[str, Any]:
    """Everything, as plain data; a plan that cannot be run here says why in its `left_out`.

    Without a session it makes one, and stops it.
    """
    workload = few_shapes(subscriptions)
    engine = Engine()
    for refused in engine.add_many(workload.subscriptions()):
        raise refused
    engine.optimise()
    session = spark or spark_session(f"local[{CORES}]", app="bench", motifs=_has_jars())
    result: dict[str, Any] = {"seed": SEED, "publications": publications, "subscriptions": subscriptions}
    result |= {"triples": len(TRIPLES), "cores": CORES, **environment(), "plans": []}
    try:
        with tempfile.TemporaryDirectory(prefix="gtopss-bench-") as folder:
            top = Path(folder)
            progress(f"making {publications:,} publications")
            made = [_shortened(each) for each in workload.publications(publications)]
            _write(session, made, top / "all")
            _write(session, made[:sample], top / "sample")
            expected = _answers_by(engine, made[:sample])
            result["matches_per_publication"] = round(len(expected) / sample, 3)
            for name in plans:
                if name == "kernel":
                    progress(name)
                    result["plans"] += _kernel(session, engine, top, publications, expected)
                else:
                    progress(f"{name}, on a sample of {sample:,}")
                    result["plans"].append(_sampled(session, engine, name, top, publications, sample, expected))
    finally:
        if spark is None:
            session.stop()
    return result


def _kernel(
    spark: SparkSession, engine: Engine, top: Path, publications: int, expected: set[Answer]
) -> Iterator[dict[str, Any]]:
    """Two partitions and one, after a run on the sample that starts the processes and opens the engine in them."""
    shared = share(spark, engine)
    warm = Outcome.of(read_publications_table(spark, top / "sample").mapInArrow(matching(shared), MATCHED))
    _compare("kernel", _answers_of(warm.matches), expected)
    warm.release()
    for partitions in (CORES, 1):
        clock = top / f"clock{partitions}"
        clock.mkdir()
        table = read_publications_table(spark, top / "all").coalesce(partitions)
        found = table.mapInArrow(partial(_match_by_the_clock, shared, str(clock)), MATCHED).where("error IS NULL")
        started = time.perf_counter()
        found.write.parquet(str(top / f"matches{partitions}"))
        seconds = time.perf_counter() - started
        inside = sum(float(path.read_text()) for path in clock.iterdir())
        yield {
            "plan": "kernel",
            "partitions": partitions,
            "publications": publications,
            "seconds": round(seconds, 3),
            "publications_per_second": round(publications / seconds, 1),
            "engine_seconds": round(inside, 3),
            "share_outside_engine": round(1 - inside / (partitions * seconds), 3),
            "extrapolated": False,
        }


def _match_by_the_clock(shared: Shared, clock: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What the kernel's plan runs, with the seconds that the engine itself takes noted in a file."""
    engine = shared.engine()
    usual, spent = engine.match_many, [0.0]

    def match_many(*given: Any, **options: Any) -> Iterator[MatchReport]:
        started = time.perf_counter()
        found = list(usual(*given, **options))
        for match in chain.from_iterable(found):
            match.rows  # noqa: B018  (made when asked for: solutions are the engine's work too)
        spent[0] += time.perf_counter() - started
        return iter(found)

    engine.match_many = match_many  # type: ignore[method-assign]
    try:
        yield from matching(shared)(batches)
    finally:
        del engine.match_many
        (Path(clock) / uuid.uuid4().hex).write_text(str(spent[0]))


def _sampled(
    spark: SparkSession, engine: Engine, name: str, top: Path, publications: int, sample: int, expected: set[Answer]
) -> dict[str, Any]:
    row: dict[str, Any] = {"plan": name, "sample": sample, "extrapolated": True}
    if name in MOTIFS and not has_motifs(spark):
        return row | {"left_out": "GraphFrames' JVM part is not on this machine"}
    table = read_publications_table(spark, top / "sample")
    try:
        started = time.perf_counter()
        outcome = PLANS[name](spark, table, engine)
        outcome.matches.write.parquet(str(top / name))
        seconds = time.perf_counter() - started
    except Exception as error:  # whatever Spark makes of it: the other plans are still of interest
        return row | {"left_out": f"{type(error).__name__}: {str(error)[:300]}"}
    _compare(name, _answers_of(spark.read.parquet(str(top / name))), expected)
    whole = seconds * publications / sample
    return row | {
        "sample_seconds": round(seconds, 3),
        "seconds": round(whole, 1),
        "publications_per_second": round(sample / seconds, 2),
    }


def _shortened(publication: Publication) -> Publication:
    return Publication.trusted(publication.id, [publication.triples[number] for number in TRIPLES])


def _write(spark: SparkSession, publications: list[Publication], path: Path) -> None:
    for start in range(0, len(publications), 50_000):
        table = publications_table(spark, publications[start : start + 50_000])
        table.repartition(CORES).write.mode("append").parquet(str(path))


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


def _has_jars() -> bool:
    try:
        return bool(find_jars())
    except MissingJar:
        return False


def main() -> None:
    arguments = argparse.ArgumentParser(description="Times Spark's plans.")
    arguments.add_argument("--quick", action="store_true", help="a tenth of everything")
    arguments.add_argument("--publications", type=int, default=None)
    arguments.add_argument("--subscriptions", type=int, default=None)
    arguments.add_argument("--sample", type=int, default=500)
    arguments.add_argument("--out", type=Path, default=None, help="also write the result here, as JSON")
    given = arguments.parse_args()
    size = 10_000 if given.quick else 100_000
    result = measure_spark(
        given.publications or size,
        given.subscriptions or size,
        sample=given.sample,
        progress=lambda step: print(step, file=sys.stderr),
    )
    if given.out is not None:
        save(given.out, result)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
