"""Read subscriptions from files: one query per `.rq` file, the short form in `.txt` files, JSON Lines, directories.

A `.txt` file has one subscription in the short form per line (`gtopss.short_form`); in a directory, only files whose
names end in `subscriptions.txt` are read so. A line of JSON is `{"id": ..., "query": ...}`, or a subscription as
`Subscription.to_json` writes it. What cannot be read becomes an error that names the file and line, and does not stop
the rest.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, TypeAlias

from gtopss.errors import GtopssError, InvalidQuery, InvalidSubscription
from gtopss.language import OperatorArities, subscription_from_text
from gtopss.model import Subscription
from gtopss.short_form import ShortForm, read_lines
from ontology.labels import Labels

_JSON_LINES_SUFFIXES = {".jsonl", ".ndjson", ".json"}
_QUERY_SUFFIXES = {".rq", ".sparql"}
_SHORT_FORM_SUFFIX = ".txt"
_SHORT_FORM_NAME = "*subscriptions.txt"  # in a directory, where other .txt files are notes
_SUFFIXES = {*_JSON_LINES_SUFFIXES, *_QUERY_SUFFIXES}

LabelSource: TypeAlias = Callable[[], Labels] | None
"""Returns the labels of the ontology, for topics of the short form; None if there is no ontology."""


def read_subscriptions(
    path: Path, operators: OperatorArities | None = None, labels: LabelSource = None
) -> Iterator[Subscription | GtopssError]:
    """Yield the subscriptions of a file, or of all files in a directory and below, in the order of their names.

    The path `-` is standard input, with one query or JSON Lines. `operators` are those that queries may call, with the
    number of their arguments (`Registry.arities`).
    """
    if str(path) == "-":
        yield from _read_text(sys.stdin.read(), "standard input", operators)
        return
    if path.is_dir():
        files = sorted(path.rglob("*"))
        found = [each for each in files if each.suffix in _SUFFIXES or fnmatch(each.name, _SHORT_FORM_NAME)]
        if not found:
            reason = "the folder has no .rq, .jsonl or subscriptions.txt files" if files else "the folder is empty"
            yield InvalidSubscription(str(path), reason)
        for each in found:
            yield from _read_file(each, path, operators, labels)
    else:
        yield from _read_file(path, path.parent, operators, labels)


def short_forms_of(path: Path) -> Iterator[ShortForm]:
    """Yield what a file, or the files in a directory, have in the short form. What cannot be read is left out."""
    for each in sorted(path.rglob(_SHORT_FORM_NAME)) if path.is_dir() else [path]:
        if each.suffix == _SHORT_FORM_SUFFIX:
            with suppress(OSError, UnicodeDecodeError):
                yield from read_lines(each.read_text(encoding="utf-8-sig"))


def read_short_form(
    short: ShortForm, place: str, operators: OperatorArities | None = None, labels: LabelSource = None
) -> Subscription | GtopssError:
    """Return a subscription that is written in the short form; an error that names the place if it cannot be read."""
    try:
        query = short.query(labels)
    except InvalidQuery as error:  # it has the line
        return InvalidSubscription(error.subscription_id, f"{place}: {error.reason}")
    line = short.source.number
    return _read(lambda: subscription_from_text(query, short.id, operators=operators), f"{place}, line {line}")


def _read_file(
    path: Path, top: Path, operators: OperatorArities | None, labels: LabelSource
) -> Iterator[Subscription | GtopssError]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        yield InvalidSubscription(str(path), f"the file cannot be read: {reason or error}")
        return
    if path.suffix == _SHORT_FORM_SUFFIX:
        for short in read_lines(text):
            yield read_short_form(short, str(path), operators, labels)
        return
    if path.suffix not in _JSON_LINES_SUFFIXES:
        name = str(path.relative_to(top).with_suffix(""))
        yield _read(lambda: subscription_from_text(text, name, operators=operators), str(path))
        return
    yield from _read_json_lines(text, str(path), operators)


def _read_text(text: str, place: str, operators: OperatorArities | None) -> Iterator[Subscription | GtopssError]:
    """Yield the subscriptions of a text without a file name: lines of JSON, or one query."""
    if text.lstrip().startswith("{"):
        yield from _read_json_lines(text, place, operators)
    else:
        yield _read(lambda: subscription_from_text(text, "stdin", operators=operators), place)


def _read_json_lines(text: str, place: str, operators: OperatorArities | None) -> Iterator[Subscription | GtopssError]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield _read(lambda line=line: _read_line(line, operators), f"{place}, line {number}")


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
        raise InvalidSubscription("?", 'a line needs "id" and "query", which are strings')
    try:
        return subscription_from_text(data["query"], data["id"], operators=operators)
    except InvalidQuery as error:  # its line is counted in the query
        raise InvalidSubscription(error.subscription_id, f"in the query: {error.reason}") from error
