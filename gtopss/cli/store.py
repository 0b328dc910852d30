"""`gtopss store`: check the operator's own disk, and divide subscriptions into shares."""

from __future__ import annotations

import dataclasses
import time
from typing import Annotated

import typer

from gtopss.cli.arguments import print_json_line, print_message
from gtopss.extras import require_extra

store = typer.Typer(
    help="Test the durability of a broker's store, and divide its subscriptions into shares.", no_args_is_help=True
)


@store.callback()
def _commands() -> None:
    pass


@store.command("check")
def check_store(
    url: Annotated[
        str,
        typer.Argument(help="sqlite:FILE, a new file on the disk to test, or postgresql://..., an empty database."),
    ],
    seconds: Annotated[float, typer.Option(min=0, help="Duration of the test in seconds.")] = 60,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Test the durability of a store: kill broker processes at random, and verify that no acknowledged write is lost.

    The store must be empty. Delete it afterwards, because the test data stays in it. The test kills processes; it does
    not simulate a power failure.

    Example: gtopss store check sqlite:/var/lib/gtopss/check.db

    Exit code 0: everything was found. 1: something is missing, or the store cannot be used. 2: wrong usage.
    """
    require_extra("broker", "gtopss store")
    from gtopss.broker.durability_check import check_durability

    if url.startswith("memory:"):
        raise typer.BadParameter("a memory: store is not durable: give sqlite:FILE or postgresql://USER@HOST/DATABASE")
    report = check_durability(url, seconds)
    if as_json:
        print_json_line(dataclasses.asdict(report))
    else:
        typer.echo(
            f"{report.kills} kills; acknowledged: {report.publications} publications, {report.subscriptions} "
            f"subscriptions; missing: {len(report.lost)}"
        )
    if report.lost:
        print_message(f"the store has lost acknowledged writes: {', '.join(report.lost[:10])}")
        raise typer.Exit(1)


@store.command("shares")
def show_shares(
    url: Annotated[str, typer.Argument(help="URL of the brokers' store: postgresql://... or sqlite:FILE.")],
    count: Annotated[
        int | None, typer.Option("--set", min=1, help="Divide the subscriptions into this number of shares.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the shares of the subscriptions, the brokers that hold each, and the publications that wait for it.

    A share is a part of the subscriptions; each broker matches only the shares that it holds. With --set, a running
    broker divides the subscriptions into another number of shares, and no broker has to be stopped.

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
                holders = ", ".join(each.holders) or "no broker (or all brokers, if it is the only share)"
                typer.echo(
                    f"share {each.share}: {each.subscriptions} subscriptions, {each.waiting} publications wait; "
                    f"held by {holders}"
                )
