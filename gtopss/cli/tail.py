"""`gtopss tail`: follow the matches of a subscription."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from gtopss.cli.arguments import print_message
from gtopss.cli.service_access import (
    AsJson,
    StoreUrl,
    Ticket,
    UrlOfSubscription,
    is_store,
    located,
    open_client,
    print_data,
)

if TYPE_CHECKING:
    from gtopss.client import Client, Notification


def tail(
    id: Annotated[str, typer.Argument(help="The id of the subscription.")],
    last: Annotated[int, typer.Option("--last", "-n", min=0, help="Number of past notifications to print first.")] = 10,
    after: Annotated[
        int | None, typer.Option(min=0, help="Start after the notification with this number, instead of --last.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow/--no-follow", help="Keep waiting for new notifications.")] = True,
    ticket: Ticket = None,
    url: UrlOfSubscription = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Print the matches of a subscription as they arrive: number, title, link and explanation.

    The command ends when the subscription expires or is deleted, or with Ctrl-C. If the connection is lost, it
    reconnects and continues with the next notification. With --store, it prints the stored notifications and ends.

    Exit code 0: the subscription has ended, or, with --no-follow or --store, its notifications were printed. 1: no such
    subscription, or no service answers. 2: wrong usage.
    """
    kept = located(id, ticket, url, store)
    follow = follow and not is_store(kept.service)
    with open_client(kept.service) as client:
        begin = _begin(client, id, kept.ticket, last) if after is None else after
        found = client.follow(id, kept.ticket, after=begin) if follow else _retained(client, id, kept.ticket, begin)
        for each in found:
            _show(each, as_json=as_json)
            if each.kind == "expired":
                break
        else:
            if follow:
                print_message(f"the subscription {id} no longer exists: it has expired or was deleted")


def _begin(client: Client, id: str, ticket: str, last: int) -> int:
    """Return the number after which the last notifications begin."""
    from gtopss.broker.errors import InvalidTicket

    try:
        return max(0, client.subscription(id, ticket).notifications - last)
    except InvalidTicket:  # an expired subscription can still be read for a while, from its beginning
        return 0


def _retained(client: Client, id: str, ticket: str, after: int) -> Iterator[Notification]:
    """Yield all notifications that are retained now."""
    while (page := client.matches(id, ticket, after=after)).notifications:
        yield from page.notifications
        after = page.next_after


def _show(found: Notification, *, as_json: bool) -> None:
    if as_json:
        print_data(found)
    else:
        from gtopss.model.term_text import escape_controls

        typer.echo(f"{found.sequence:>4}  {escape_controls(_title(found))}")
        if found.link:
            typer.echo(f"      {escape_controls(found.link)}")
        for line in (found.why or "").splitlines():
            typer.echo(f"      {escape_controls(line)}")
    sys.stdout.flush()


def _title(found: Notification) -> str:
    if found.kind == "expiring":
        return f"{found.title}: gtopss renew {found.subscription}"
    return found.title
