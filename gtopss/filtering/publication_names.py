"""Names that tell the publications of one output apart, where two sources use the same id."""

from __future__ import annotations

import hashlib
import sqlite3
from types import TracebackType
from typing import Self

from gtopss.feeds.graph_names import graph_name
from gtopss.feeds.namespaces import GTOPSS
from gtopss.model import Publication


class PublicationNames:
    """Gives each publication the IRI of its id as its name, unless one of another source has that name already.

    The names are in a temporary file, so that any number of them takes no memory.

    >>> with PublicationNames() as names:
    ...     [names.name(Publication("urn:a", [], source=source))[:23] for source in ("x", "y", "x")]
    ['urn:a', 'urn:gtopss:publication:', 'urn:a']
    """

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)  # SQLite deletes a database without a name
        self._database.execute("PRAGMA journal_mode=OFF")
        self._database.execute("CREATE TABLE names (name TEXT PRIMARY KEY, source TEXT NOT NULL) WITHOUT ROWID")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def renamed(self, publication: Publication) -> Publication:
        """Return a publication with its name as its id."""
        name = self.name(publication)
        return publication if name == publication.id else publication.replace(id=name)

    def name(self, publication: Publication) -> str:
        """Return the name of a publication."""
        id, source = graph_name(publication.id), publication.source or ""
        own = name_in_source(id, source)
        if self._owner(own) is not None:
            return own
        self.claim(id, source_digest(source))
        return id if self._owner(id) == source_digest(source) else own

    def claim(self, name: str, source: str) -> None:
        """Give a name to the source with this digest, unless it has an owner."""
        self._database.execute("INSERT OR IGNORE INTO names VALUES (?, ?)", (name, source))

    def _owner(self, name: str) -> str | None:
        found = self._database.execute("SELECT source FROM names WHERE name = ?", (name,)).fetchone()
        return None if found is None else str(found[0])


def source_digest(source: str) -> str:
    """Return a text that stands for a source in files that others read: it does not show local paths."""
    return hashlib.sha256(source.encode("utf-8", "replace")).hexdigest()[:24]


def name_in_source(id: str, source: str) -> str:
    """Return a name for an id that is another publication's in another source."""
    digest = hashlib.sha256("\0".join((source, id)).encode("utf-8", "replace")).hexdigest()
    return f"{GTOPSS}publication:{digest[:24]}"
