"""`gtopss publish`: send documents to a broker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gtopss.cli.arguments import (
    NOTHING_USABLE,
    Allow,
    ReasonerName,
    errors_end_command,
    print_empty_folders,
    print_json_line,
    print_message,
    require_ontology,
)
from gtopss.cli.service_access import KeyFile, StoreOntology, StoreUrl, Url, open_client, service_of, to_json
from gtopss.errors import GtopssError

if TYPE_CHECKING:
    from gtopss.client import Client, PublishResult
    from gtopss.reading.sources import SourceDocument


@errors_end_command()
def publish(
    sources: Annotated[
        list[str],
        typer.Argument(help="Files, directories, OPML lists, http(s) URLs of feeds, or - for standard input."),
    ],
    media_type: Annotated[
        str | None,
        typer.Option("--type", help="Media type of the documents, such as text/turtle. Default: detected."),
    ] = None,
    id: Annotated[
        str | None, typer.Option("--id", help="Id of the publication, for a document that is a single publication.")
    ] = None,
    allow: Allow = None,
    url: Url = None,
    store: StoreUrl = None,
    key_file: KeyFile = None,
    ontology: StoreOntology = None,
    reasoner: ReasonerName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object per document.")] = False,
) -> None:
    """Publish RDF documents and feeds to a broker. Each item of a feed is one publication.

    One line is printed for each document, after the broker has stored it. Publications that the broker already has are
    reported as published before, and are not matched again.

    Examples:  gtopss publish news.rss data/feeds https://site.example/feed

               echo '<urn:a> <urn:b> "c" .' | gtopss publish - --type text/turtle

    Exit code 0: everything was published. 1: a document was refused, and the others were published. 2: no document
    could be published, no service answers, or wrong usage.
    """
    from gtopss.net import Connector
    from gtopss.reading.sources import read_sources

    require_ontology(ontology, reasoner)
    accepted = refused = 0
    print_empty_folders(sources)
    with open_client(service_of(url, store), key_file, ontology, reasoner) as client:
        for document in read_sources(sources, connector=Connector(allow=allow or ())):
            try:
                result = _publish(client, document, media_type, id)
            except GtopssError as error:
                if _ends_command(error):
                    raise
                refused += 1
                _show_error(document.name, error, as_json=as_json)
            else:
                accepted += 1
                _show(document.name, result, as_json=as_json)
    if not accepted:
        print_message("no document was published")
        raise typer.Exit(NOTHING_USABLE)
    if refused:
        raise typer.Exit(1)


def _publish(client: Client, document: SourceDocument, media_type: str | None, id: str | None) -> PublishResult:
    if document.error is not None:
        raise document.error
    source = document.name if document.response is not None else document.base
    return client.publish(document.data, media_type, id=id, source=source).results[0]


def _ends_command(error: GtopssError) -> bool:
    """Return whether the next document would fail in the same way: it is not about this one."""
    from gtopss.broker.errors import InvalidKey, NotPermitted, StoreError
    from gtopss.client import InvalidResponse, RequestRefused, ServiceUnreachable

    if isinstance(error, RequestRefused):
        return error.status not in (413, 415, 422)
    return isinstance(error, (ServiceUnreachable, InvalidResponse, InvalidKey, NotPermitted, StoreError))


def _show(name: str, result: PublishResult, *, as_json: bool) -> None:
    new = [each for each in result.publications if not each.duplicate]
    duplicates = len(result.publications) - len(new)
    if as_json:
        listed = [to_json(each) for each in result.publications]
        print_json_line({"document": name, "publications": listed, "warnings": list(result.warnings), "error": None})
        return
    for warning in result.warnings:
        print_message(f"{name}: {warning}")
    typer.echo(f"{name}: {len(new)} published" + (f", {duplicates} published before" if duplicates else ""))


def _show_error(name: str, error: GtopssError, *, as_json: bool) -> None:
    print_message(f"{name} was refused: {error}")
    if as_json:
        print_json_line({"document": name, "publications": [], "warnings": [], "error": str(error)})
