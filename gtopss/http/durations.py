"""Spans of time in requests: seconds as a number, or a text such as "90s", "30m", "12h", "7d" or "2w"."""

from __future__ import annotations

import math
import re
from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_TEXT = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)([smhdw]?)", re.ASCII)
NO_END = "none"
"""The text that asks for a subscription without an end."""


def seconds_of(given: object) -> float:
    """Return a span of time in seconds. Raises ValueError.

    >>> seconds_of("12h"), seconds_of(90), seconds_of("none")
    (43200.0, 90.0, inf)
    """
    if isinstance(given, bool) or not isinstance(given, (int, float, str)):
        raise ValueError("give seconds as a number, or a text such as 12h or 7d")
    if isinstance(given, str):
        text = given.strip().lower()
        if text == NO_END:
            return math.inf
        found = _TEXT.fullmatch(text)
        if found is None:
            raise ValueError("give seconds, or a number with one of the units s, m, h, d, w, such as 12h")
        return float(found[1]) * _UNITS[found[2] or "s"]
    try:
        return float(given)
    except OverflowError:
        raise ValueError("it is too long") from None


_PATTERN = r"^\s*(\d{1,12}(\.\d{1,6})?[smhdwSMHDW]?|none)\s*$"
Duration = Annotated[
    float,
    BeforeValidator(seconds_of),
    WithJsonSchema(
        {
            "anyOf": [{"type": "number"}, {"type": "string", "pattern": _PATTERN}],
            "description": 'Seconds, or a text such as "12h" or "7d".',
            "examples": ["7d"],
        }
    ),
]
