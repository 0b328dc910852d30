"""Load the documents that a user names: files, directories, OPML lists, URLs, and `-` for standard input.

A document that cannot be loaded is a `SourceDocument` with an error; the others are still loaded. The feeds of an OPML
file are downloaded with the same connector as any other URL, so an untrusted list reaches nothing that a URL could not.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gtopss.errors import GtopssError, MalformedPublication
from gtopss.feeds.opml import read_opml
from gtopss.net import Connector, FetchState, InvalidURL, Response, fetch_all
from gtopss.reading.detect import DocumentKind, detect
from gtopss.reading.files import STANDARD_INPUT, file_iri, file_name, load_bytes, load_input

_log = logging.getLogger("gtopss.reading")


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """The bytes and the name of a document, or the error that prevented loading it.

    `base` is the IRI of a file. Commit `response` to the fetch state once the items were handled.
    """

    name: str
    data: bytes = b""
    error: GtopssError | None = None
    response: Response | None = None
    base: str | None = None

    @property
    def unchanged(self) -> bool:
        """Whether the server answered that the document has not changed since the last fetch."""
        return self.response is not None and self.response.not_modified


def read_sources(
    sources: Iterable[str],
    *,
    connector: Connector,
    state: FetchState | None = None,
    left_out: Iterable[Path] = (),
) -> Iterator[SourceDocument]:
    """Yield every document that the sources name: first files, then downloads in order of completion.

    What is named twice is read once. `left_out` are files that are not read where a directory has them, such as the
    caller's own output.
    """
    urls: dict[str, str] = {}
    read = {os.path.abspath(path) for path in left_out}
    for source in sources:
        if "://" in source:  # the connector refuses other schemes with a clear error
            urls.setdefault(_address(source), source)
            continue
        for document in _read_local(source, read):
            if document.error is None and detect(document.data, name=document.name) is DocumentKind.OPML:
                try:
                    for entry in read_opml(document.data, source=source):
                        if "://" in entry.feed_url:
                            urls.setdefault(_address(entry.feed_url), entry.feed_url)
                        else:
                            reason = f"{source} may only name http(s) URLs: give a file as a source of its own"
                            yield SourceDocument(entry.feed_url, error=InvalidURL(entry.feed_url, reason))
                except GtopssError as error:
                    yield SourceDocument(document.name, error=error)
            else:
                yield document
    if urls:
        yield from _download(urls.values(), connector, state)


def empty_folders(sources: Iterable[str]) -> list[str]:
    """Return which of the sources are folders without a file to read. Those that cannot be read are not among them."""
    return [each for each in sources if os.path.isdir(each) and _contents(Path(each)) == ([], [])]


def _contents(folder: Path) -> tuple[list[Path], list[OSError]]:
    """Return the files below a folder, except hidden ones, in the order of their names; and what cannot be listed."""
    errors: list[OSError] = []
    found: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=errors.append):
        folders[:] = (each for each in folders if not each.startswith("."))
        found += (Path(place, each) for each in names if not each.startswith("."))
    return [each for each in sorted(found) if _may_be_file(each)], errors


def _may_be_file(path: Path) -> bool:
    """Return whether a path is a file, or nobody can tell: reading it then says why."""
    try:
        return path.is_file()
    except PermissionError:
        return True


def _address(url: str) -> str:
    """Return a URL with its scheme and host in lower case, to find URLs that differ in nothing else."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme.lower()}://{host if '@' in host else host.lower()}{slash}{path}"


def _download(urls: Iterable[str], connector: Connector, state: FetchState | None) -> Iterator[SourceDocument]:
    for result in fetch_all(urls, connector=connector, state=state):
        if result.response is not None:
            _log.info("%s: status %d, %d bytes", result.url, result.response.status, len(result.response.body))
            yield SourceDocument(result.response.final_url, result.response.body, response=result.response)
        elif isinstance(result.error, GtopssError):
            yield SourceDocument(result.url, error=result.error)
        else:
            raise RuntimeError(f"fetching {result.url} failed") from result.error


def _read_local(source: str, read: set[str]) -> Iterator[SourceDocument]:
    """Yield standard input, a file, or all files below a directory except hidden ones and those in `read`.

    The files that are yielded are added to `read`.
    """
    if source == "-":
        yield _load(STANDARD_INPUT, lambda: load_input(Path(source)))
        return
    path = Path(source)
    if os.path.isdir(path):
        files, errors = _contents(path)
        for error in errors:
            reason = f"the folder cannot be read: {error.strerror or error}"
            name = file_name(Path(error.filename or path))
            yield SourceDocument(name, error=MalformedPublication(reason, publication_id=name))
        for each in files:
            if os.path.abspath(each) not in read:
                read.add(os.path.abspath(each))
                yield _read_file(each)
    elif os.path.abspath(path) not in read:
        read.add(os.path.abspath(path))
        yield _read_file(path)


def _read_file(path: Path) -> SourceDocument:
    return _load(file_name(path), lambda: load_bytes(path), file_iri(path))


def _load(name: str, read: Callable[[], bytes], base: str | None = None) -> SourceDocument:
    try:
        return SourceDocument(name, read(), base=base)
    except MalformedPublication as error:
        return SourceDocument(name, error=error)
