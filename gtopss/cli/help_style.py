"""How the help of commands looks: `--json` instead of `--json <bool>`, `SOURCES...` instead of `{sources}...`."""

from __future__ import annotations

from typing import Any

from typer.core import TyperArgument, TyperOption

_WORD_OF_TYPE = {"str": "TEXT", "path": "PATH", "int": "NUMBER", "float": "NUMBER"}


class PlainArgument(TyperArgument):
    """An argument whose name is in capitals in usage, help and errors. No type is shown: the help says what it is."""

    @property
    def display_name_raw(self) -> str:
        return self.metavar or self.name.upper()

    def _usage_display_name(self) -> str:
        name = self._rich_display_name()
        return name if self.required else f"[{name}]"

    def get_error_hint(self) -> str:
        """Return the argument's name as in the usage line, without dots: the error's sentence ends behind it."""
        return self.display_name_raw.removesuffix("...")

    def display_type_rich(self, ctx: Any) -> str:
        """Return what is shown as the type of a value."""
        return ""


def plain_reason(reason: str) -> str:
    """Return what is wrong with a value, as said by the library that checks values, in plain words.

    >>> plain_reason("Value error, 'json' is not one of 'table', 'jsonl'.")
    "'json' is not one of 'table', 'jsonl'."
    >>> plain_reason("Input should be a valid integer, unable to parse string as an integer")
    'it must be a valid integer'
    """
    plain = reason.removeprefix("Value error, ").partition(", unable to parse")[0]
    return f"it must {plain.removeprefix('Input should ')}" if plain.startswith("Input should ") else plain


def make_plain(command: Any, context: Any) -> None:
    """Change how a command and its own commands describe themselves and their parameters."""
    command.help = join_lines(command.help or "")
    for parameter in command.get_params(context):  # these include --help
        if type(parameter) is TyperArgument:
            parameter.__class__ = PlainArgument
        elif isinstance(parameter, TyperOption) and parameter.is_flag:
            parameter.metavar = ""
        elif parameter.metavar is None:
            parameter.metavar = _plain_type(parameter.display_type(context))
    for each in getattr(command, "commands", {}).values():
        make_plain(each, context)


def _plain_type(shown: str) -> str:
    """Return the word for the type of a value: the choices, if there are some.

    >>> _plain_type("<int range>"), _plain_type("<list[str]>"), _plain_type("<table|jsonl>")
    ('NUMBER', 'TEXT', 'table|jsonl')
    """
    name = shown.strip("<>").removeprefix("list[").rstrip("]").split()[0]
    return _WORD_OF_TYPE.get(name, shown.strip("<>"))


def join_lines(text: str) -> str:
    """Join the lines of each paragraph, so that a terminal of any width breaks them; keep indented lines as they are.

    >>> join_lines("One sentence that\\nhas two lines.\\n\\n  an example")
    'One sentence that has two lines.\\n\\n  an example'
    """
    paragraphs = text.strip("\n").split("\n\n")
    return "\n\n".join(each if "\n " in f"\n{each}" else " ".join(each.split()) for each in paragraphs)
