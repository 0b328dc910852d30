"""Prepare a pipeline on Spark: `gtopss spark` fetches GraphFrames' jars, and fills a spool."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from gtopss.cli.arguments import NOTHING_USABLE, Allow, print_empty_folders, print_message, print_note
from gtopss.errors import GtopssError
from gtopss.extras import require_extra
from gtopss.model.display import counted
from gtopss.net import Connector, FetchState, NotDue
from gtopss.reading.sources import read_sources

if TYPE_CHECKING:
    from gtopss.spark.io.spool import Spool
    from gtopss.spark.io.storage import Storage

spark = typer.Typer(
    help="Download the jars for `gtopss pipeline`, and fill or clean its spool.\n\n"
    "Exit code 0: done. 1: failed, with a message on stderr. 2: wrong usage.",
    no_args_is_help=True,
)


@spark.command("fetch-jars")
def fetch(
    coordinates: Annotated[
        str | None,
        typer.Argument(help="Maven coordinates, group:artifact:version. Default: as in the installed graphframes-py."),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(help="Ivy settings file, for a repository other than Maven Central.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Download again, even if the jar is cached.")] = False,
    within: Annotated[float, typer.Option(min=1, help="Timeout in seconds for each of the two sources.")] = 300,
) -> None:
    """Download the GraphFrames jar and its dependencies into the user's cache, for `pipeline --plan graphframes`.

    If the jar cannot be downloaded by its own coordinates, the copy in Apache Sedona's jar is used, with a message.

    Exit code 0: the jars are on this machine; their paths are printed. 1: they could not be downloaded. 2: wrong usage.
    """
    require_extra("spark", "gtopss spark fetch-jars")
    from gtopss.spark.runtime.graphframes_jars import fetch_jars, find_jars, jars_available

    if coordinates is None and not again and jars_available():
        jars = find_jars()
    else:
        jars = fetch_jars(coordinates, settings=settings, timeout_seconds=within, on_message=print_message)
    for jar in jars:
        typer.echo(jar)


@spark.command("spool")
def fill(
    spool: Annotated[str, typer.Argument(help="Folder that `gtopss pipeline --stream` reads, or its URL.")],
    sources: Annotated[list[str], typer.Argument(help="Feed files, directories, OPML lists, http(s) URLs.")],
    every: Annotated[
        float | None, typer.Option(min=1, help="Repeat after this many seconds, until Ctrl-C. Default: run once.")
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(help="File that records ETags and fetch times. Default: a file in the spool, if it is local."),
    ] = None,
    allow: Allow = None,
) -> None:
    """Copy feeds and documents into a spool, for `gtopss pipeline --stream`. What has not changed is not added again.

    Exit code 0: every source was read. 1: some sources could not be read, each with a message on stderr, and the others
    were added; or the spool or the state cannot be used. 2: no source could be read, or wrong usage.
    """
    print_empty_folders(sources)
    into, folder = _open_spool(spool)
    if folder is None and state is None:
        raise typer.BadParameter(f"the spool {spool} is not a local folder: add --state FILE")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    visits_file = state if state is not None or folder is None else folder / ".visits"
    assert visits_file is not None
    with FetchState(visits_file, exclusive=True) as visits:
        while True:
            done = _fill_once(into, sources, visits, Connector(allow=allow or ()))
            print_note(f"{counted(done.added, 'document')} added to {spool}, which now has {into.latest()}")
            if every is None:
                break
            time.sleep(every)
    if not done.added and not done.unchanged:
        print_message("no source could be read" if done.refused else "nothing was read: the sources have no documents")
        raise typer.Exit(NOTHING_USABLE)
    if done.refused:
        raise typer.Exit(1)


class _Filled(NamedTuple):
    """How many documents were added to a spool, have not changed or are not due, and could not be read."""

    added: int
    unchanged: int
    refused: int


def _fill_once(into: Spool, sources: Sequence[str], visits: FetchState, connector: Connector) -> _Filled:
    added = unchanged = refused = 0
    for document in read_sources(sources, connector=connector, state=visits):
        if isinstance(document.error, NotDue):
            unchanged += 1
            continue
        if document.error is not None:
            print_message(document.error)
            refused += 1
            continue
        if document.unchanged or visits.has_content(document.name, document.data):
            unchanged += 1
        else:
            into.put(document.name, document.data)
            visits.commit_content(document.name, document.data)
            added += 1
        if document.response is not None:
            visits.commit(document.response)
    return _Filled(added, unchanged, refused)


@spark.command("clean")
def clean(
    spool: Annotated[str, typer.Argument(help="The spool, or its URL.")],
    results: Annotated[
        list[str],
        typer.Option("--results", help="The --out folder of a stream that reads the spool. Repeat it for each stream."),
    ],
    keep: Annotated[int, typer.Option(min=0, help="Number of newest documents to keep in any case.")] = 0,
) -> None:
    """Delete the documents of a spool that every stream has processed. Their numbers are not used again.

    Exit code 0: done, even if there was nothing to delete. 1: the spool or the results of a stream do not exist.
    2: wrong usage.
    """
    from gtopss.spark.io.batch_log import BatchLog
    from gtopss.spark.io.storage import LocalStorage, local_path

    into, _ = _open_spool(spool)
    if not into.storage.exists():
        raise GtopssError(f"{spool}: there is no such spool: check the path, or create it with `gtopss spark spool`")
    read = []
    for each in results:
        path = local_path(each)
        out = LocalStorage(path) if path is not None else _remote_storage(each)
        if not BatchLog.exists_in(out):
            raise GtopssError(
                f"{each}: no stream has written results here, so nothing was deleted: give the --out folder of a stream"
            )
        read.append(BatchLog(out).read_through())
    deleted = into.clean(min(read), keep=keep)
    print_note(
        f"{counted(deleted, 'document')} deleted, up to number {min(read)}; {len(into.numbers())} are left in {spool}"
    )


def _open_spool(location: str) -> tuple[Spool, Path | None]:
    """Return a spool, and its path if it is local. Another file system is reached through Spark's JVM."""
    from gtopss.spark.io.spool import Spool
    from gtopss.spark.io.storage import local_path

    path = local_path(location)
    return (Spool(path), path) if path is not None else (Spool(_remote_storage(location)), None)


def _remote_storage(location: str) -> Storage:
    require_extra("spark", location)
    from gtopss.spark.io.storage import open_storage
    from gtopss.spark.runtime.session import spark_session

    return open_storage(spark_session("local[1]"), location)
