"""`gtopss feeds`: the feeds that a broker polls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gtopss.cli.arguments import print_json_line, print_message, print_note
from gtopss.cli.service_access import (
    AsJson,
    KeyFile,
    StoreUrl,
    Url,
    open_client,
    print_data,
    service_of,
    shown_time,
)

if TYPE_CHECKING:
    from gtopss.client.models import FeedPush

feeds = typer.Typer(
    help="List, add and remove the feeds that a broker polls. Without a command, list them.\n\n"
    "Exit code 0: done. 1: refused, or no service answers. 2: wrong usage.",
    invoke_without_command=True,
)
Address = Annotated[str, typer.Argument(help="URL of a feed.")]


@feeds.callback()
def _without_command(
    context: typer.Context,
    url: Url = None,
    store: StoreUrl = None,
    key_file: KeyFile = None,
    as_json: AsJson = False,
) -> None:
    if context.invoked_subcommand is None:
        list_feeds(url, store, key_file, as_json)


@feeds.command("list")
def list_feeds(url: Url = None, store: StoreUrl = None, key_file: KeyFile = None, as_json: AsJson = False) -> None:
    """List the polled feeds, with the time of the last successful poll, the items per day and the last error.

    Exit code 0: listed. 1: no service answers, or it refuses. 2: wrong usage.
    """
    with open_client(service_of(url, store), key_file) as client:
        found = client.feeds()
    for each in found:
        if as_json:
            print_data(each)
            continue
        state = f"failing ({each.failures}): {each.last_error}" if each.last_error else "working"
        typer.echo(
            f"{each.url}\n    {state}; read {shown_time(each.last_success_at)}; {each.items_per_day:g} items a day"
            f"{push_line(each.push)}"
        )
    if not found and not as_json:
        print_note("no feeds are polled; add one with `gtopss feeds add URL`")


def push_line(push: FeedPush | None) -> str:
    """Return what the hub of a feed does, on a line of its own; nothing if there is none."""
    if push is None:
        return ""
    error = f": {push.error}" if push.error else ""
    return f"\n    {push.state} by {push.hub}; {push.pushes} pushes, {push.polls_saved:.0f} polls saved{error}"


@feeds.command("add")
def add_feed(
    address: Annotated[str, typer.Argument(help="URL of a feed, or of a web page that links to its feed.")],
    url: Url = None,
    store: StoreUrl = None,
    key_file: KeyFile = None,
    as_json: AsJson = False,
) -> None:
    """Add a feed to the polled feeds. It is read immediately, and its items are published.

    Exit code 0: added, or polled already. 1: refused, or no service answers. 2: wrong usage.
    """
    from gtopss.net import BlockedAddress  # imports the HTTP client

    with open_client(service_of(url, store), key_file) as client:
        try:
            added = client.add_feed(address)
        except BlockedAddress:
            print_message("--allow, which the next message names, is an option of `gtopss serve`")
            raise
    if as_json:
        print_data(added)
    else:
        typer.echo(f"{added.url}: {added.items} items published" if added.is_new else f"{added.url} is polled already")


@feeds.command("remove")
def remove_feed(
    address: Address, url: Url = None, store: StoreUrl = None, key_file: KeyFile = None, as_json: AsJson = False
) -> None:
    """Stop polling a feed. Its publications stay in the store.

    Exit code 0: removed. 1: refused, or no service answers. 2: wrong usage.
    """
    with open_client(service_of(url, store), key_file) as client:
        client.remove_feed(address)
    if as_json:
        print_json_line({"url": address, "removed": True})
    else:
        typer.echo(f"{address} is no longer polled")


@feeds.command("import")
def import_feeds(
    opml: Annotated[Path, typer.Argument(help="OPML file, or - for standard input.")],
    url: Url = None,
    store: StoreUrl = None,
    key_file: KeyFile = None,
    as_json: AsJson = False,
) -> None:
    """Add all feeds of an OPML file to the polled feeds. Each is read within half an hour.

    Exit code 0: all were added. 1: some were refused, or no service answers. 2: wrong usage.
    """
    from gtopss.reading.files import load_input  # imports the readers: slow

    with open_client(service_of(url, store), key_file) as client:
        done = client.import_opml(load_input(opml))
    for each in done.refused:
        print_message(f"{each.url} was refused: {each.reason}")
    if as_json:
        print_data(done)
    else:
        typer.echo(f"{done.added} added, {done.known} polled already, {len(done.refused)} refused")
    if done.refused:
        raise typer.Exit(1)


@feeds.command("export")
def export_feeds(url: Url = None, store: StoreUrl = None, key_file: KeyFile = None) -> None:
    """Print the polled feeds as an OPML file.

    Exit code 0: printed. 1: no service answers, or it refuses. 2: wrong usage.
    """
    with open_client(service_of(url, store), key_file) as client:
        typer.echo(client.export_opml(), nl=False)
