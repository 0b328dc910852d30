"""How much a command says about itself on stderr: `-q` nothing but errors, `-v` also what happens inside.

This module imports nothing that is slow to load: the options of every command are declared here.
"""

from __future__ import annotations

import logging
from typing import Annotated, Any

import typer

_state = {"quiet": False}
_LOGGERS = ("gtopss", "ontology")


def is_quiet() -> bool:
    """Return whether the user asked for errors only."""
    return _state["quiet"]


def add_verbosity_options(command: Any) -> None:
    """Give a command, or each command of a group, the options `-q` and `-v`."""
    if hasattr(command, "commands"):
        for each in command.commands.values():
            add_verbosity_options(each)
        return
    run = command.callback

    def run_with_verbosity(*, quiet: bool, verbose: bool, **given: Any) -> Any:
        _set_verbosity(quiet=quiet, verbose=verbose)
        return run(**given)

    declared = typer.Typer()
    declared.command()(_options)
    command.params += [each for each in typer.main.get_command(declared).params if each.name in ("quiet", "verbose")]
    command.callback = run_with_verbosity


def _options(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors and warnings on stderr.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also log to stderr what is read, fetched and registered.")
    ] = False,
) -> None:
    """Declare the two options; typer turns this signature into parameters."""


def _set_verbosity(*, quiet: bool, verbose: bool) -> None:
    if quiet and verbose:
        raise typer.BadParameter("-q and -v cannot be combined: leave out one of them", param_hint="-q, -v")
    _state["quiet"] = quiet
    if verbose:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.INFO)
            logging.getLogger(name).addHandler(handler)
