"""`gtopss filter`: read feeds and write the items that match."""

from __future__ import annotations

import os
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from gtopss.checking.nearest import item_title, nearest_subscriptions
from gtopss.checking.run_observer import RunObserver
from gtopss.checking.short_form_explanation import ShortFormExplainer
from gtopss.cli.arguments import (
    DEFAULT_STRATEGY,
    NOTHING_USABLE,
    Allow,
    AllowCartesian,
    Cycles,
    Entailment,
    Literals,
    MatcherName,
    Ontology,
    OperatorSource,
    OptionalSubscriptions,
    ReasonerName,
    ShortForms,
    StrategyName,
    check_sources,
    counted_refusals,
    declare_operators,
    errors_end_command,
    explainer_of,
    load_engine_printing_errors,
    messages,
    path_argument,
    print_empty_folders,
    print_message,
    print_note,
    print_topics_without_ontology,
    print_undecided,
    refuse_second_standard_input,
    short_forms_by_id,
    with_inferences,
)
from gtopss.cli.filter_output import Destination, Output, item_writer
from gtopss.cli.html_page import HtmlPage, check_page
from gtopss.cli.verbosity import is_quiet
from gtopss.engine import Engine
from gtopss.engine.subscription_files import is_subscription_file
from gtopss.errors import OutputNotWritable
from gtopss.feeds.iris import web_address
from gtopss.feeds.writing import ATOM_10, DEFAULT_FEED_TITLE, RSS, FeedHeader
from gtopss.filtering.filter_run import FilterRun, RunCounts
from gtopss.filtering.kept_file import DEFAULT_KEPT_ITEMS, KeptFeed, KeptFile, KeptFormat, KeptLines
from gtopss.filtering.publication_names import PublicationNames
from gtopss.filtering.seen_items import SeenItems
from gtopss.model import Publication
from gtopss.model.display import counted
from gtopss.model.iris import is_absolute_iri
from gtopss.model.term_text import escape_controls
from gtopss.net import Connector, FetchState
from gtopss.reading.read_ahead import MAX_WORKERS, ReadAhead, default_workers
from gtopss.reading.sources import SourceDocument, read_sources

_OUTPUT_OF_SUFFIX = {".atom": Output.ATOM, ".rss": Output.RSS, ".jsonl": Output.JSONL, ".ndjson": Output.JSONL}

_STATE_SUFFIXES = (".lock", "-wal", "-shm", "-journal")  # of the files beside the state
MIN_RATED_SECONDS = 1.0  # of a shorter run, the items per second would be those of the start
MAX_PRINTED_FINDINGS = 10
"""Mistakes, and ids of subscriptions that matched nothing, that are printed. `gtopss check` prints all."""


@errors_end_command()
def filter_feeds(
    sources: Annotated[
        list[str],
        typer.Argument(
            callback=check_sources, help="Feed files, directories, OPML lists, http(s) URLs, or - for standard input."
        ),
    ],
    subscriptions: OptionalSubscriptions = None,
    subscribe: ShortForms = None,
    ontology: Ontology = None,
    reasoner: ReasonerName = None,
    cycles: Cycles = "refuse",
    entailment: Entailment = None,
    literals: Literals = "sparql",
    output: Annotated[
        Output | None,
        typer.Option(
            help="Output format. Default: with --out, chosen by the file suffix; otherwise a table on a terminal and "
            "JSON Lines in a pipe."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            parser=path_argument,
            metavar="PATH",
            help="Write matched items to this file (.atom, .rss or .jsonl) instead of standard output. Later runs add "
            "to it.",
        ),
    ] = None,
    keep: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="With --out: maximum number of items in the file; older ones are dropped. "
            f"Default: {DEFAULT_KEPT_ITEMS}.",
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(help=f"Title of the RSS or Atom feed. Default: {DEFAULT_FEED_TITLE}.")
    ] = None,
    id: Annotated[
        str | None,
        typer.Option(
            "--id", help="IRI of the RSS or Atom feed. Default: the id in the file of --out, or else a generated one."
        ),
    ] = None,
    self_link: Annotated[str | None, typer.Option(help="URL under which you publish the feed.")] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--page", parser=path_argument, metavar="PATH", help="Also write the matched items as an HTML page."
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            parser=path_argument,
            metavar="PATH",
            help="File that records which items were read. Later runs skip these items, and do not download feeds that "
            "have not changed.",
        ),
    ] = None,
    changed: Annotated[
        bool, typer.Option("--changed", help="With --state: match an item again if its content has changed.")
    ] = False,
    allow: Allow = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, max=MAX_WORKERS, help="Worker processes that parse documents. Default: one per processor, at most 2."
        ),
    ] = None,
    near: Annotated[
        int,
        typer.Option(
            min=0, help="Print on stderr, for each item, up to this many subscriptions that it nearly matched."
        ),
    ] = 0,
    matcher: MatcherName = "auto",
    strategy: StrategyName = DEFAULT_STRATEGY,
    operators: OperatorSource = None,
    allow_cartesian: AllowCartesian = False,
) -> None:
    """Read feeds (RSS 0.9x to 2.0, Atom, JSON Feed, RDF) and write the items that match subscriptions.

    Each item of a feed is matched on its own.

    To run it from cron, use --state FILE --out FILE.atom: each run adds the new matching items to FILE.atom. If there
    are none, the file does not change.

    Example: gtopss filter https://site.example/feed --subscribe 'topic:health -sponsored'

    Exit code 0: everything was read. 1: a source or subscription was refused (one line on stderr for each) and the
    rest was filtered. 2: no source could be read, no subscription is usable, the state, the ontology or an output file
    cannot be used, or wrong usage. Neither warnings nor feeds that are skipped, because their server asked for a pause
    or failed recently, change the exit code.
    """
    refuse_second_standard_input(*sources, subscriptions, ontology)
    _refuse_without_effect(keep, title, id, self_link, changed, output=output, out=out, state=state)
    own_files = _own_files(out, html, state)
    _refuse_overwritten_inputs(out, html, state, [*_subscription_files(subscriptions), ontology, operators], sources)
    if html:
        check_page(html)
    declare_operators(operators)
    header = _feed_header(title or DEFAULT_FEED_TITLE, id, self_link, None if out else subscriptions or Path())
    with ExitStack() as opened:
        fetch_state = opened.enter_context(FetchState(state, exclusive=True))
        kept = _kept_file(out, output, header, keep=keep or DEFAULT_KEPT_ITEMS, keep_id=id is None) if out else None
        seen = opened.enter_context(SeenItems(state)) if state else None
        reader = opened.enter_context(ReadAhead(default_workers() if workers is None else workers)).start()
        taxonomy = with_inferences(ontology, reasoner, cycles)
        engine, refused = load_engine_printing_errors(
            subscriptions,
            taxonomy,
            subscribe,
            matcher=matcher,
            strategy=strategy,
            entailment=entailment,
            literals=literals,
            allow_cartesian=allow_cartesian,
            if_none=NOTHING_USABLE,
        )
        names = opened.enter_context(PublicationNames())
        if output is None:
            output = Output.TABLE if sys.stdout.isatty() else Output.JSONL
        writer = None if kept else item_writer(output, names, header)
        short_forms = short_forms_by_id(subscriptions, subscribe)
        print_topics_without_ontology(short_forms, ontology)
        explainer = explainer_of(engine, short_forms, ontology)
        destination = Destination(writer, kept, HtmlPage(html, engine, explainer) if html else None)
        observer = RunObserver(engine)
        run = FilterRun(engine, reader.read, print_message, seen, changed, print_message)
        started = time.perf_counter()
        connector, fetched = Connector(allow=allow or ()), fetch_state if state else None
        print_empty_folders(sources)
        left_out = [*own_files, *_files_of(subscriptions), *_files_of(ontology)]
        documents = read_sources(sources, connector=connector, state=fetched, left_out=left_out)
        printer = _NearPrinter(engine, near, explainer) if near else None
        undecided = _write_matches(run, reader, documents, destination, observer, printer)
        summary = _summary(run.counts, refused, undecided, time.perf_counter() - started)
        if not run.counts.nothing_was_readable:
            for message in destination.finish(summary, keep_old_page=state is not None):
                print_note(message)
        if state:
            run.commit(fetch_state)  # only now, so that items that were not written are new again
    if run.counts.items:
        _print_findings(observer, with_unmatched=state is None)
    print_note(summary)
    if run.counts.nothing_was_readable:
        print_message(run.counts.why_nothing_was_readable)
        raise typer.Exit(NOTHING_USABLE)
    if refused or run.counts.failed:
        raise typer.Exit(1)


def _own_files(out: Path | None, page: Path | None, state: Path | None) -> list[Path]:
    """Return the files that a run writes, which are no sources. Refuse two outputs to one file."""
    named = {"--out": out, "--page": page, "--state": state}
    given = {option: path for option, path in named.items() if path is not None}
    places = [os.path.realpath(path) for path in given.values()]
    if len({*places}) < len(places):
        reason = "two of these options name the same file: give each a file of its own"
        raise typer.BadParameter(reason, param_hint=", ".join(given))
    beside = [Path(f"{state}{suffix}") for suffix in _STATE_SUFFIXES] if state else []
    return [*given.values(), *beside]


def _refuse_overwritten_inputs(
    out: Path | None, page: Path | None, state: Path | None, inputs: list[Path | str | None], sources: list[str]
) -> None:
    """Refuse an output that is one of the inputs, which would be lost, or whose folder does not exist.

    The files of --out and --state may be sources, as of `feeds/*`: a run does not read its own files, and those that
    this command did not write are not replaced.
    """
    for option, path in (("--out", out), ("--page", page), ("--state", state)):
        if path is None:
            continue
        folder = Path(os.path.realpath(path)).parent
        if option != "--state" and not os.path.isdir(folder):
            raise OutputNotWritable(path, f"there is no folder {folder}: create it, or choose another name")
        for each in (*inputs, *(sources if option == "--page" else ())):
            if each is not None and os.path.isfile(each) and path.exists() and os.path.samefile(path, each):
                also = "" if str(path) == str(each) else f" ({each})"
                reason = f"{path} is also an input{also}, which would be overwritten: name another file"
                raise typer.BadParameter(reason, param_hint=option)


def _subscription_files(path: Path | None) -> list[Path]:
    """Return the file of subscriptions, or the files of a folder that are read as such."""
    if path is None or not path.is_dir():
        return _files_of(path)
    return list(filter(is_subscription_file, _files_of(path)))


def _refuse_without_effect(
    keep: int | None,
    title: str | None,
    id: str | None,
    self_link: str | None,
    changed: bool,
    *,
    output: Output | None,
    out: Path | None,
    state: Path | None,
) -> None:
    """Refuse options that would be ignored, because the option that they belong to is missing."""
    if keep is not None and out is None:
        raise typer.BadParameter("it needs a file whose items it limits: add --out FILE", param_hint="--keep")
    if changed and state is None:
        raise typer.BadParameter("it needs to know what items said before: add --state FILE", param_hint="--changed")
    for option, value in (("--title", title), ("--id", id), ("--self-link", self_link)):
        if value is not None and out is None and output not in (Output.ATOM, Output.RSS):
            reason = "it describes a feed, and none is written: add --out FILE.atom, or --output atom or rss"
            raise typer.BadParameter(reason, param_hint=option)


def _files_of(path: Path | None) -> list[Path]:
    """Return the files of subscriptions or of an ontology, which are no sources, even in a folder that is read."""
    if path is None:
        return []
    return [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]


def _feed_header(title: str, id: str | None, self_link: str | None, subscriptions: Path | None) -> FeedHeader:
    """Return the header of a feed. Its id is by default made of a path, the same at each run, or else a new one."""
    if id is not None and not is_absolute_iri(id):
        raise typer.BadParameter(f"{id!r} is not an absolute IRI: write it like urn:example:my-feed", param_hint="--id")
    if self_link is not None and not (is_absolute_iri(self_link) and web_address(self_link)):
        reason = f"{self_link!r} is not an http(s) URL: write it like https://site.example/feed.atom"
        raise typer.BadParameter(reason, param_hint="--self-link")
    if id is None:
        made = uuid.uuid5(uuid.NAMESPACE_URL, subscriptions.absolute().as_uri()) if subscriptions else uuid.uuid4()
        id = made.urn
    return FeedHeader(title, id, self_link)


def _kept_file(out: Path, output: Output | None, header: FeedHeader, *, keep: int, keep_id: bool) -> KeptFile:
    by_suffix = _OUTPUT_OF_SUFFIX.get(out.suffix.lower())
    if output and by_suffix and output != by_suffix:
        reason = f"{out} would be {output}, and its name is that of {by_suffix}: leave out --output, or rename the file"
        raise typer.BadParameter(reason, param_hint="--out")
    output = output or by_suffix
    formats: dict[Output | None, KeptFormat] = {
        Output.ATOM: KeptFeed(ATOM_10, header, keep_id=keep_id),
        Output.RSS: KeptFeed(RSS, header, keep_id=keep_id),
        Output.JSONL: KeptLines(),
    }
    if output not in formats:
        reason = (
            f"{out} must be an Atom, RSS or JSON Lines file: end its name with .atom, .rss or .jsonl, or add "
            "--output atom, rss or jsonl"
        )
        raise typer.BadParameter(reason, param_hint="--out")
    return KeptFile(out, formats[output], keep=keep)


def _write_matches(
    run: FilterRun,
    reader: ReadAhead,
    documents: Iterable[SourceDocument],
    destination: Destination,
    observer: RunObserver,
    near: _NearPrinter | None,
) -> int:
    """Write the items that match as they are found, with a line of progress on a terminal. Return the undecided."""
    undecided = 0
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    is_shown = sys.stderr.isatty() and not is_quiet()
    bar = Progress(*columns, console=messages, transient=True, disable=not is_shown, redirect_stdout=False)
    with bar:
        line = bar.add_task("reading")
        for publication, report in run.reports(_with_progress(reader.documents(documents), bar, line, run.counts)):
            reader.advance()
            undecided += print_undecided(report)
            observer.observe(publication, report)
            if near is not None:
                near.print(publication)
            if report.matches:
                if sys.stdout.isatty():
                    bar.stop()  # it would be written into the middle of the items
                destination.write(publication, report)
                bar.update(line, description=_progress(run.counts))
                if sys.stdout.isatty():
                    bar.start()
    return undecided


class _NearPrinter:
    """Print for an item the subscriptions that it nearly matched, and what is missing."""

    def __init__(self, engine: Engine, most: int, explainer: ShortFormExplainer) -> None:
        self._engine, self._most, self._explainer = engine, most, explainer

    def print(self, publication: Publication) -> None:
        for each in nearest_subscriptions(self._engine, publication, self._most):
            reason = self._explainer.missing(publication, each)
            if reason is not None:
                subscription, id = escape_controls(each.subscription_id), escape_controls(publication.id)
                print_message(f'{subscription} nearly matches "{item_title(publication)}" ({id}): {reason}')


def _print_findings(observer: RunObserver, *, with_unmatched: bool) -> None:
    """Print what is probably a mistake. With a state, a run may have no item that a subscription could match."""
    likely = [each for each in observer.findings() if each.likely]
    for finding in likely[:MAX_PRINTED_FINDINGS]:
        print_message(escape_controls(str(finding)))
    unmatched = observer.unmatched() if with_unmatched else []
    if unmatched:
        more = f" and {len(unmatched) - MAX_PRINTED_FINDINGS} more" if len(unmatched) > MAX_PRINTED_FINDINGS else ""
        print_note(f"nothing matched {escape_controls(', '.join(unmatched[:MAX_PRINTED_FINDINGS]))}{more}")
    if len(likely) > MAX_PRINTED_FINDINGS or unmatched:
        print_note("run `gtopss check` to see what may be wrong with a subscription, and which item nearly matches it")


def _with_progress(
    documents: Iterable[SourceDocument], bar: Progress, line: TaskID, counts: RunCounts
) -> Iterator[SourceDocument]:
    for document in documents:
        sys.stdout.flush()  # reading it, or waiting for it, may take a while
        yield document
        bar.update(line, description=_progress(counts))


def _progress(counts: RunCounts) -> str:
    return f"{counted(counts.documents, 'document')}, {counted(counts.items, 'item')}, {counts.matched:,} matched"


def _summary(counts: RunCounts, refused: int, undecided: int, seconds: float) -> str:
    new = f"{counts.new} of them new, " if counts.new != counts.items else ""
    waiting = f", {counted(counts.waiting, 'feed')} not due yet" if counts.waiting else ""
    more = f", {undecided} undecided" if undecided else ""
    rate = f", {counted(round(counts.items / seconds), 'item')}/s" if seconds >= MIN_RATED_SECONDS else ""
    return (
        f"{counted(counts.documents, 'document')}, {counted(counts.items, 'item')}, {new}"
        f"{counts.matched} of them matched ({counted(counts.matches, 'match', 'matches')})"
        f"{counted_refusals(refused, counts.failed)}{waiting}{more}{rate}"
    )
