"""SQLite's full-text search turned around: the subscriptions are the documents, and a title is the query."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from gtopss.experiments.peers.needle_conjunctions import declined_without_needles, read_needles, title_of
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Subscription
from ontology import Taxonomy

_WORD = re.compile(r"[a-z]+")


class SQLiteFullText:
    """Find the subscriptions that have some word of the title, and test their other words."""

    name = "SQLite FTS5"
    tuning = "in memory, detail=none; the needles of a subscription are a document, the words of a title an OR query"

    def declines(self, workload: Workload) -> str | None:
        return declined_without_needles(workload)

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy) -> None:
        read = read_needles(subscriptions)
        self._ids = [each.id for each in read]
        self._needles = [frozenset(each.needles) for each in read]
        self._database = sqlite3.connect(":memory:", isolation_level=None)
        self._database.execute("CREATE VIRTUAL TABLE needles USING fts5(words, content='', detail=none)")
        self._database.execute("BEGIN")
        rows = ((row, " ".join(each.needles)) for row, each in enumerate(read))
        self._database.executemany("INSERT INTO needles (rowid, words) VALUES (?, ?)", rows)
        self._database.execute("COMMIT")
        self._database.execute("INSERT INTO needles (needles) VALUES ('optimize')")

    def match_many(self, publications: Sequence[Publication]) -> Iterator[list[str]]:
        return map(self._match, publications)

    def _match(self, publication: Publication) -> list[str]:
        words = set(_WORD.findall(title_of(publication)))
        query = " OR ".join(f'"{word}"' for word in words)
        rows = self._database.execute("SELECT rowid FROM needles WHERE needles MATCH ?", (query,))
        return [self._ids[row] for (row,) in rows if self._needles[row] <= words]
