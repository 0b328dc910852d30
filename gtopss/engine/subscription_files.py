"""Read subscriptions from files: one query per `.rq` file, a directory of them, or JSON Lines.

A line is `{"id": ..., "query": ...}`, or a subscription as `Subscription.to_json` writes it. What cannot be read
becomes an error that names the file and line, and does not stop the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gtopss.errors import GtopssError, InvalidSubscription
from gtopss.language import OperatorArities, subscription_from_text
from gtopss.model import Subscription

_JSON_LINES_SUFFIXES = {".jsonl", ".ndjson", ".json"}
_QUERY_SUFFIXES = {".rq", ".sparql"}


def read_subscriptions(path: Path, operators: OperatorArities | None = None) -> Iterator[Subscription | GtopssError]:
    """Yield the subscriptions of a file, or of all files in a directory and below, in the order of their names.

    `operators` are those that queries may call, with the number of their arguments (`Registry.arities`).
    """
    if path.is_dir():
        found = [each for each in sorted(path.rglob("*")) if each.suffix in _QUERY_SUFFIXES | _JSON_LINES_SUFFIXES]
        if not found:
            yield InvalidSubscription(str(path), "the directory holds no .rq and no .jsonl files")
        for each in found:
            yield from _read_file(each, path, operators)
    else:
        yield from _read_file(path, path.parent, operators)


def _read_file(path: Path, top: Path, operators: OperatorArities | None) -> Iterator[Subscription | GtopssError]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        yield InvalidSubscription(str(path), f"the file cannot be read: {error}")
        return
    if path.suffix not in _JSON_LINES_SUFFIXES:
        name = str(path.relative_to(top).with_suffix(""))
        yield _read(lambda: subscription_from_text(text, name, operators=operators), str(path))
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield _read(lambda line=line: _read_line(line, operators), f"{path}, line {number}")


def _read(read: Any, place: str) -> Subscription | GtopssError:
    try:
        made: Subscription = read()
    except InvalidSubscription as error:
        return InvalidSubscription(error.subscription_id, f"{place}: {error.reason}")
    except GtopssError as error:
        return InvalidSubscription("?", f"{place}: {error}")
    return made


def _read_line(line: str, operators: OperatorArities | None) -> Subscription:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidSubscription("?", f"this is not JSON: {error}") from None
    if not isinstance(data, dict) or "query" not in data:
        return Subscription.from_json(data)
    if not isinstance(data.get("id"), str) or not isinstance(data["query"], str):
        raise InvalidSubscription("?", 'a line needs a text "id" and a text "query"')
    return subscription_from_text(data["query"], data["id"], operators=operators)
