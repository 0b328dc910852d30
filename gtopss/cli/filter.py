"""`gtopss filter`: read feeds and write the items that match."""

from __future__ import annotations

import platform
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from gtopss.checking.nearest import nearest_subscriptions
from gtopss.checking.run_observer import RunObserver
from gtopss.cli.arguments import (
    NOTHING_USABLE,
    MatcherName,
    Ontology,
    OptionalSubscriptions,
    ShortForms,
    errors_end_command,
    load_engine_printing_errors,
    messages,
    print_message,
    print_undecided,
)
from gtopss.cli.filter_output import Destination, Output, item_writer
from gtopss.cli.html_page import HtmlPage
from gtopss.explain.formatting import escape_controls
from gtopss.feeds.iris import web_address
from gtopss.feeds.writing import ATOM_10, DEFAULT_FEED_TITLE, RSS, FeedHeader
from gtopss.filtering.filter_run import FilterRun, RunCounts
from gtopss.filtering.kept_file import DEFAULT_KEPT_ITEMS, KeptFeed, KeptFile, KeptFormat, KeptLines
from gtopss.filtering.publication_names import PublicationNames
from gtopss.filtering.seen_items import SeenItems
from gtopss.model.iris import is_absolute_iri
from gtopss.net import Connector, FetchState
from gtopss.reading.read_ahead import MAX_WORKERS, ReadAhead, default_workers
from gtopss.reading.sources import SourceDocument, read_sources
from sparqlish import PREFIXES

_OUTPUT_OF_SUFFIX = {".atom": Output.ATOM, ".rss": Output.RSS, ".jsonl": Output.JSONL, ".ndjson": Output.JSONL}

MAX_PRINTED_FINDINGS = 10
"""Mistakes, and ids of subscriptions that matched nothing, that are printed. `gtopss check` prints all."""


@errors_end_command()
def filter_feeds(
    sources: Annotated[
        list[str], typer.Argument(help="Feed files, directories, OPML lists, http(s) URLs, or - for standard input.")
    ],
    subscriptions: OptionalSubscriptions = None,
    subscribe: ShortForms = None,
    ontology: Ontology = None,
    output: Annotated[
        Output | None,
        typer.Option(help="Output format. Default: by the name of --out; a table on a terminal, else JSON lines."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Keep the last matched items of all runs in this file (atom, rss or jsonl), instead of printing them."
        ),
    ] = None,
    keep: Annotated[int, typer.Option(min=1, help="With --out: how many items the file keeps.")] = DEFAULT_KEPT_ITEMS,
    title: Annotated[str, typer.Option(help="Title of the RSS or Atom feed.")] = DEFAULT_FEED_TITLE,
    id: Annotated[
        str | None, typer.Option("--id", help="IRI of the feed. Default: one that depends on the path of --out.")
    ] = None,
    self_link: Annotated[str | None, typer.Option(help="URL under which you publish the feed.")] = None,
    html: Annotated[Path | None, typer.Option("--page", help="Also write the matched items as an HTML page.")] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            help="Remember in this file what was read: each item is new once, and unchanged feeds are not sent."
        ),
    ] = None,
    changed: Annotated[
        bool, typer.Option("--changed", help="With --state: an item whose content has changed is new again.")
    ] = False,
    allow: Annotated[
        list[str] | None,
        typer.Option(help="A host, host:port or network that may be fetched though it is not public."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, max=MAX_WORKERS, help="Processes that read documents. Default: one per processor, at most 2."
        ),
    ] = None,
    near: Annotated[
        int, typer.Option(min=0, help="Print for each item up to N subscriptions that it nearly matched, on stderr.")
    ] = 0,
    matcher: MatcherName = "gm",
) -> None:
    """Filter feeds: RSS 0.9x to 2.0, Atom, JSON Feed and RDF, one publication per item.

    For cron: --state FILE --out FILE.atom. Each run then adds what is new; a run that finds nothing leaves the file
    as it is.

    Exit code 0: everything was read. 1: a source or subscription was refused (one line on stderr for each) and the
    rest was filtered. 2: no source could be read, no subscription is usable, the state, the ontology or an output file
    cannot be used, or wrong usage. A feed that is not fetched because its server asked for a pause or failed recently
    is no error.
    """
    header = _feed_header(title, id, self_link, out or subscriptions or Path())
    with ExitStack() as opened:
        fetch_state = opened.enter_context(FetchState(state, exclusive=True))
        kept = _kept_file(out, output, keep, header) if out else None
        seen = opened.enter_context(SeenItems(state)) if state else None
        reader = opened.enter_context(ReadAhead(default_workers() if workers is None else workers)).start()
        engine, refused = load_engine_printing_errors(subscriptions, ontology, subscribe, matcher=matcher)
        if not len(engine):
            print_message("no subscription is usable, so nothing was read")
            raise typer.Exit(NOTHING_USABLE)
        names = opened.enter_context(PublicationNames())
        if output is None:
            output = Output.TABLE if sys.stdout.isatty() else Output.JSONL
        writer = None if kept else item_writer(output, names, header)
        destination = Destination(writer, kept, HtmlPage(html, engine) if html else None)
        observer = RunObserver(engine)
        run = FilterRun(engine, reader.read, print_message, seen, changed)
        started = time.perf_counter()
        documents = read_sources(sources, connector=Connector(allow=allow or ()), state=fetch_state if state else None)
        undecided = _write_matches(run, reader, documents, destination, observer, near)
        summary = _summary(run.counts, refused, undecided, time.perf_counter() - started)
        for message in destination.finish(summary, keep_old_page=state is not None):
            print_message(message)
        if state:
            run.commit(fetch_state)  # only now, so that items that were not written are new again
    _print_findings(observer, with_unmatched=state is None)
    print_message(summary)
    if run.counts.nothing_was_readable:
        print_message(run.counts.why_nothing_was_readable)
        raise typer.Exit(NOTHING_USABLE)
    if refused or run.counts.failed:
        raise typer.Exit(1)


def _feed_header(title: str, id: str | None, self_link: str | None, place: Path) -> FeedHeader:
    """Return the header of a feed. Its id is by default made of the machine and the path: the same at each run."""
    if id is not None and not is_absolute_iri(id):
        raise typer.BadParameter(f"{id!r} is not an absolute IRI, such as urn:example:my-feed", param_hint="--id")
    if self_link is not None and not (is_absolute_iri(self_link) and web_address(self_link)):
        raise typer.BadParameter(f"{self_link!r} is not an http(s) URL", param_hint="--self-link")
    made = uuid.uuid5(uuid.NAMESPACE_URL, f"file://{platform.node()}{place.absolute()}").urn
    return FeedHeader(title, id or made, self_link)


def _kept_file(out: Path, output: Output | None, keep: int, header: FeedHeader) -> KeptFile:
    output = output or _OUTPUT_OF_SUFFIX.get(out.suffix.lower())
    formats: dict[Output | None, KeptFormat] = {
        Output.ATOM: KeptFeed(ATOM_10, header),
        Output.RSS: KeptFeed(RSS, header),
        Output.JSONL: KeptLines(),
    }
    if output not in formats:
        reason = (
            "a kept file is atom, rss or jsonl: give one of them as --output, or name the file .atom, .rss or .jsonl"
        )
        raise typer.BadParameter(reason, param_hint="--out")
    return KeptFile(out, formats[output], keep=keep)


def _write_matches(
    run: FilterRun,
    reader: ReadAhead,
    documents: Iterable[SourceDocument],
    destination: Destination,
    observer: RunObserver,
    near: int,
) -> int:
    """Write the items that match as they are found, with a line of progress on a terminal. Return the undecided."""
    undecided = 0
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    bar = Progress(*columns, console=messages, transient=True, disable=not sys.stderr.isatty(), redirect_stdout=False)
    with bar:
        line = bar.add_task("reading")
        for publication, report in run.reports(_with_progress(reader.documents(documents), bar, line, run.counts)):
            reader.advance()
            undecided += print_undecided(report)
            observer.observe(publication, report)
            for each in nearest_subscriptions(run.engine, publication, near) if near else ():
                print_message(each.text(PREFIXES).partition("\n")[0].replace(" does not match ", " nearly matches "))
            if report.matches:
                if sys.stdout.isatty():
                    bar.stop()  # it would be written into the middle of the items
                destination.write(publication, report)
                if sys.stdout.isatty():
                    bar.start()
    return undecided


def _print_findings(observer: RunObserver, *, with_unmatched: bool) -> None:
    """Print what is probably a mistake. With a state, a run may have no item that a subscription could match."""
    likely = [each for each in observer.findings() if each.likely]
    for finding in likely[:MAX_PRINTED_FINDINGS]:
        print_message(escape_controls(str(finding)))
    unmatched = observer.unmatched() if with_unmatched else []
    if unmatched:
        more = f" and {len(unmatched) - MAX_PRINTED_FINDINGS} more" if len(unmatched) > MAX_PRINTED_FINDINGS else ""
        print_message(f"nothing matched {escape_controls(', '.join(unmatched[:MAX_PRINTED_FINDINGS]))}{more}")
    if len(likely) > MAX_PRINTED_FINDINGS or unmatched:
        print_message("`gtopss check` shows what may be wrong with subscriptions, and what came nearest")


def _with_progress(
    documents: Iterable[SourceDocument], bar: Progress, line: TaskID, counts: RunCounts
) -> Iterator[SourceDocument]:
    for document in documents:
        sys.stdout.flush()  # reading it, or waiting for it, may take a while
        yield document
        shown = f"{counts.documents} documents, {counts.items} items, {counts.matched} matched"
        bar.update(line, description=shown)


def _summary(counts: RunCounts, refused: int, undecided: int, seconds: float) -> str:
    new = f"{counts.new} of them new, " if counts.new != counts.items else ""
    waiting = f"{counts.waiting} not due, " if counts.waiting else ""
    more = f"{undecided} undecided, " if undecided else ""
    return (
        f"{counts.documents} documents, {counts.items} items, {new}"
        f"{counts.matched} of them matched ({counts.matches} matches), "
        f"{counts.failed + refused} refused, {waiting}{more}{counts.items / max(seconds, 1e-9):,.0f} items/s"
    )
