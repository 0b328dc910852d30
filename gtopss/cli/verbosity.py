"""How much a command says about itself on stderr: `-q` nothing but errors, `-v` also what happens inside.

This module imports nothing that is slow to load: the options of every command are declared here.
"""

from __future__ import annotations

import logging
from typing import Annotated, Any, TypeAlias

import typer

_state = {"quiet": False, "verbose": False}
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


Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors and warnings on stderr.")]
Verbose: TypeAlias = Annotated[
    bool, typer.Option("--verbose", "-v", help="Also log to stderr what is read, fetched and registered.")
]


def _options(quiet: Quiet = False, verbose: Verbose = False) -> None:
    """Declare the two options; typer turns this signature into parameters."""


def start_verbosity(*, quiet: bool, verbose: bool) -> None:
    """Apply the options `-q` and `-v` that are given before the name of a command."""
    _state.update(quiet=False, verbose=False)
    _set_verbosity(quiet=quiet, verbose=verbose)


def _set_verbosity(*, quiet: bool, verbose: bool) -> None:
    """Apply the options, in addition to those that were given before."""
    quiet, verbose = quiet or _state["quiet"], verbose or _state["verbose"]
    if quiet and verbose:
        raise typer.BadParameter("-q and -v cannot be combined: leave out one of them", param_hint="-q, -v")
    is_logging, _state["quiet"], _state["verbose"] = _state["verbose"], quiet, verbose
    if verbose and not is_logging:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.INFO)
            logging.getLogger(name).addHandler(handler)
