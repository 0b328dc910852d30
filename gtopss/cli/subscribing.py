"""`gtopss subscribe`, `unsubscribe`, `renew` and `list`: the subscriptions of this user at a service or in a store."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gtopss.cli.arguments import ReasonerName, print_json_line, print_message, print_note, require_ontology
from gtopss.cli.service_access import (
    AsJson,
    KeyFile,
    StoreOntology,
    StoreUrl,
    Ticket,
    Url,
    UrlOfSubscription,
    is_store,
    located,
    open_client,
    print_data,
    require_client,
    service_of,
    shown_time,
    to_json,
)
from gtopss.cli.ticket_file import KeptTicket, TicketFile
from gtopss.model.display import counted

if TYPE_CHECKING:
    from gtopss.client import NewSubscription

MAX_SHOWN_QUERY_CHARACTERS = 70
_CONFIRMATIONS = {
    "webhook": "the service sends it a challenge, and then the matches",
    "email": "it gets a code, which you confirm",
}


def subscribe(
    text: Annotated[
        str,
        typer.Argument(
            help="Subscription: the short form, such as 'topic:health -sponsored', a SPARQL file (.rq), or - for a "
            "SPARQL query from standard input."
        ),
    ],
    validity: Annotated[
        str | None,
        typer.Option(help="Time until the subscription expires, such as 12h, 7d or 2w. Default: one day."),
    ] = None,
    webhook: Annotated[list[str] | None, typer.Option(help="URL to push matches to. May be repeated.")] = None,
    email: Annotated[list[str] | None, typer.Option(help="E-mail address to send matches to. May be repeated.")] = None,
    digest: Annotated[
        str | None, typer.Option(help="Send one delivery per period, such as 1h, with all matches of that period.")
    ] = None,
    at_most: Annotated[
        int | None, typer.Option(min=1, help="Maximum deliveries per day. Further matches are delivered together.")
    ] = None,
    join_articles: Annotated[
        bool, typer.Option("--join-articles", help="Send one notification for an article that several feeds carry.")
    ] = False,
    backfill: Annotated[
        bool, typer.Option("--backfill", help="Also send notifications for matching items that are already stored.")
    ] = False,
    url: Url = None,
    store: StoreUrl = None,
    key_file: KeyFile = None,
    ontology: StoreOntology = None,
    reasoner: ReasonerName = None,
    as_json: AsJson = False,
) -> None:
    """Register a subscription with a running service (see `gtopss serve`).

    Prints the id, the ticket, the expiry time, and the command that renews the subscription. The ticket is a secret
    that proves the subscription is yours. It is saved in ~/.local/state/gtopss/tickets.json, which only you can read,
    so that `renew`, `tail` and `unsubscribe` need only the id.

    Examples:  gtopss subscribe 'topic:health "open source"' --validity 7d

               gtopss subscribe data/subscriptions/health.rq --webhook https://me.example/hook

    Exit code 0: subscribed. 1: refused, or no service answers. 2: wrong usage.
    """
    require_client()
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
    expires_at = None if made.expires_at is None else made.expires_at.isoformat()
    try:
        _show(made, service, as_json=as_json)
    finally:  # the ticket is shown once: it is neither lost with a closed pipe nor with a file that cannot be written
        TicketFile().keep(KeptTicket(made.id, made.ticket, service, query, expires_at))


def _read_text(text: str) -> tuple[str, str]:
    """Return the text of a subscription and its form."""
    if text == "-":
        return sys.stdin.read(), "sparql"
    if not text.endswith((".rq", ".sparql")):
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
    typer.echo(f"expected     matches: {made.forecast}")
    if not is_store(service) and made.read_address is not None:
        typer.echo(f"atom feed    {made.read_address.feed}")
        typer.echo(f"events       {made.read_address.events}")
    for target in made.targets:
        typer.echo(f"{target.kind:12} {target.address}")
        typer.echo(f"  secret     {target.secret}")
        typer.echo(f"  confirmed  not yet: {_CONFIRMATIONS[target.kind]}")
    typer.echo(f"follow       gtopss tail {made.id}")


def unsubscribe(
    id: Annotated[str, typer.Argument(help="The id of the subscription.")],
    ticket: Ticket = None,
    url: UrlOfSubscription = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Delete a subscription, its notifications and its saved ticket.

    Exit code 0: deleted. 1: no such subscription, or no service answers. 2: wrong usage.
    """
    from gtopss.broker.errors import InvalidTicket

    kept = located(id, ticket, url, store)
    with open_client(kept.service) as client:
        try:
            client.unsubscribe(id, kept.ticket)
        except InvalidTicket:
            print_message(f"{id} has expired or was deleted; remove its ticket with `gtopss list --forget-expired`")
            raise
    TicketFile().forget(id)
    if as_json:
        print_json_line({"id": id, "deleted": True})
    else:
        typer.echo(f"deleted {id}")


def renew(
    id: Annotated[str, typer.Argument(help="The id of the subscription.")],
    validity: Annotated[
        str | None,
        typer.Option(help="Time until the subscription expires, such as 12h, 7d or 2w. Default: as long as before."),
    ] = None,
    ticket: Ticket = None,
    url: UrlOfSubscription = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Renew a subscription, so that its validity starts again from now.

    The id is enough if `gtopss subscribe` has saved the ticket on this machine.

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
        bool,
        typer.Option("--all", help="List all subscriptions of the API key; without a key, all that the service shows."),
    ] = False,
    forget_expired: Annotated[
        bool, typer.Option("--forget-expired", help="Delete saved tickets of subscriptions that no longer exist.")
    ] = False,
    url: Url = None,
    store: StoreUrl = None,
    key_file: KeyFile = None,
    as_json: AsJson = False,
) -> None:
    """List the subscriptions at one service whose tickets are saved on this machine, with their state.

    Exit code 0: listed. 1: no service answers, or it refuses. 2: wrong usage.
    """
    service = service_of(url, store)
    tickets = [each for each in TicketFile().all() if each.service == service]
    with open_client(service, key_file) as client:
        if all_of_service:
            listed = list(client.subscriptions())
            for found in listed:
                _show_line(to_json(found), as_json=as_json)
            if not listed:
                print_note(f"{service} shows no subscriptions")
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
        print_note(f"no tickets for {service} are saved on this machine; try `gtopss list --all`")


def _show_line(data: object, *, as_json: bool) -> None:
    assert isinstance(data, dict)
    if as_json:
        print_json_line(data)
        return
    query = " ".join(str(data["query"]).split())
    shown = query if len(query) <= MAX_SHOWN_QUERY_CHARACTERS else f"{query[:MAX_SHOWN_QUERY_CHARACTERS]}…"
    end = str(data["expires_at"] or "never")[:19].replace("T", " ")
    state = (
        "expired or deleted"
        if data.get("gone")
        else "paused"
        if data["paused"]
        else counted(data["notifications"], "notification")
    )
    typer.echo(f"{data['id']}  {state:18}  expires {end:19}  {shown}")
