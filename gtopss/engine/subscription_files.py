"""Read subscriptions from files: one query per `.rq` file, the short form in `.txt` files, JSON Lines, directories.

A `.txt` file has one subscription in the short form per line (`gtopss.short_form`); in a directory, only files whose
names end in `subscriptions.txt` are read so. A line of JSON is `{"id": ..., "query": ...}`, or a subscription as
`Subscription.to_json` writes it. What cannot be read becomes an error that names the file and line, and does not stop
the rest.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from gtopss.errors import GtopssError, InvalidQuery, InvalidSubscription
from gtopss.language import OperatorArities, subscription_from_text
from gtopss.model import Subscription
from gtopss.short_form import ShortForm, read_lines
from ontology.labels import Labels

_JSON_LINES_SUFFIXES = {".jsonl", ".ndjson", ".json"}
_QUERY_SUFFIXES = {".rq", ".sparql"}
_SHORT_FORM_SUFFIX = ".txt"
_SHORT_FORM_NAME = "*subscriptions.txt"  # in a directory, where other .txt files are notes
_QUERY_START = re.compile(r"\s*(PREFIX|BASE|SELECT|ASK|CONSTRUCT|DESCRIBE)\b(?!\s*[=:.-])", re.IGNORECASE)
_SUFFIXES = {*_JSON_LINES_SUFFIXES, *_QUERY_SUFFIXES}

LabelSource: TypeAlias = Callable[[], Labels] | None
"""Returns the labels of the ontology, for topics of the short form; None if there is no ontology."""


class PlacedSubscription(NamedTuple):
    """A subscription that was read, or why it cannot be, and the file and line that it is from."""

    place: str
    result: Subscription | GtopssError


def read_subscriptions(
    path: Path, operators: OperatorArities | None = None, labels: LabelSource = None
) -> Iterator[Subscription | GtopssError]:
    """Yield the subscriptions of a file, or of all files in a directory and below, in the order of their names.

    The path `-` is standard input, with one query, JSON Lines, or lines in the short form. `operators` are those that
    queries may call, with the number of their arguments (`Registry.arities`).
    """
    return (each.result for each in read_placed_subscriptions(path, operators, labels))


def read_placed_subscriptions(
    path: Path, operators: OperatorArities | None = None, labels: LabelSource = None
) -> Iterator[PlacedSubscription]:
    """Yield what `read_subscriptions` does, each with its place."""
    if str(path) == "-":
        yield from _read_text(sys.stdin.read(), "standard input", operators, labels)
        return
    if path.is_dir():
        files = sorted(path.rglob("*"))
        found = list(filter(is_subscription_file, files))
        if not found:
            reason = "the folder has no .rq, .jsonl or subscriptions.txt files" if files else "the folder is empty"
            yield PlacedSubscription(str(path), InvalidSubscription(str(path), reason))
        for each in found:
            yield from _read_file(each, path, operators, labels)
    else:
        yield from _read_file(path, path.parent, operators, labels)


def is_subscription_file(path: Path) -> bool:
    """Return whether a file of a directory is read as subscriptions."""
    return path.suffix in _SUFFIXES or fnmatch(path.name, _SHORT_FORM_NAME)


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
) -> Iterator[PlacedSubscription]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        refused = InvalidSubscription(str(path), f"the file cannot be read: {reason or error}")
        yield PlacedSubscription(str(path), refused)
        return
    if path.suffix == _SHORT_FORM_SUFFIX:
        yield from _read_short_forms(text, str(path), operators, labels)
        return
    if path.suffix not in _JSON_LINES_SUFFIXES:
        name = str(path.relative_to(top).with_suffix(""))
        read = _read(lambda: subscription_from_text(text, name, operators=operators), str(path))
        yield PlacedSubscription(str(path), read)
        return
    yield from _read_json_lines(text, str(path), operators)


def _read_text(
    text: str, place: str, operators: OperatorArities | None, labels: LabelSource
) -> Iterator[PlacedSubscription]:
    """Yield the subscriptions of a text without a file name: lines of JSON, lines in the short form, or one query."""
    text = text.removeprefix("\ufeff")
    if text.lstrip().startswith("{"):
        yield from _read_json_lines(text, place, operators)
    elif _is_short_form(text):
        yield from _read_short_forms(text, place, operators, labels)
    else:
        read = _read(lambda: subscription_from_text(text, "stdin", operators=operators), place)
        yield PlacedSubscription(place, read)


def _is_short_form(text: str) -> bool:
    """Return whether a text is lines in the short form: it has no `{`, and does not begin as a query does."""
    first = next(read_lines(text), None)
    return first is not None and "{" not in text and _QUERY_START.match(first.source.before + first.text) is None


def _read_short_forms(
    text: str, place: str, operators: OperatorArities | None, labels: LabelSource
) -> Iterator[PlacedSubscription]:
    for short in read_lines(text):
        read = read_short_form(short, place, operators, labels)
        yield PlacedSubscription(f"{place}, line {short.source.number}", read)


def _read_json_lines(text: str, place: str, operators: OperatorArities | None) -> Iterator[PlacedSubscription]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            at = f"{place}, line {number}"
            yield PlacedSubscription(at, _read(lambda line=line: _read_line(line, operators), at))


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
