"""Write matched items to standard output as they are found, in one of the formats of `gtopss filter`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Protocol

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gtopss.cli.arguments import print_json_line, print_limits_of_match
from gtopss.cli.html_page import HtmlPage
from gtopss.feeds.entries import entry_of
from gtopss.feeds.writing import ATOM_10, RSS, FeedFormat, FeedHeader, publication_nquads
from gtopss.filtering.kept_file import KeptFile
from gtopss.filtering.match_lines import match_lines
from gtopss.filtering.publication_names import PublicationNames
from gtopss.model import MatchReport, Publication
from gtopss.model.term_text import escape_controls, shorten


class Output(StrEnum):
    """The output formats of `filter`."""

    TABLE = "table"
    JSONL = "jsonl"
    RSS = "rss"
    ATOM = "atom"
    NQUADS = "nquads"


class ItemWriter(Protocol):
    """Writes one matched item after the other. `finish` writes what comes after the last one."""

    def add(self, publication: Publication, report: MatchReport) -> None: ...

    def finish(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Destination:
    """Where the matched items of a run go: to a kept file or else to standard output, and to a page."""

    writer: ItemWriter | None
    kept: KeptFile | None
    page: HtmlPage | None

    def write(self, publication: Publication, report: MatchReport) -> None:
        """Write a matched item, or hold it until `finish`."""
        for each in (self.writer, self.kept, self.page):
            if each is not None:
                each.add(publication, report)

    def finish(self, summary: str, *, keep_old_page: bool) -> Iterator[str]:
        """Write what is left, and yield a message about each file. The output is safe when this has ended."""
        if self.writer is not None:
            self.writer.finish()
            sys.stdout.flush()
        if self.kept is not None:
            yield f"{'wrote' if self.kept.write() else 'nothing new for'} {self.kept.path}"
        if self.page is not None and self.page.write(summary, unless_empty=keep_old_page):
            yield f"wrote the page to {self.page.path}"


def item_writer(output: Output, names: PublicationNames, header: FeedHeader) -> ItemWriter:
    """Return the writer of a format. It gives publications of two sources different names."""
    match output:
        case Output.TABLE:
            return _TableWriter()
        case Output.JSONL:
            return _LineWriter(names)
        case Output.RSS:
            return _FeedWriter(RSS, names, header)
        case Output.ATOM:
            return _FeedWriter(ATOM_10, names, header)
        case Output.NQUADS:
            return _QuadWriter(names)


class _TableWriter:
    """A table for people. The widths of its columns do not depend on the rows, which are not all known."""

    def __init__(self) -> None:
        self._console = Console()
        self._with_heading = True

    def add(self, publication: Publication, report: MatchReport) -> None:
        entry = entry_of(publication)
        when = entry.published_at.strftime("%Y-%m-%d") if entry.published_at else ""
        title, source, ids = map(
            escape_controls, (shorten(entry.title, 500), entry.source or "", ", ".join(report.subscription_ids))
        )
        self._print(lambda table: table.add_row(when, Text(title), Text(source), Text(ids, "cyan")))

    def finish(self) -> None:
        if self._with_heading:
            self._print(lambda table: None)

    def _print(self, add_rows: Callable[[Table], None]) -> None:
        table = Table(box=box.SIMPLE_HEAD, expand=True, show_header=self._with_heading, show_edge=False)
        table.add_column("date", width=10)
        for heading, ratio in (("item", 4), ("from", 2), ("subscriptions", 2)):
            table.add_column(heading, overflow="fold", ratio=ratio)
        add_rows(table)
        self._console.print(table)
        self._with_heading = False


class _LineWriter:
    """JSON lines, one per match."""

    def __init__(self, names: PublicationNames) -> None:
        self._names = names

    def add(self, publication: Publication, report: MatchReport) -> None:
        for line in match_lines(self._names.renamed(publication), report):
            print_limits_of_match(line)
            print_json_line(line)

    def finish(self) -> None:
        pass


class _FeedWriter:
    """An RSS or Atom feed."""

    def __init__(self, format: FeedFormat, names: PublicationNames, header: FeedHeader) -> None:
        self._format, self._names, self._now = format, names, datetime.now(UTC)
        self._opening, self._closing = format.opening_and_closing(header, self._now)

    def add(self, publication: Publication, report: MatchReport) -> None:
        entry = entry_of(self._names.renamed(publication))
        _write_bytes(self._opening + self._format.item_bytes(self._format.item(entry, self._now)))
        self._opening = b""

    def finish(self) -> None:
        _write_bytes(self._opening + self._closing)


class _QuadWriter:
    """N-Quads, one graph per publication."""

    def __init__(self, names: PublicationNames) -> None:
        self._names = names
        self._count = 0

    def add(self, publication: Publication, report: MatchReport) -> None:
        _write_bytes(publication_nquads(self._names.renamed(publication), self._count))
        self._count += 1

    def finish(self) -> None:
        pass


def _write_bytes(data: bytes) -> None:
    sys.stdout.buffer.write(data)
