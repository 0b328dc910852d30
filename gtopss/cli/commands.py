"""The table of all commands. The module of a command is imported when the command runs, which keeps the others fast."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

import gtopss
from gtopss.cli.help_style import make_plain, plain_reason
from gtopss.cli.verbosity import Quiet, Verbose, add_verbosity_options, start_verbosity

_CONTEXT_SETTINGS = {"help_option_names": ["-h", "--help"]}


class CommandPlace(NamedTuple):
    """The module and the function or group that implement a command, and its summary in `--help`."""

    module: str
    attribute: str
    summary: str


COMMANDS: dict[str, CommandPlace] = {
    "demo": CommandPlace(
        "demo",
        "demo",
        "Match the event of the G-ToPSS paper against its two subscriptions, and explain why each matches.",
    ),
    "filter": CommandPlace(
        "filter",
        "filter_feeds",
        "Read feeds (RSS 0.9x to 2.0, Atom, JSON Feed, RDF) and write the items that match subscriptions.",
    ),
    "check": CommandPlace(
        "check", "check", "Check subscriptions for mistakes, and show which items of feeds they would match."
    ),
    "serve": CommandPlace("serve", "serve", "Run the broker as an HTTP service with a web page, until it is stopped."),
    "subscribe": CommandPlace(
        "subscribing", "subscribe", "Register a subscription with a running service (see `gtopss serve`)."
    ),
    "tail": CommandPlace(
        "tail", "tail", "Print the matches of a subscription as they arrive: number, title, link and explanation."
    ),
    "renew": CommandPlace(
        "subscribing",
        "renew",
        "Renew a subscription, so that its validity starts again from now.",
    ),
    "unsubscribe": CommandPlace(
        "subscribing", "unsubscribe", "Delete a subscription, its notifications and its saved ticket."
    ),
    "list": CommandPlace(
        "subscribing",
        "list_subscriptions",
        "List the subscriptions at one service whose tickets are saved on this machine, with their state.",
    ),
    "publish": CommandPlace(
        "publish", "publish", "Publish RDF documents and feeds to a broker. Each item of a feed is one publication."
    ),
    "feeds": CommandPlace(
        "feeds", "feeds", "List, add and remove the feeds that a broker polls. Without a command, list them."
    ),
    "store": CommandPlace(
        "store", "store", "Test the durability of a broker's store, and divide its subscriptions into shares."
    ),
    "terms": CommandPlace("terms", "terms", "Find classes of an ontology by label, to use with isA in a subscription."),
    "match": CommandPlace("match", "match", "Match RDF documents against subscriptions."),
    "explain": CommandPlace(
        "explain",
        "explain",
        "Explain why a document, or one item of a feed, matches a subscription, or what is missing.",
    ),
    "plan": CommandPlace(
        "plan",
        "plan",
        "Print the order in which operators would be called, with the selectivity and cost of each.",
    ),
    "prefixes": CommandPlace(
        "prefixes", "prefixes", "Print the prefixes that subscriptions may use without declaring them, as PREFIX lines."
    ),
    "bench": CommandPlace(
        "bench", "bench", "Benchmark the default engine and other systems, after checking that their matches are equal."
    ),
    "pipeline": CommandPlace(
        "pipeline",
        "pipeline",
        "Filter an archive or a stream on Spark. Refused input is listed in out/errors; the rest is filtered.",
    ),
    "spark": CommandPlace("spark", "spark", "Download the jars for `gtopss pipeline`, and fill or clean its spool."),
    "compare": CommandPlace(
        "compare",
        "compare",
        "Repeat the experiments of the papers, and report which of their statements the measurements confirm.",
    ),
}
"""The commands in the order of `--help`. Each summary is the first paragraph of the command's own help."""


class LazyCommands(TyperGroup):
    """Show commands by their summaries, and import a command when it is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        summaries = {name: TyperCommand(name, help=place.summary) for name, place in COMMANDS.items()}
        self.commands = {**summaries, **self.commands}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name of the command, the command itself, and its arguments."""
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            command = load_command(name)
        if command is not None:
            make_plain(command, ctx)
        return name, command, rest

    def invoke(self, ctx: Any) -> Any:
        """Run the command. What is wrong with the value of an option is said in plain words."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = plain_reason(error.message)
            raise

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help of this group."""
        make_plain(self, ctx)
        super().format_help(ctx, formatter)


def load_command(name: str) -> TyperCommand | TyperGroup:
    """Import a command by its name in `COMMANDS`."""
    place = COMMANDS[name]
    found = getattr(import_module(f"gtopss.cli.{place.module}"), place.attribute)
    if not isinstance(found, typer.Typer):
        function, found = found, typer.Typer(add_completion=False, context_settings=_CONTEXT_SETTINGS)
        found.command(name)(function)
    found._add_completion = False  # only `gtopss` itself installs completion
    command = typer.main.get_command(found)
    assert isinstance(command, TyperCommand | TyperGroup)
    command.name = name
    add_verbosity_options(command)
    return command


app = typer.Typer(
    name="gtopss",
    cls=LazyCommands,
    help="Match RDF documents and feed items against subscriptions: SPARQL graph patterns that may use an ontology.",
    epilog="Start with `gtopss demo`.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=_CONTEXT_SETTINGS,
)


@app.command("help")
def show_help(
    context: typer.Context,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="A command, such as filter or feeds add.")
    ] = None,
) -> None:
    """Show the help of a command: `gtopss help filter`."""
    main = context.find_root().command
    if command and isinstance(main, TyperGroup) and command[0] not in main.commands:
        names = ", ".join(main.commands)
        raise typer.BadParameter(f"there is no command {command[0]}: choose from {names}", param_hint="COMMAND")
    main.main([*(command or ()), "--help"], prog_name=context.find_root().info_name)


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"gtopss {gtopss.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", metavar="", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    start_verbosity(quiet=quiet, verbose=verbose)
