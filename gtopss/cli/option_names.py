"""Write errors for the command line: with options where the library names arguments of Python."""

from __future__ import annotations

import re

_ARGUMENT = re.compile(r"Engine\((\w+)=(True|'[^']*'|\d+)\)")
_BOTH = re.compile(r"(?:Engine\(taxonomy=)?ontology\.load\([^()]*\)+, or (--[a-z]+ \w+)")


def with_options(message: str) -> str:
    """Return a message in which arguments of `Engine` are options of a command.

    >>> with_options("join them by a variable, or use Engine(allow_cartesian=True)")
    'join them by a variable, or use --allow-cartesian'
    >>> with_options("costs() needs the matcher 'gm': Engine(matcher='gm')")
    "costs() needs the matcher 'gm': --matcher gm"
    """
    return _ARGUMENT.sub(_option, _BOTH.sub(r"\1", message))


def _option(found: re.Match[str]) -> str:
    name, value = f"--{found[1].replace('_', '-')}", found[2].strip("'")
    return name if value == "True" else f"{name} {value}"
