"""`gtopss filter`: read feeds and write the items that match."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from gtopss.atomic_files import write_atomically
from gtopss.cli.arguments import (
    MatcherName,
    Ontology,
    Subscriptions,
    load_engine_printing_errors,
    messages,
    print_json_line,
    print_message,
    print_undecided,
)
from gtopss.cli.html_page import render_page
from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.feeds.writing import entry_of, to_atom, to_nquads, to_rss
from gtopss.model import MatchReport, Publication
from gtopss.net import Connector, FetchState, Response
from gtopss.reading.isolation import IsolatedReader
from gtopss.reading.sources import SourceDocument, read_sources


class Output(StrEnum):
    """The output formats of `filter`."""

    TABLE = "table"
    JSONL = "jsonl"
    RSS = "rss"
    ATOM = "atom"
    NQUADS = "nquads"


def filter_feeds(
    sources: Annotated[
        list[str], typer.Argument(help="Feed files, directories, OPML lists, http(s) URLs, or - for standard input.")
    ],
    subscriptions: Subscriptions,
    ontology: Ontology = None,
    output: Annotated[
        Output | None, typer.Option(help="Output format. Default: a table on a terminal, JSON lines otherwise.")
    ] = None,
    html: Annotated[Path | None, typer.Option("--page", help="Also write the matched items as an HTML page.")] = None,
    state: Annotated[
        Path | None, typer.Option(help="Store ETags and failures in this file, so that only changed feeds are fetched.")
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(help="A host, host:port or network that may be fetched though it is not public."),
    ] = None,
    matcher: MatcherName = "gm",
) -> None:
    """Filter feeds: RSS 0.9x to 2.0, Atom, JSON Feed and RDF, one publication per item.

    Exit code 0: everything was read. 1: a source or subscription was refused (one line on stderr for each) and the
    rest was filtered. 2: wrong usage.
    """
    with FetchState(state, exclusive=True) as fetch_state:
        engine, refused = load_engine_printing_errors(subscriptions, ontology, matcher=matcher)
        counts: Counter[str] = Counter(refused=refused)
        started = time.perf_counter()
        documents = read_sources(sources, connector=Connector(allow=allow or ()), state=fetch_state if state else None)
        matched, responses = _match_documents(documents, engine, counts)
        summary = _summary(counts, matched, time.perf_counter() - started)
        _write(matched, output or (Output.TABLE if sys.stdout.isatty() else Output.JSONL))
        if html is not None:
            write_atomically(html, render_page(matched, engine, summary))
            print_message(f"wrote the page to {html}")
        sys.stdout.flush()
        for response in responses if state else ():  # only now, so that items that were not written are fetched again
            fetch_state.commit(response)
    print_message(summary)
    if counts["refused"]:
        raise typer.Exit(1)


def _match_documents(
    documents: Iterable[SourceDocument], engine: Engine, counts: Counter[str]
) -> tuple[list[tuple[Publication, MatchReport]], list[Response]]:
    """Return the matched items and the responses to commit. Print and count what is refused."""
    matched: list[tuple[Publication, MatchReport]] = []
    responses: list[Response] = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with (
        IsolatedReader() as reader,
        Progress(*columns, console=messages, transient=True, disable=not sys.stderr.isatty()) as bar,
    ):
        task = bar.add_task("reading")
        for document in documents:
            counts["documents"] += 1
            try:
                if document.error is not None:
                    raise document.error
                items: tuple[Publication, ...] = ()
                if not document.unchanged:
                    items = reader.read_document(document.data, source=document.name).publications
            except GtopssError as error:
                print_message(error)
                counts["refused"] += 1
                continue
            for publication in items:
                report = engine.match(publication)
                counts["undecided"] += print_undecided(report)
                if report.matches:
                    matched.append((publication, report))
            counts["items"] += len(items)
            if document.response is not None:
                responses.append(document.response)
            bar.update(
                task, description=f"{counts['documents']} documents, {counts['items']} items, {len(matched)} matched"
            )
    return matched, responses


def _summary(counts: Counter[str], matched: list[tuple[Publication, MatchReport]], seconds: float) -> str:
    matches = sum(len(report) for _, report in matched)
    undecided = f"{counts['undecided']} undecided, " if counts["undecided"] else ""
    return (
        f"{counts['documents']} documents, {counts['items']} items, "
        f"{len(matched)} of them matched ({matches} matches), "
        f"{counts['refused']} refused, {undecided}{counts['items'] / max(seconds, 1e-9):,.0f} items/s"
    )


def _write(matched: list[tuple[Publication, MatchReport]], output: Output) -> None:
    publications = [publication for publication, _ in matched]
    now = datetime.now(UTC)
    match output:
        case Output.TABLE:
            Console().print(_table(matched))
        case Output.JSONL:
            for publication, report in matched:
                entry = entry_of(publication)
                for each in report:
                    line = {**each.to_json(), "title": entry.title, "link": entry.link, "source": publication.source}
                    print_json_line(line)
        case Output.RSS:
            sys.stdout.buffer.write(to_rss(publications, title="Filtered by gtopss", now=now))
        case Output.ATOM:
            sys.stdout.buffer.write(to_atom(publications, title="Filtered by gtopss", now=now))
        case Output.NQUADS:
            sys.stdout.buffer.write(to_nquads(publications))


def _table(matched: list[tuple[Publication, MatchReport]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("date", "item", "from", "subscriptions"):
        table.add_column(heading, overflow="fold")
    for publication, report in matched:
        entry = entry_of(publication)
        when = entry.published_at.strftime("%Y-%m-%d") if entry.published_at else ""
        table.add_row(
            when, Text(entry.title), Text(entry.source or ""), Text(", ".join(report.subscription_ids), "cyan")
        )
    return table
