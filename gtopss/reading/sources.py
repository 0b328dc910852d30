"""From what a person names (files, directories, OPML, URLs, `-`) to documents.

What cannot be had is a `Document` with its error; the others go on. Feeds named by an OPML file are fetched through
the door like any other URL: a list from a stranger opens nothing that a URL would not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gtopss.errors import GtopssError, MalformedPublication
from gtopss.feeds.opml import read_opml
from gtopss.net import Connector, FetchState, Response, fetch_all
from gtopss.reading.detect import Kind, detect

MAX_BYTES = 256 * 2**20
"""Of one file; what is larger belongs on Spark."""


@dataclass(frozen=True, slots=True)
class Document:
    """Bytes with a name; or why there are none. `response` is to be committed once the items were handled."""

    name: str
    data: bytes = b""
    error: GtopssError | None = None
    response: Response | None = None

    @property
    def unchanged(self) -> bool:
        """The server says that there is nothing new since the last visit."""
        return self.response is not None and self.response.not_modified


def documents(sources: Iterable[str], *, connector: Connector, state: FetchState | None = None) -> Iterator[Document]:
    """Every document that the sources name, files first, then what is fetched, as it comes in."""
    urls: dict[str, None] = {}
    for source in sources:
        if "://" in source:  # what the door does not open, it refuses by name
            urls[source] = None
            continue
        for document in _local(source):
            if document.error is None and detect(document.data, name=document.name) is Kind.OPML:
                try:
                    urls.update(dict.fromkeys(entry.feed_url for entry in read_opml(document.data, source=source)))
                except GtopssError as error:
                    yield Document(document.name, error=error)
            else:
                yield document
    for outcome in fetch_all(urls, connector=connector, state=state) if urls else ():
        if outcome.response is None:
            if not isinstance(outcome.error, GtopssError):
                raise RuntimeError(f"fetching {outcome.url} failed") from outcome.error
            yield Document(outcome.url, error=outcome.error)
        else:
            yield Document(outcome.response.final_url, outcome.response.body, response=outcome.response)


def _local(source: str) -> Iterator[Document]:
    if source == "-":
        yield Document("standard input", sys.stdin.buffer.read(MAX_BYTES))
        return
    path = Path(source)
    if path.is_dir():
        for each in sorted(path.rglob("*")):
            if each.is_file() and not any(part.startswith(".") for part in each.relative_to(path).parts):
                yield _read(each)
    else:
        yield _read(path)


def _read(path: Path) -> Document:
    name = str(path)
    try:
        if path.stat().st_size > MAX_BYTES:
            reason = f"the file is larger than {MAX_BYTES // 2**20} MiB"
            return Document(name, error=MalformedPublication(reason, publication_id=name))
        return Document(name, path.read_bytes())
    except (OSError, ValueError) as error:
        reason = f"the file cannot be read: {getattr(error, 'strerror', None) or error}"
        return Document(name, error=MalformedPublication(reason, publication_id=name))
