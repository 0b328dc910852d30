"""Read documents one after the other and match their items in batches, as one pass in constant memory."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.feeds.identity import content_digest
from gtopss.feeds.repair import Ending
from gtopss.filtering.seen_items import SeenItems
from gtopss.model import MatchReport, Publication
from gtopss.model.term_text import escape_controls
from gtopss.net import FetchState, NotDue, Response
from gtopss.reading.documents import ParsedDocument
from gtopss.reading.sources import SourceDocument

_log = logging.getLogger("gtopss.filtering")

ReadDocument = Callable[[SourceDocument], ParsedDocument]


@dataclass(slots=True)
class RunCounts:
    """What a run has done so far."""

    documents: int = 0
    failed: int = 0
    """Documents that could not be loaded or read."""
    waiting: int = 0
    """Feeds that were not fetched, because it was too early: the server asked for a pause, or failed recently."""
    items: int = 0
    new: int = 0
    """Items that no earlier run has read. All of them, without a state."""
    matched: int = 0
    """Items that matched some subscription."""
    matches: int = 0

    @property
    def nothing_was_readable(self) -> bool:
        """Whether all documents failed, or there was none: an empty directory, a list without feeds."""
        return self.failed == self.documents

    @property
    def why_nothing_was_readable(self) -> str:
        if self.documents:
            return "no source could be read"
        return "nothing was read: the sources have no documents"


def _ignore(warning: str) -> None:
    pass


@dataclass(slots=True)
class FilterRun:
    """One run over all sources.

    `reports` yields every new item with its report; call `commit` when the output is written. `read` turns a loaded
    document into publications and may raise any GtopssError; `on_error` gets these errors. `on_warning` gets one line
    for each document that had to be repaired.
    """

    engine: Engine
    read: ReadDocument
    on_error: Callable[[GtopssError], object]
    seen: SeenItems | None = None
    changed_too: bool = False
    on_warning: Callable[[str], object] = _ignore
    counts: RunCounts = field(default_factory=RunCounts)
    _responses: list[Response] = field(default_factory=list)
    _unread: set[str] = field(default_factory=set)

    def reports(self, documents: Iterable[SourceDocument]) -> Iterator[tuple[Publication, MatchReport]]:
        """Yield each new item with its report. Reads at most one batch of the engine ahead of what it yields."""
        sent: deque[Publication] = deque()

        def publications() -> Iterator[Publication]:
            for document in documents:
                for publication in self._new_items(document):
                    sent.append(publication)
                    yield publication

        for report in self.engine.match_many(publications()):
            self.counts.matched += bool(report.matches)
            self.counts.matches += len(report.matches)
            yield sent.popleft(), report

    def commit(self, state: FetchState) -> None:
        """Remember what was read. To be called only when the output is written, so that nothing is lost by a crash."""
        if self.seen is not None:
            self.seen.commit(self._unread)
        for response in self._responses:
            state.commit(response)

    def _new_items(self, document: SourceDocument) -> Iterator[Publication]:
        """Yield the items of a document that no earlier run has read. An error is reported, and there are none."""
        counts = self.counts
        counts.documents += 1
        feed = document.name if document.response is None else document.response.url
        try:
            if document.error is not None:
                raise document.error
            read = None if document.unchanged else self.read(document)
        except NotDue:
            counts.waiting += 1
            self._unread.add(feed)
            return
        except GtopssError as error:
            counts.failed += 1
            self._unread.add(feed)
            self.on_error(error)
            return
        items = () if read is None else read.publications
        is_cut_off = read is not None and read.ending is not Ending.COMPLETE
        if is_cut_off:
            self._unread.add(feed)  # nobody knows which items it lists
        left_out = self.seen is not None and read is not None and read.ending is Ending.IN_ITEM
        if read is not None and read.warnings:
            more = ", which is left for a run that finds it complete" if left_out else ""
            self.on_warning(escape_controls(f"{document.name}: {'; '.join(read.warnings)}{more}"))
        if document.response is not None:
            response = replace(document.response, body=b"")  # the bodies of all feeds need not fit
            if is_cut_off:
                response = replace(response, validators=None)  # the server has to send the rest
            self._responses.append(response)
        if document.unchanged and self.seen is not None:
            self.seen.still_lists_its_items(feed)
        counts.items += len(items)
        _log.info("%s: %s", document.name, "not changed" if document.unchanged else f"{len(items)} items")
        for publication in items[: len(items) - left_out]:
            if self._is_new(feed, publication):
                counts.new += 1
                yield publication

    def _is_new(self, feed: str, publication: Publication) -> bool:
        if self.seen is None:
            return True
        digest = content_digest(publication.triples)
        return self.seen.is_new(feed, publication.id, digest, or_changed=self.changed_too)
