"""The table of all commands."""

from __future__ import annotations

from typing import Annotated

import typer

import gtopss
from gtopss.cli.bench import bench
from gtopss.cli.check import check
from gtopss.cli.compare import compare
from gtopss.cli.demo import demo
from gtopss.cli.explain import explain
from gtopss.cli.feeds import feeds
from gtopss.cli.filter import filter_feeds
from gtopss.cli.match import match
from gtopss.cli.pipeline import pipeline
from gtopss.cli.plan import plan
from gtopss.cli.prefixes import prefixes
from gtopss.cli.publish import publish
from gtopss.cli.serve import serve
from gtopss.cli.spark import spark
from gtopss.cli.store import store
from gtopss.cli.subscribing import list_subscriptions, renew, subscribe, unsubscribe
from gtopss.cli.tail import tail
from gtopss.cli.terms import terms

app = typer.Typer(
    name="gtopss",
    help="A semantic filter for RDF streams: match publications against graph-pattern subscriptions with is-a.",
    epilog="Start with `gtopss demo`.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(demo)
app.command("filter")(filter_feeds)
app.command()(check)
app.command()(serve)
app.command()(subscribe)
app.command()(tail)
app.command()(renew)
app.command()(unsubscribe)
app.command("list")(list_subscriptions)
app.command()(publish)
app.add_typer(feeds, name="feeds")
app.add_typer(store, name="store")
app.command()(terms)
app.command()(match)
app.command()(explain)
app.command()(plan)
app.command()(prefixes)
app.command()(bench)
app.command()(pipeline)
app.add_typer(spark, name="spark")
app.command()(compare)


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"gtopss {gtopss.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass
