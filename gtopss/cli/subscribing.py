"""`gtopss subscribe`, `unsubscribe`, `renew` and `list`: the subscriptions of this user at a service or in a store."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gtopss.cli.arguments import ReasonerName, print_json_line, print_message, require_ontology
from gtopss.cli.service_access import (
    AsJson,
    KeyFile,
    StoreUrl,
    Ticket,
    Url,
    is_store,
    located,
    open_client,
    print_data,
    service_of,
    shown_time,
    to_json,
)
from gtopss.cli.ticket_file import KeptTicket, TicketFile

if TYPE_CHECKING:
    from gtopss.client import NewSubscription

MAX_SHOWN_QUERY_CHARACTERS = 70


def subscribe(
    text: Annotated[
        str,
        typer.Argument(
            help="A subscription in the short form, such as 'topic:health -sponsored', a .rq file, or - for a query "
            "from standard input."
        ),
    ],
    validity: Annotated[
        str | None, typer.Option(help="How long it is valid: 12h, 7d, 2w. Default: a day; `gtopss renew` prolongs it.")
    ] = None,
    webhook: Annotated[list[str] | None, typer.Option(help="Push matches to this URL. Repeat it for several.")] = None,
    email: Annotated[list[str] | None, typer.Option(help="Push matches to this e-mail address.")] = None,
    digest: Annotated[str | None, typer.Option(help="Join the matches of each period, such as 1h, into one.")] = None,
    at_most: Annotated[int | None, typer.Option(min=1, help="Deliveries a day; more matches are joined.")] = None,
    join_articles: Annotated[
        bool, typer.Option("--join-articles", help="Notify once of an article that several feeds have.")
    ] = False,
    backfill: Annotated[bool, typer.Option("--backfill", help="Notify of matching items of the past, too.")] = False,
    url: Url = None,
    store: StoreUrl = None,
    key_file: KeyFile = None,
    ontology: Annotated[Path | None, typer.Option("--ontology", "-o", help="With --store: the ontology.")] = None,
    reasoner: ReasonerName = None,
    as_json: AsJson = False,
) -> None:
    """Subscribe at a running service: `gtopss serve`.

    Prints the id, the ticket, when it expires, and the command that renews it. The ticket is also kept in a file that
    only you can read (~/.local/state/gtopss/tickets.json), so that `renew`, `tail` and `unsubscribe` need only the id.

    Examples:  gtopss subscribe 'topic:health "open source"' --validity 7d

               gtopss subscribe data/subscriptions/health.rq --webhook https://me.example/hook

    Exit code 0: subscribed. 1: refused, or no service answers. 2: wrong usage.
    """
    from gtopss.client import Target

    require_ontology(ontology, reasoner)
    query, form = _read_text(text)
    service = service_of(url, store)
    targets = [*(Target(each) for each in webhook or ()), *(Target(each, "email") for each in email or ())]
    with open_client(service, key_file, ontology, reasoner) as client:
        made = client.subscribe(
            query,
            form="short" if form == "short" else "sparql",
            validity=validity,
            deliver=targets,
            digest=digest,
            at_most=at_most,
            join_articles=join_articles or None,
            backfill=backfill or None,
        )
        made = dataclasses.replace(made, renew_command=f"gtopss renew {made.id}")
        _show(made, service, as_json=as_json)  # before the file is written, because it shows the only ticket there is
    expires_at = None if made.expires_at is None else made.expires_at.isoformat()
    TicketFile().keep(KeptTicket(made.id, made.ticket, service, query, expires_at))


def _read_text(text: str) -> tuple[str, str]:
    """Return the text of a subscription and its form."""
    if text == "-":
        return sys.stdin.read(), "sparql"
    if not text.endswith(".rq"):
        return text, "short"
    try:
        return Path(text).read_text(encoding="utf-8"), "sparql"
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{text} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _show(made: NewSubscription, service: str, *, as_json: bool) -> None:
    if as_json:
        print_data(made)
        return
    for warning in made.warnings:
        print_message(f"warning: {warning}")
    typer.echo(f"subscribed   {made.id}")
    typer.echo(f"ticket       {made.ticket}")
    typer.echo(f"expires      {shown_time(made.expires_at)}")
    typer.echo(f"renew        {made.renew_command}")
    typer.echo(f"expected     {made.forecast}")
    if not is_store(service) and made.read_address is not None:
        typer.echo(f"atom feed    {made.read_address.feed}")
        typer.echo(f"events       {made.read_address.events}")
    for target in made.targets:
        typer.echo(f"{target.kind:12} {target.address}")
        typer.echo(f"  secret     {target.secret}")
    typer.echo(f"follow       gtopss tail {made.id}")


def unsubscribe(
    id: Annotated[str, typer.Argument(help="The id of the subscription.")],
    ticket: Ticket = None,
    url: Url = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Delete a subscription with its notifications, and forget its ticket.

    Exit code 0: deleted. 1: no such subscription, or no service answers. 2: wrong usage.
    """
    from gtopss.broker.errors import InvalidTicket

    kept = located(id, ticket, url, store)
    with open_client(kept.service) as client:
        try:
            client.unsubscribe(id, kept.ticket)
        except InvalidTicket:
            print_message(f"{id} has expired, or was deleted before; forget it with `gtopss list --forget-expired`")
            raise
    TicketFile().forget(id)
    if as_json:
        print_json_line({"id": id, "deleted": True})
    else:
        typer.echo(f"deleted {id}")


def renew(
    id: Annotated[str, typer.Argument(help="The id of the subscription.")],
    validity: Annotated[str | None, typer.Option(help="From now on: 12h, 7d, 2w. Default: as long as before.")] = None,
    ticket: Ticket = None,
    url: Url = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Begin the validity of a subscription anew. It needs only the id if `gtopss subscribe` has kept the ticket.

    Exit code 0: renewed. 1: no such subscription (it may have expired), or no service answers. 2: wrong usage.
    """
    kept = located(id, ticket, url, store)
    with open_client(kept.service) as client:
        renewed = client.renew(id, kept.ticket, validity=validity)
    end = renewed.expires_at
    TicketFile().keep(dataclasses.replace(kept, expires_at=None if end is None else end.isoformat()))
    if as_json:
        print_data(renewed)
    else:
        typer.echo(f"{id} expires {shown_time(end)}")


def list_subscriptions(
    all_of_service: Annotated[
        bool, typer.Option("--all", help="List what the service lists: those of the API key, or all on loopback.")
    ] = False,
    forget_expired: Annotated[
        bool, typer.Option("--forget-expired", help="Forget tickets of subscriptions that are gone.")
    ] = False,
    url: Url = None,
    store: StoreUrl = None,
    key_file: KeyFile = None,
    as_json: AsJson = False,
) -> None:
    """List subscriptions: those whose tickets are kept here, with what the service says about each.

    Exit code 0: listed. 1: no service answers, or it refuses. 2: wrong usage.
    """
    service = service_of(url, store)
    tickets = [each for each in TicketFile().all() if each.service == service]
    with open_client(service, key_file) as client:
        if all_of_service:
            for found in client.subscriptions():
                _show_line(to_json(found), as_json=as_json)
            return
        from gtopss.broker.errors import InvalidTicket

        for kept in tickets:
            try:
                data = to_json(client.subscription(kept.id, kept.ticket))
            except InvalidTicket:
                data = {"id": kept.id, "query": kept.query, "expires_at": kept.expires_at, "gone": True}
                if forget_expired:
                    TicketFile().forget(kept.id)
            _show_line(data, as_json=as_json)
    if not tickets:
        print_message(f"no tickets of {service} are kept here; `gtopss list --all` asks the service for all of them")


def _show_line(data: object, *, as_json: bool) -> None:
    assert isinstance(data, dict)
    if as_json:
        print_json_line(data)
        return
    query = " ".join(str(data["query"]).split())
    shown = query if len(query) <= MAX_SHOWN_QUERY_CHARACTERS else f"{query[:MAX_SHOWN_QUERY_CHARACTERS]}…"
    end = str(data["expires_at"] or "never")[:19].replace("T", " ")
    state = "gone" if data.get("gone") else "paused" if data["paused"] else f"{data['notifications']} notifications"
    typer.echo(f"{data['id']}  {state:18}  expires {end:19}  {shown}")
