"""A regular expression that is compiled when it is first used.

Each class of characters with many ranges beyond ASCII takes about a millisecond to compile, which a command that never
needs it should not spend at its start.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property


class LazyPattern:
    """A pattern with the methods of a compiled one that are in use here.

    >>> LazyPattern("[a-z]+").fullmatch("abc") is not None
    True
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def fullmatch(self) -> Callable[[str], re.Match[str] | None]:
        """The method `fullmatch` of the compiled pattern."""
        return re.compile(self._text).fullmatch

    @cached_property
    def sub(self) -> Callable[[str | Callable[[re.Match[str]], str], str], str]:
        """The method `sub` of the compiled pattern."""
        return re.compile(self._text).sub
