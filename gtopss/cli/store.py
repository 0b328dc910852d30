"""`gtopss store check`: prove on the operator's own disk that nothing acknowledged is lost."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

from gtopss.cli.arguments import print_json_line, print_message

store = typer.Typer(help="Check the store of a broker.", no_args_is_help=True)


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
    from gtopss.broker.durability_check import check_durability  # imports SQLAlchemy

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
