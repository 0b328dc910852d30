"""A file that keeps the last matched items of all runs: an Atom or RSS feed, or JSON lines.

The file itself holds what is kept: each run reads it, adds its items and replaces it. An item that is already there is
replaced at its place. Nothing is written if nothing changed, so the feed's date changes only with its content.

If there are too many items, those of the file that this run did not find go first, in the order of the file, then the
oldest ones that it found. So a run that finds the same items again, which happens without a state, keeps the same ones.
"""

from __future__ import annotations

import datetime as dt
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gtopss.atomic_files import write_atomically
from gtopss.errors import OutputNotWritable
from gtopss.feeds.entries import entry_of
from gtopss.feeds.graph_names import graph_name
from gtopss.feeds.writing import FeedFormat, FeedHeader, NotThisFormat
from gtopss.filtering.match_lines import match_lines
from gtopss.filtering.publication_names import PublicationNames, source_digest
from gtopss.model import MatchReport, Publication

DEFAULT_KEPT_ITEMS = 100

_LONG_AGO = dt.datetime.min.replace(tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True)
class KeptItem:
    """An item as it stands in the file."""

    id: str
    source: str
    """The digest of its source; empty if the file does not have it."""
    content: bytes


class KeptFormat(ABC):
    """What a format of kept files must be able to do."""

    @abstractmethod
    def read(self, data: bytes) -> tuple[list[KeptItem], bytes]:
        """Return the items of a file, oldest first, and its header. Raise NotThisFormat."""

    @abstractmethod
    def make(self, publication: Publication, report: MatchReport, now: dt.datetime) -> KeptItem:
        """Return the item of a publication. `now` is the time of one that has none."""

    @abstractmethod
    def made_at(self, item: KeptItem) -> dt.datetime | None:
        """Return the time in an item that may be the time when it was made."""

    @abstractmethod
    def header(self) -> bytes:
        """Return the header that a file of now has."""

    @abstractmethod
    def write(self, items: Iterable[KeptItem], now: dt.datetime) -> bytes:
        """Return a file with these items, oldest first."""


class KeptFile:
    """The items of a file and those of this run. Call `add` for each matched item, then `write`."""

    def __init__(
        self,
        path: Path,
        format: KeptFormat,
        *,
        keep: int = DEFAULT_KEPT_ITEMS,
        clock: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
    ) -> None:
        """Read the file, if there is one. Raise OutputNotWritable if something else is in it: it is not replaced."""
        self.path, self._format, self._keep, self._now = path, format, keep, clock()
        self._old_header: bytes | None = None
        self._items: dict[str, KeptItem] = {}
        self._read: list[KeptItem] = []
        self._new: dict[str, KeptItem] = {}
        self._found: dict[str, tuple[dt.datetime, int]] = {}
        """The time of each item in `_items` and `_new` that this run found, and its number in the order of the run."""
        self._count = 0
        try:
            if path.exists():
                data = path.read_bytes()
                items, self._old_header = format.read(data) if data else ([], b"")
                self._read = items
                self._items = {each.id: each for each in items}
        except OSError as error:
            raise OutputNotWritable(path, error.strerror or str(error)) from error
        except NotThisFormat as error:
            reason = (
                f"it is not a file that this command wrote in this format ({error}), so it is not replaced: "
                "move it away, or choose another name"
            )
            raise OutputNotWritable(path, reason) from None
        self._names = PublicationNames()
        for each in self._read:
            if each.source:
                self._names.claim(each.id, each.source)

    def add(self, publication: Publication, report: MatchReport) -> None:
        """Add a matched item, or replace what the file has of it."""
        publication = self._names.renamed(publication)
        item = self._format.make(publication, report, self._now)
        other = self._items.get(item.id)
        when = publication.published_at or self._now
        self._count += 1
        self._found[item.id] = when if when.tzinfo else when.replace(tzinfo=dt.UTC), self._count
        if other is None:
            self._new[item.id] = item
            if len(self._new) > 2 * self._keep:
                self._forget_oldest()
        elif item.content != other.content:
            made_at = self._format.made_at(other)  # an item without a date keeps the date that it was given
            if made_at is None or self._format.make(publication, report, made_at).content != other.content:
                self._items[item.id] = item

    def write(self) -> bool:
        """Replace the file, and return True; do nothing if it would say the same."""
        not_found = [id for id in self._items if id not in self._found]
        newest = {*[*not_found, *self._by_time(self._found)][-self._keep :]}
        items = {**self._items, **{id: self._new[id] for id in self._by_time(self._new)}}
        kept = [item for id, item in items.items() if id in newest]
        if kept == self._read and self._old_header == self._format.header():
            return False
        write_atomically(self.path, self._format.write(kept, self._now))
        return True

    def _forget_oldest(self) -> None:
        """Forget the new items that are too old to be kept, so that a run of any length takes the same memory."""
        for id in self._by_time(self._new)[: -self._keep]:
            del self._new[id], self._found[id]

    def _by_time(self, ids: Iterable[str]) -> list[str]:
        """Return the ids of items that this run found, oldest first. The last one found is the newest of a time."""
        return sorted(ids, key=self._found.__getitem__)


class KeptFeed(KeptFormat):
    """An Atom or RSS feed, newest items first."""

    def __init__(self, format: FeedFormat, header: FeedHeader, *, keep_id: bool = False) -> None:
        """With `keep_id`, the id in the header is for a new file; an existing file keeps the id that it has."""
        self._feed, self._header, self._keep_id = format, header, keep_id

    def read(self, data: bytes) -> tuple[list[KeptItem], bytes]:
        root, elements = self._feed.read_items(data)
        if self._keep_id and (id := self._feed.feed_id(root)):
            self._header = replace(self._header, id=id)
        items = [
            KeptItem(
                graph_name(self._feed.item_id(each) or ""),
                self._feed.item_document(each),
                self._feed.item_bytes(each),
            )
            for each in reversed(elements)
        ]
        return items, self._feed.header_of(root)

    def make(self, publication: Publication, report: MatchReport, now: dt.datetime) -> KeptItem:
        element = self._feed.item(entry_of(publication), now)
        digest = source_digest(publication.source or "")
        self._feed.add_document(element, digest)
        return KeptItem(graph_name(publication.id), digest, self._feed.item_bytes(element))

    def made_at(self, item: KeptItem) -> dt.datetime | None:
        return self._feed.time_of(item.content)

    def header(self) -> bytes:
        whole = self._feed.to_bytes(self._header, (), _LONG_AGO)
        return self._feed.header_of(self._feed.read_items(whole)[0])

    def write(self, items: Iterable[KeptItem], now: dt.datetime) -> bytes:
        opening, closing = self._feed.opening_and_closing(self._header, now)
        return b"".join((opening, *(each.content for each in reversed([*items])), closing))


class KeptLines(KeptFormat):
    """JSON lines, newest items last. An item has a line for each subscription that it matched."""

    def read(self, data: bytes) -> tuple[list[KeptItem], bytes]:
        items: dict[str, KeptItem] = {}
        for line in data.splitlines(keepends=True):
            try:
                read: Any = json.loads(line)
                id, source = str(read["publication"]), source_digest(str(read["source"] or ""))
            except (ValueError, TypeError, KeyError):
                raise NotThisFormat(f"its line {line[:40].decode('utf-8', 'replace')!r} is no match") from None
            before = items.get(id, KeptItem(id, source, b""))
            items[id] = replace(before, content=before.content + line.rstrip(b"\r\n") + b"\n")
        return [*items.values()], b""

    def make(self, publication: Publication, report: MatchReport, now: dt.datetime) -> KeptItem:
        lines = (json.dumps(each, ensure_ascii=False) + "\n" for each in match_lines(publication, report))
        content = "".join(lines).encode("utf-8", "backslashreplace")
        return KeptItem(graph_name(publication.id), source_digest(publication.source or ""), content)

    def made_at(self, item: KeptItem) -> dt.datetime | None:
        return None

    def header(self) -> bytes:
        return b""

    def write(self, items: Iterable[KeptItem], now: dt.datetime) -> bytes:
        return b"".join(each.content for each in items)
