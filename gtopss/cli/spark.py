"""`gtopss spark`: what a pipeline needs beside it: GraphFrames' jars, and a spool that is fed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from gtopss.cli.arguments import print_message
from gtopss.errors import GtopssError
from gtopss.net import Connector, FetchState
from gtopss.reading.sources import read_sources

spark = typer.Typer(help="What a pipeline on Spark needs beside it.", no_args_is_help=True)


@spark.command("fetch-jars")
def fetch(
    coordinates: Annotated[
        str | None, typer.Argument(help="group:artifact:version; the installed graphframes-py's, unless named here.")
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(help="Ivy's settings, where jars do not come from Maven Central.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Look for it again, though one is here.")] = False,
    within: Annotated[float, typer.Option(min=1, help="Seconds that each of two places may take to answer.")] = 300,
) -> None:
    """Fetch GraphFrames' JVM part, with what it depends on, into this user's cache; `--plan graphframes` needs it.

    Where it cannot be had under its own name, a republished copy is taken, and said to be.
    """
    try:
        from gtopss.spark.runtime.graphframes_jars import fetch_jars, find_jars, jars_available
    except ImportError as error:
        raise GtopssError(f"this needs PySpark: pip install gtopss[spark] ({error})") from error
    if coordinates is None and not again and jars_available():
        jars = find_jars()
    else:
        jars = fetch_jars(coordinates, settings=settings, seconds=within, tell=print_message)
    for jar in jars:
        typer.echo(jar)


@spark.command("spool")
def fill(
    spool: Annotated[Path, typer.Argument(help="The directory that `gtopss pipeline --stream` reads.")],
    sources: Annotated[list[str], typer.Argument(help="Feed files, directories, OPML lists, http(s) URLs.")],
    every: Annotated[
        float | None, typer.Option(min=1, help="Go round again after so many seconds, until Ctrl-C.")
    ] = None,
    state: Annotated[
        Path | None, typer.Option(help="Remember ETags and visits in this file; in the spool, unless named here.")
    ] = None,
    allow: Annotated[
        list[str] | None, typer.Option(help="A host, host:port or network that may be fetched though it is private.")
    ] = None,
) -> None:
    """Fetch feeds into a spool. A feed that has not changed is not put again."""
    from gtopss.spark.io.spool import Spool

    into = Spool(spool)
    with FetchState(state or spool / ".visits") as visits:
        while True:
            put = 0
            for document in read_sources(sources, connector=Connector(allow=allow or ()), state=visits):
                if document.error is not None:
                    print_message(document.error)
                elif not document.unchanged:
                    into.put(document.name, document.data)
                    put += 1
                    if document.response is not None:
                        visits.commit(document.response)
            print_message(f"{put} documents put into {spool}, which has {into.latest()}")
            if every is None:
                return
            time.sleep(every)
