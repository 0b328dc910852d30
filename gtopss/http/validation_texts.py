"""What is wrong with a member of a request, in plain words instead of those of pydantic."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gtopss.model.display import counted

_FIXED = {
    "missing": "it is missing",
    "extra_forbidden": "there is no such member",
    "model_type": "it must be a JSON object",
    "model_attributes_type": "it must be a JSON object",
    "dict_type": "it must be a JSON object",
}
_LENGTHS = {
    "string_too_short": ("at least", "min_length", "character"),
    "string_too_long": ("at most", "max_length", "character"),
    "too_short": ("at least", "min_length", "item"),
    "too_long": ("at most", "max_length", "item"),
}
_SHOULD = re.compile(r"^(?:Input|String|List|Value) should (?P<what>.*?)(?:, unable to .*)?$", re.DOTALL)


def reason_of(error: Mapping[str, Any]) -> str:
    """Return the reason of one error, as pydantic describes it.

    >>> reason_of({"type": "string_too_short", "ctx": {"min_length": 1}, "msg": "String should have at least ..."})
    'it must have at least 1 character'
    >>> reason_of({"type": "int_parsing", "msg": "Input should be a valid integer, unable to parse string as an ..."})
    'it must be a valid integer'
    """
    kind, message, context = error.get("type"), str(error["msg"]), error.get("ctx", {})
    if kind in _FIXED:
        proposal = context.get("proposal")
        return f"{_FIXED[kind]}: did you mean {proposal!r}?" if proposal else _FIXED[kind]
    if kind in _LENGTHS:
        bound, name, noun = _LENGTHS[kind]
        return f"it must have {bound} {counted(context[name], noun)}"
    if kind == "json_invalid" and not message.startswith("Invalid JSON"):  # as FastAPI describes it
        return f"Invalid JSON: {context.get('error', message)}"
    if (found := _SHOULD.match(message)) is not None:
        return f"it must {found['what']}"
    return message.removeprefix("Value error, ")
