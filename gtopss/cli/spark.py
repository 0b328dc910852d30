"""Prepare a pipeline on Spark: `gtopss spark` fetches GraphFrames' jars, and fills a spool."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from gtopss.cli.arguments import print_message
from gtopss.errors import GtopssError
from gtopss.net import Connector, FetchState
from gtopss.reading.sources import read_sources

spark = typer.Typer(help="Fetch the jars of a Spark pipeline, and fill its spool.", no_args_is_help=True)


@spark.command("fetch-jars")
def fetch(
    coordinates: Annotated[
        str | None, typer.Argument(help="group:artifact:version. Default: those of the installed graphframes-py.")
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(help="Ivy settings file, if jars do not come from Maven Central.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Fetch again, even if the jar is cached.")] = False,
    within: Annotated[float, typer.Option(min=1, help="Timeout in seconds for each of the two places.")] = 300,
) -> None:
    """Fetch GraphFrames' JVM part and its dependencies into the user's cache, for `--plan graphframes`.

    If it cannot be fetched under its own coordinates, a copy from Apache Sedona's jar is used, and a line says so.
    """
    try:
        from gtopss.spark.runtime.graphframes_jars import fetch_jars, find_jars, jars_available
    except ImportError as error:
        raise GtopssError(f"this needs PySpark: pip install gtopss[spark] ({error})") from error
    if coordinates is None and not again and jars_available():
        jars = find_jars()
    else:
        jars = fetch_jars(coordinates, settings=settings, timeout_seconds=within, on_message=print_message)
    for jar in jars:
        typer.echo(jar)


@spark.command("spool")
def fill(
    spool: Annotated[Path, typer.Argument(help="The directory that `gtopss pipeline --stream` reads.")],
    sources: Annotated[list[str], typer.Argument(help="Feed files, directories, OPML lists, http(s) URLs.")],
    every: Annotated[
        float | None, typer.Option(min=1, help="Fetch again after this many seconds, until Ctrl-C.")
    ] = None,
    state: Annotated[
        Path | None, typer.Option(help="File for ETags and times of fetches. Default: in the spool.")
    ] = None,
    allow: Annotated[
        list[str] | None, typer.Option(help="A private host, host:port or network that may be fetched.")
    ] = None,
) -> None:
    """Fetch feeds into a spool. A feed that has not changed is not added again."""
    from gtopss.spark.io.spool import Spool

    into = Spool(spool)
    with FetchState(state or spool / ".visits", exclusive=True) as visits:
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
            print_message(f"{put} documents added to {spool}, which now has {into.latest()}")
            if every is None:
                return
            time.sleep(every)
