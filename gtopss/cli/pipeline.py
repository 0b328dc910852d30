"""`gtopss pipeline`: the same subscriptions over an archive, or a stream, on Spark.

`spark-submit .../gtopss/cli/pipeline.py SOURCE ...` is the same command, for where Spark wants a file.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from gtopss.cli.arguments import Ontology, Subscriptions, declare_operators, messages, print_message
from gtopss.errors import GtopssError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TASKS = ("numCompletedTasks", "numTasks")


def pipeline(
    sources: Annotated[
        list[str],
        typer.Argument(help="Feeds, RDF, N-Quads, archives, directories of them, Parquet; with --stream, one spool."),
    ],
    subscriptions: Subscriptions,
    out: Annotated[Path, typer.Option(help="Folder of the results: matches, errors, a report.")],
    ontology: Ontology = None,
    plan: Annotated[
        Literal["engine", "graphframes", "relational"],
        typer.Option(help="How Spark is asked; the answers are the same, engine is the fast one."),
    ] = "engine",
    scope: Annotated[
        Literal["publication", "corpus"],
        typer.Option(help="Where a pattern must be found: in one publication, or across all of them."),
    ] = "publication",
    master: Annotated[str | None, typer.Option(help="Spark's master; this machine's cores, unless named here.")] = None,
    stream: Annotated[bool, typer.Option("--stream", help="Follow a spool; go on where the last run stopped.")] = False,
    once: Annotated[bool, typer.Option("--once", help="With --stream: end when the spool is read.")] = False,
    every: Annotated[float, typer.Option(min=0.1, help="With --stream: seconds between looks at the spool.")] = 5.0,
    documents: Annotated[int, typer.Option(min=1, help="With --stream: documents of a batch, at most.")] = 200,
    work_limit: Annotated[
        int | None, typer.Option(min=1, help="Steps that a subscription may take in one publication.")
    ] = None,
    operators: Annotated[
        Path | None, typer.Option(help="A Python file that declares operators of your own with @gtopss.operator.")
    ] = None,
    jar: Annotated[str | None, typer.Option(help="GraphFrames' JVM part: a file, a folder, or coordinates.")] = None,
    report: Annotated[bool, typer.Option(help="Write out/report.html.")] = True,
) -> None:
    """Filter an archive or a stream on Spark. What is refused is in out/errors, and the rest is filtered.

    Exit code 0: done, whatever was refused; 1: it could not be done; 2: called wrongly.
    """
    if stream and (len(sources) != 1 or plan != "engine" or scope != "publication"):
        raise typer.BadParameter("--stream takes one spool, and works by the plan engine in one publication")
    try:
        from gtopss.spark.runtime.session import spark_session
    except ImportError as error:
        raise GtopssError(f"this needs PySpark: pip install gtopss[spark] ({error})") from error
    if operators is not None:
        declare_operators(operators)
    motifs = plan == "graphframes" or scope == "corpus"
    spark = spark_session(master, graphframes=motifs, jar=jar)
    try:
        if stream:
            _stream(spark, Path(sources[0]), subscriptions, ontology, out, once, every, documents, work_limit, report)
        else:
            _bulk(spark, sources, subscriptions, ontology, out, plan, scope, work_limit, report)
    finally:
        spark.stop()


def _bulk(
    spark: SparkSession,
    sources: list[str],
    subscriptions: Path,
    ontology: Path | None,
    out: Path,
    plan: str,
    scope: str,
    work_limit: int | None,
    report: bool,
) -> None:
    from gtopss.spark.jobs.bulk import run_bulk
    from gtopss.spark.runtime.engine_versions import load_engine_with_error_rows

    engine, refused = load_engine_with_error_rows(subscriptions, ontology, work_limit=work_limit)
    for each in refused:
        print_message(each["error"])
    with _progress(spark) as tell:
        done = run_bulk(spark, sources, engine, out, plan=plan, scope=scope, refused=refused, tell=tell)
        facts = {
            "subscriptions": done.subscriptions,
            "publications": done.publications,
            "matches": done.matched,
            "solutions": done.rows,
            "errors": done.errors,
            "plan": f"{plan}, scope {scope}",
            "reading, s": done.reading_seconds,
            "matching, s": done.matching_seconds,
            "publications/s, matching": done.rate,
        }
        if report:
            tell("writing the report")
            reading = done.publications / max(done.reading_seconds, 1e-9)
            _report(spark, out, facts, (("reading", reading), ("matching and writing", done.rate)))
    _show(facts, out)


def _stream(
    spark: SparkSession,
    spool: Path,
    subscriptions: Path,
    ontology: Path | None,
    out: Path,
    once: bool,
    every: float,
    documents: int,
    work_limit: int | None,
    report: bool,
) -> None:
    from gtopss.spark.io.batch_log import BatchLog
    from gtopss.spark.jobs.stream import run_stream
    from gtopss.spark.runtime.engine_versions import EngineVersions

    versions = EngineVersions(out / "versions", subscriptions, ontology, work_limit=work_limit)
    for each in versions.refused(versions.newest()):
        print_message(each["error"])
    try:
        run_stream(
            spark,
            spool,
            out,
            versions,
            once=once,
            every=every,
            documents=documents,
            tell=complain_of,
            warn=print_message,
        )
    except KeyboardInterrupt:
        print_message("stopped; the next run goes on from here")
    done = BatchLog(out).finished()
    facts: dict[str, Any] = {
        "batches": len(done),
        "publications": sum(each.publications for each in done),
        "solutions": sum(each.matches for each in done),
        "errors": sum(each.errors for each in done),
        "subscriptions' versions": len({each.version for each in done}),
        "matching, s": sum(each.seconds for each in done),
    }
    if report:
        _report(spark, out, facts)
    _show(facts, out)


def complain_of(progress: object) -> None:
    print_message(str(progress))


def _report(
    spark: SparkSession, out: Path, summary: dict[str, Any], throughput: tuple[tuple[str, float], ...] = ()
) -> None:
    from gtopss.spark.jobs.report import report_page
    from gtopss.spark.jobs.report_data import collect_report_data

    page = report_page(collect_report_data(spark, out, throughput), summary)
    (out / "report.html").write_text(page, encoding="utf-8")


def _show(facts: dict[str, Any], out: Path) -> None:
    table = Table(box=box.SIMPLE_HEAD, show_header=False)
    for name, value in facts.items():
        shown = f"{value:,.1f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
        table.add_row(name, shown)
    Console().print(table)
    print_message(f"matches, errors and the report are in {out}")


@contextmanager
def _progress(spark: SparkSession) -> Iterator[Any]:
    """A line on the terminal that says which step is on, and how many of its tasks are done; gives what tells it."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    ended = threading.Event()
    with Progress(*columns, console=messages, transient=True, disable=not sys.stderr.isatty()) as bar:
        line = bar.add_task("starting")
        step = ["starting"]

        def tell(text: str) -> None:
            step[0] = text
            bar.update(line, description=text)

        def watch() -> None:
            tracker = spark.sparkContext.statusTracker()
            while not ended.wait(0.5):
                stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
                done, of = (sum(getattr(each, name) for each in stages if each) for name in _TASKS)
                bar.update(line, description=f"{step[0]}, {done} of {of} tasks" if of else step[0])

        watcher = threading.Thread(target=watch, daemon=True)
        if sys.stderr.isatty():
            watcher.start()
        try:
            yield tell
        finally:
            ended.set()
            if watcher.is_alive():
                watcher.join()


if __name__ == "__main__":
    sys.path[:] = [path for path in sys.path if path != str(Path(__file__).parent)]  # where our names hide others'
    try:
        typer.run(pipeline)
    except GtopssError as error:
        print_message(error)
        sys.exit(1)
