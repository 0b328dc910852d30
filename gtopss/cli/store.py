"""`gtopss store`: check the operator's own disk, and divide subscriptions into shares."""

from __future__ import annotations

import dataclasses
import time
from typing import Annotated

import typer

from gtopss.cli.arguments import print_json_line, print_message
from gtopss.extras import require_extra

store = typer.Typer(help="Check the store of a broker, and divide its subscriptions.", no_args_is_help=True)


@store.callback()
def _commands() -> None:
    pass


@store.command("check")
def check_store(
    url: Annotated[
        str, typer.Argument(help="sqlite:FILE of a new file on the disk to check, or an empty postgresql://...")
    ],
    seconds: Annotated[float, typer.Option(min=0, help="How long brokers are killed and started again.")] = 60,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Kill brokers at random moments, reopen the store, and look for everything that was acknowledged.

    The store must be empty, and keeps what the check has written: delete it afterwards. A kill is not a power cut.

    Example: gtopss store check sqlite:/var/lib/gtopss/check.db

    Exit code 0: everything was found. 1: something is missing, or the store cannot be used. 2: wrong usage.
    """
    require_extra("broker", "gtopss store")
    from gtopss.broker.durability_check import check_durability

    if url.startswith("memory:"):
        raise typer.BadParameter("memory: keeps nothing: give sqlite:FILE or postgresql://...")
    report = check_durability(url, seconds)
    if as_json:
        print_json_line(dataclasses.asdict(report))
    else:
        typer.echo(
            f"{report.kills} kills; acknowledged: {report.publications} publications, {report.subscriptions} "
            f"subscriptions; missing: {len(report.lost)}"
        )
    if report.lost:
        print_message(f"the store has lost what it had acknowledged: {', '.join(report.lost[:10])}")
        raise typer.Exit(1)


@store.command("shares")
def show_shares(
    url: Annotated[str, typer.Argument(help="postgresql://... or sqlite:FILE: the store of the brokers.")],
    count: Annotated[
        int | None, typer.Option("--set", min=1, help="Divide the subscriptions into so many shares.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the shares of the subscriptions, who holds each, and how many publications wait for it.

    With --set, a running broker divides the subscriptions while all of them go on working.

    Example: gtopss store shares postgresql://broker@db/gtopss --set 4

    Exit code 0: done. 1: the store cannot be used. 2: wrong usage.
    """
    require_extra("broker", "gtopss store")
    from gtopss.broker.shares.held_shares import read_status
    from gtopss.broker.shares.resharing import ask_for_shares
    from gtopss.broker.store.open_store import open_store

    with open_store(url) as opened:
        if count is not None:
            ask_for_shares(opened, count)
        for each in opened.read(lambda connection: read_status(connection, time.time())):
            if as_json:
                print_json_line(each._asdict())
            else:
                holders = ", ".join(each.holders) or "nobody, or all brokers if it is the only share"
                typer.echo(
                    f"share {each.share}: {each.subscriptions} subscriptions, {each.waiting} publications wait; "
                    f"held by {holders}"
                )
