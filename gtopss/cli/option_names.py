"""Adapt error messages of the library to the command line: name options in place of Python arguments."""

from __future__ import annotations

import re

_ARGUMENT = re.compile(r"Engine\((\w+)=(True|'[^']*'|\d+)\)")
_BOTH = re.compile(r"(?:(?:Engine\(taxonomy=)?ontology\.load|Connector)\([^()]*\)+, or (--[a-z]+ )")


def with_options(message: str) -> str:
    """Replace Python arguments in a message by the options of the command line.

    >>> with_options("connect them with a variable, or use Engine(allow_cartesian=True)")
    'connect them with a variable, or use --allow-cartesian'
    >>> with_options("if this is intended, use Connector(allow=['localhost']), or --allow localhost")
    'if this is intended, use --allow localhost'
    >>> with_options("costs() needs the matcher 'gm': Engine(matcher='gm')")
    "costs() needs the matcher 'gm': --matcher gm"
    """
    return _ARGUMENT.sub(_option, _BOTH.sub(r"\1", message))


def _option(found: re.Match[str]) -> str:
    name, value = f"--{found[1].replace('_', '-')}", found[2].strip("'")
    return name if value == "True" else f"{name} {value}"
