"""JSON-LD that opens nothing: contexts outside the document are refused, and rdflib cannot load one.

There are two locks. :func:`closed` finds each context that a document names by address. Should it overlook
one, or rdflib learn a new way to name it, :func:`locked` has rdflib's own loader refuse.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from rdflib.plugins.shared.jsonld import context as rdflib_context

from ontology.errors import MalformedOntology, RemoteContextRefused

__all__ = ["closed", "locked"]

_DOCUMENT: ContextVar[str | None] = ContextVar("_DOCUMENT", default=None)
"""The name of the document that this thread or task is reading under lock."""


def closed(content: bytes, *, source: str) -> bytes:
    """The JSON text again, once it is sure that reading it as JSON-LD opens nothing else.

    What is checked is what rdflib gets: the parsed value is written out anew, so that no second reading of
    the bytes (duplicate keys, another encoding) can differ from the one that was checked.

    >>> closed(b'{"@context": [[{"p": {"@id": "urn:p", "@context": "http://elsewhere/"}}]]}', source="zoo.jsonld")
    Traceback (most recent call last):
    ontology.errors.RemoteContextRefused: zoo.jsonld: the JSON-LD context 'http://elsewhere/' lies outside the \
document and is never fetched; write the context out inside the document, or convert it to Turtle
    """

    def checked(members: list[tuple[str, Any]]) -> dict[str, Any]:
        # Called for every object, so that contexts of terms, types and nested nodes are all seen.
        for key, value in members:
            if key == "@context":
                address = next(_addresses(value), None)
                if address is not None:
                    raise RemoteContextRefused(address, source=source)
            elif key == "@import":
                raise RemoteContextRefused(str(value), source=source)
        return dict(members)

    value = json.loads(content, object_pairs_hook=checked)
    if not isinstance(value, dict | list):
        raise MalformedOntology("JSON-LD is an object or an array, and this is neither", source=source)
    return json.dumps(value).encode()


def _addresses(context: Any) -> Iterator[str]:
    """The strings in a context at any depth of lists, which rdflib flattens."""
    waiting = [context]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, list):
            waiting.extend(reversed(each))


@contextmanager
def locked(source: str) -> Iterator[None]:
    """While this lasts, rdflib loads no context in this thread or task; others are not concerned."""
    token = _DOCUMENT.set(source)
    try:
        yield
    finally:
        _DOCUMENT.reset(token)


_load = vars(rdflib_context)["source_to_json"]


def _load_unless_locked(source: Any, *arguments: Any, **options: Any) -> Any:
    document = _DOCUMENT.get()
    if document is not None:
        raise RemoteContextRefused(str(source), source=document)
    return _load(source, *arguments, **options)


# Once, for the whole process: rdflib takes no loader as an argument, and patching for the length of each parse
# would let two threads restore each other's loader.
vars(rdflib_context)["source_to_json"] = _load_unless_locked
