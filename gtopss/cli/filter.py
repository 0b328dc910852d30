"""`gtopss filter`: feeds in, what matches out."""

from __future__ import annotations

import json
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

from gtopss.cli.arguments import (
    MatcherName,
    Ontology,
    Subscriptions,
    load_engine_printing_errors,
    messages,
    print_message,
    print_undecided,
)
from gtopss.cli.page import page
from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.feeds.writing import entry_of, to_atom, to_nquads, to_rss
from gtopss.model import MatchReport, Publication
from gtopss.net import Connector, FetchState, Response
from gtopss.reading.isolation import IsolatedReader
from gtopss.reading.sources import SourceDocument, read_sources


class Output(StrEnum):
    """What `filter` can write."""

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
        Output | None, typer.Option(help="Table on a terminal, JSON lines otherwise, unless named here.")
    ] = None,
    html: Annotated[Path | None, typer.Option("--page", help="Also write the matched items as an HTML page.")] = None,
    state: Annotated[
        Path | None, typer.Option(help="Remember ETags and visits in this file, so that only news is fetched.")
    ] = None,
    allow: Annotated[
        list[str] | None, typer.Option(help="A host, host:port or network that may be fetched though it is private.")
    ] = None,
    matcher: MatcherName = "gm",
) -> None:
    """Filter feeds: RSS 0.9x to 2.0, Atom, JSON Feed and RDF, one publication per item.

    Exit code 0: all was read; 1: some source or subscription was refused (each with a line on stderr), the rest was
    filtered; 2: called wrongly.
    """
    engine, refused = load_engine_printing_errors(subscriptions, ontology, matcher=matcher)
    counts: Counter[str] = Counter(refused=refused)
    started = time.perf_counter()
    with FetchState(state) as visits:
        named = read_sources(sources, connector=Connector(allow=allow or ()), state=visits if state else None)
        found, responses = _read_all(named, engine, counts)
        summary = _summary(counts, found, time.perf_counter() - started)
        _write(found, output or (Output.TABLE if sys.stdout.isatty() else Output.JSONL))
        if html is not None:
            html.write_text(page(found, engine, summary), encoding="utf-8")
            print_message(f"the page is in {html}")
        sys.stdout.flush()
        for response in responses if state else ():  # only now: what was not written is fetched again
            visits.commit(response)
    print_message(summary)
    if counts["refused"]:
        raise typer.Exit(1)


def _read_all(
    named: Iterable[SourceDocument], engine: Engine, counts: Counter[str]
) -> tuple[list[tuple[Publication, MatchReport]], list[Response]]:
    """What matched, and the responses it came in; refusals are said as they come, and counted."""
    found: list[tuple[Publication, MatchReport]] = []
    responses: list[Response] = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with (
        IsolatedReader() as reader,
        Progress(*columns, console=messages, transient=True, disable=not sys.stderr.isatty()) as bar,
    ):
        task = bar.add_task("reading")
        for document in named:
            counts["documents"] += 1
            try:
                if document.error is not None:
                    raise document.error
                items = (
                    () if document.unchanged else reader.read_document(document.data, source=document.name).publications
                )
            except GtopssError as error:
                print_message(error)
                counts["refused"] += 1
                continue
            for publication in items:
                report = engine.match(publication)
                counts["undecided"] += print_undecided(report)
                if report.matches:
                    found.append((publication, report))
            counts["items"] += len(items)
            if document.response is not None:
                responses.append(document.response)
            bar.update(task, description=f"{counts['documents']} documents, {counts['items']} items, {len(found)} hits")
    return found, responses


def _summary(counts: Counter[str], found: list[tuple[Publication, MatchReport]], seconds: float) -> str:
    matches = sum(len(report) for _, report in found)
    undecided = f"{counts['undecided']} undecided, " if counts["undecided"] else ""
    return (
        f"{counts['documents']} documents, {counts['items']} items, {len(found)} of them matched ({matches} matches), "
        f"{counts['refused']} refused, {undecided}{counts['items'] / max(seconds, 1e-9):,.0f} items/s"
    )


def _write(found: list[tuple[Publication, MatchReport]], output: Output) -> None:
    publications = [publication for publication, _ in found]
    now = datetime.now(UTC)
    match output:
        case Output.TABLE:
            Console().print(_table(found))
        case Output.JSONL:
            for publication, report in found:
                entry = entry_of(publication)
                for each in report:
                    line = {**each.to_json(), "title": entry.title, "link": entry.link, "source": publication.source}
                    typer.echo(json.dumps(line, ensure_ascii=False))
        case Output.RSS:
            sys.stdout.buffer.write(to_rss(publications, title="Filtered by gtopss", now=now))
        case Output.ATOM:
            sys.stdout.buffer.write(to_atom(publications, title="Filtered by gtopss", now=now))
        case Output.NQUADS:
            sys.stdout.buffer.write(to_nquads(publications))


def _table(found: list[tuple[Publication, MatchReport]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("date", "item", "from", "subscriptions"):
        table.add_column(heading, overflow="fold")
    for publication, report in found:
        entry = entry_of(publication)
        when = entry.published_at.strftime("%Y-%m-%d") if entry.published_at else ""
        table.add_row(
            when, Text(entry.title), Text(entry.source or ""), Text(", ".join(report.subscription_ids), "cyan")
        )
    return table
