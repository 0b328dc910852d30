"""Run subscriptions over an archive or a stream on Spark: `gtopss pipeline`.

`spark-submit .../gtopss/cli/pipeline.py SOURCE ...` is the same command, for when Spark needs a file.
"""

from __future__ import annotations

import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from gtopss.cli.arguments import (
    DEFAULT_STRATEGY,
    Cycles,
    Entailment,
    Literals,
    OperatorSource,
    ReasonerName,
    StrategyName,
    declare_operators,
    messages,
    print_message,
    print_note,
    with_inferences,
)
from gtopss.cli.process import run_command
from gtopss.cli.verbosity import is_quiet
from gtopss.engine.config import EngineConfig
from gtopss.extras import require_extra
from gtopss.spark.plans.names import PlanName, ScopeName
from ontology import CyclePolicy, Reasoner

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from gtopss.spark.io.storage import Storage

LOGGED_PROGRESS_SECONDS = 30.0
"""Between lines about the progress of a long job, where the messages do not go to a terminal."""
_TASK_COUNTS = ("numCompletedTasks", "numTasks")


@dataclass(frozen=True, slots=True)
class _Options:
    """The arguments of the command."""

    sources: list[str]
    subscriptions: str
    out: str
    ontology: str | None
    reasoner: Reasoner | None
    cycles: CyclePolicy
    plan: PlanName
    scope: ScopeName
    once: bool
    every: float
    documents: int
    config: EngineConfig
    report: bool
    stories: bool


def pipeline(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Feeds, RDF files, archives, directories, Parquet tables: paths or URLs. With --stream, one spool."
        ),
    ],
    subscriptions: Annotated[
        str,
        typer.Option("-s", "--subscriptions", help="File or folder of subscriptions, or a saved engine: path or URL."),
    ],
    out: Annotated[str, typer.Option(help="Folder for matches, errors and the report: path or URL.")],
    ontology: Annotated[
        str | None, typer.Option("-o", "--ontology", help="RDFS, SKOS or OWL file: path or URL.")
    ] = None,
    reasoner: ReasonerName = None,
    cycles: Cycles = "refuse",
    entailment: Entailment = None,
    literals: Literals = "sparql",
    plan: Annotated[
        PlanName, typer.Option(help="How Spark finds matches. All plans find the same matches; engine is the fastest.")
    ] = "engine",
    scope: Annotated[
        ScopeName,
        typer.Option(help="publication: a pattern matches within one publication. corpus: across all publications."),
    ] = "publication",
    master: Annotated[
        str | None, typer.Option(help="URL of the Spark master. Default: all cores of this machine.")
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Read a spool continuously, starting where the last run stopped.")
    ] = False,
    once: Annotated[
        bool, typer.Option("--once", help="With --stream: end when all documents of the spool are processed.")
    ] = False,
    every: Annotated[float, typer.Option(min=0.1, help="With --stream: seconds between checks of the spool.")] = 5.0,
    documents: Annotated[int, typer.Option(min=1, help="With --stream: maximum number of documents per batch.")] = 200,
    work_limit: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of steps per subscription and publication.")
    ] = None,
    strategy: StrategyName = DEFAULT_STRATEGY,
    operators: OperatorSource = None,
    jar: Annotated[
        str | None, typer.Option(help="GraphFrames jar: file, folder or Maven coordinates. Default: the cached jar.")
    ] = None,
    report: Annotated[bool, typer.Option(help="Write out/report.html.")] = True,
    stories: Annotated[
        bool,
        typer.Option("--stories", help="Also write out/stories: matched items grouped by story, per subscription."),
    ] = False,
) -> None:
    """Filter an archive or a stream on Spark. Refused input is listed in out/errors; the rest is filtered.

    Exit code 0: done, even if single documents or subscriptions were refused. 1: the job failed, a source is missing,
    nothing was read, or no subscription is usable. 2: wrong usage.
    """
    if stream and (len(sources) != 1 or plan != "engine" or scope != "publication"):
        raise typer.BadParameter("--stream takes one spool, and needs --plan engine and --scope publication")
    if stream and stories:
        raise typer.BadParameter("--stories and --stream cannot be combined: leave out one of them")
    require_extra("spark", "gtopss pipeline")
    from gtopss.spark.failures import spark_errors
    from gtopss.spark.plans.registry import needs_graphframes
    from gtopss.spark.runtime.graphframes_jars import jars_available
    from gtopss.spark.runtime.session import spark_session

    declare_operators(operators)
    config = EngineConfig(work_limit=work_limit, strategy=strategy, entailment=entailment, literals=literals)
    options = _Options(
        sources, subscriptions, out, ontology, reasoner, cycles, plan, scope, once, every, documents, config, report,
        stories,
    )  # fmt: skip
    graphframes = needs_graphframes(plan, scope) or (stories and (jar is not None or jars_available()))
    spark = spark_session(master, graphframes=graphframes, jar=jar)
    try:
        with spark_errors():
            (_run_stream if stream else _run_bulk)(spark, options)
    finally:
        # a signal in the middle of a call breaks the connection; the JVM ends with this process
        with suppress(Exception):
            spark.stop()


def _run_bulk(spark: SparkSession, options: _Options) -> None:
    from gtopss.engine.loading import load_engine
    from gtopss.spark.errors import MissingSource
    from gtopss.spark.io.storage import open_storage
    from gtopss.spark.jobs.bulk import BulkOptions, run_bulk
    from gtopss.spark.runtime.engine_versions import error_rows
    from gtopss.spark.runtime.remote_files import LocalCopy, locally

    def path_of(location: str, what: str) -> Path:
        found = locally(spark, location)
        path = found.path() if isinstance(found, LocalCopy) else found
        copies.append(found)  # a copy is deleted with its object
        if not path.exists():
            raise MissingSource(location, what)
        return path

    copies: list[object] = []
    ontology = None if options.ontology is None else path_of(options.ontology, "ontology")
    taxonomy = with_inferences(ontology, options.reasoner, options.cycles)
    loaded = load_engine(path_of(options.subscriptions, "subscriptions"), taxonomy, options.config)
    refused = error_rows(loaded.refused, options.subscriptions)
    for each in refused:
        print_message(each["error"])
    with _progress_line(spark) as on_step:
        job = BulkOptions(options.plan, options.scope, options.stories, refused, on_step)
        done = run_bulk(spark, options.sources, loaded.engine, options.out, job)
        summary = {
            "subscriptions": done.subscriptions,
            "publications": done.publications,
            "matches": done.matched,
            "solutions": done.rows,
            "errors": done.errors,
            "plan": f"{options.plan}, scope {options.scope}",
            "reading, s": done.reading_seconds,
            "matching, s": done.matching_seconds,
            "publications/s, matching": done.publications_per_second,
        }
        if options.report:
            on_step("writing the report")
            reading = done.publications / max(done.reading_seconds, 1e-9)
            throughput = (("reading", reading), ("matching and writing", done.publications_per_second))
            _write_report(spark, open_storage(spark, options.out), summary, throughput)
    _print_summary(summary, options)


def _run_stream(spark: SparkSession, options: _Options) -> None:
    from gtopss.spark.io.batch_log import BatchLog
    from gtopss.spark.io.storage import LocalStorage, open_storage
    from gtopss.spark.jobs.stream import StreamOptions, run_stream
    from gtopss.spark.runtime.engine_versions import EngineVersions
    from gtopss.spark.runtime.remote_files import VersionArchive, locally

    out = open_storage(spark, options.out)
    is_local = isinstance(out, LocalStorage)
    folder = out.path / "versions" if isinstance(out, LocalStorage) else Path(mkdtemp(prefix="gtopss-versions-"))
    versions = EngineVersions(
        folder,
        locally(spark, options.subscriptions),
        None if options.ontology is None else locally(spark, options.ontology),
        config=options.config,
        reasoner=options.reasoner,
        cycles=options.cycles,
        archive=None if is_local else VersionArchive(out),
    )
    for each in versions.refused(versions.newest()):
        print_message(each["error"])
    job = StreamOptions(
        once=options.once,
        interval_seconds=options.every,
        batch_documents=options.documents,
        on_progress=lambda progress: print_note(str(progress)),
        on_warning=print_message,
    )
    interrupted = False
    try:
        run_stream(spark, options.sources[0], out, versions, job)
    except KeyboardInterrupt:
        interrupted = True
        print_note("stopped; the next run continues from here")
    if not is_local:
        shutil.rmtree(folder, ignore_errors=True)
    done = BatchLog(out).completed()
    summary: dict[str, Any] = {
        "batches": len(done),
        "publications": sum(each.publications for each in done),
        "solutions": sum(each.matches for each in done),
        "errors": sum(each.errors for each in done),
        "versions of the subscriptions": len({each.version for each in done}),
        "matching, s": sum(each.seconds for each in done),
    }
    if options.report:
        _write_report(spark, out, summary)
    _print_summary(summary, options)
    if interrupted:
        raise typer.Exit(128 + signal.SIGINT)


def _write_report(
    spark: SparkSession, out: Storage, summary: dict[str, Any], throughput: tuple[tuple[str, float], ...] = ()
) -> None:
    from gtopss.spark.jobs.report import report_page
    from gtopss.spark.jobs.report_data import collect_report_data

    page = report_page(collect_report_data(spark, out, throughput), summary)
    out.write("report.html", page.encode())


def _print_summary(summary: dict[str, Any], options: _Options) -> None:
    table = Table(box=box.SIMPLE_HEAD, show_header=False)
    for name, value in summary.items():
        shown = f"{value:,.1f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
        table.add_row(name, shown)
    Console().print(table)
    written = "matches, errors and the report" if options.report else "matches and errors"
    print_note(f"{written} are in {options.out}")


@contextmanager
def _progress_line(spark: SparkSession) -> Iterator[Callable[[str], None]]:
    """Show the current step and its tasks in a line on the terminal, or now and then in a log.

    Yields the function that sets the step.
    """
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    ended = threading.Event()
    with Progress(*columns, console=messages, transient=True, disable=not sys.stderr.isatty() or is_quiet()) as bar:
        line = bar.add_task("starting")
        step = ["starting"]

        def set_step(text: str) -> None:
            step[0] = text
            bar.update(line, description=text)
            if not sys.stderr.isatty():
                print_note(text)

        def watch() -> None:
            tracker = spark.sparkContext.statusTracker()
            while not ended.wait(0.5 if sys.stderr.isatty() else LOGGED_PROGRESS_SECONDS):
                stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
                done, total = (sum(getattr(each, name) for each in stages if each) for name in _TASK_COUNTS)
                text = f"{step[0]}, {done} of {total} tasks" if total else step[0]
                bar.update(line, description=text)
                if not sys.stderr.isatty():
                    print_note(text)

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield set_step
        finally:
            ended.set()
            if watcher.is_alive():
                watcher.join()


if __name__ == "__main__":
    sys.path[:] = [path for path in sys.path if path != str(Path(__file__).parent)]  # its names would hide packages
    run_command(lambda: typer.run(pipeline))
