"""Refuse JSON-LD contexts outside the document, so that parsing opens no file and no host.

There are two defences. :func:`refuse_remote_contexts` finds each context that a document refers to by address. If it
misses one, or rdflib learns a new way to refer to one, :func:`context_loading_blocked` makes rdflib's own loader
refuse.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from rdflib.plugins.shared.jsonld import context as rdflib_context

from ontology.errors import MalformedOntology, RemoteContextRefused

__all__ = ["context_loading_blocked", "refuse_remote_contexts"]

_DOCUMENT: ContextVar[str | None] = ContextVar("_DOCUMENT", default=None)
"""The name of the document that this thread or task is parsing with context loading blocked."""


def refuse_remote_contexts(content: bytes, *, source: str) -> bytes:
    """Return the JSON text, serialised again, after checking that it refers to no context outside the document.

    rdflib gets exactly what was checked: the parsed value is serialised again, so that a second parser cannot read the
    bytes differently (duplicate keys, another encoding).

    >>> content = b'{"@context": [[{"p": {"@id": "urn:p", "@context": "http://elsewhere/"}}]]}'
    >>> refuse_remote_contexts(content, source="zoo.jsonld")
    Traceback (most recent call last):
    ontology.errors.RemoteContextRefused: zoo.jsonld: the JSON-LD context 'http://elsewhere/' lies outside the \
document and is never fetched; write the context out inside the document, or convert it to Turtle
    """

    def checked(members: list[tuple[str, Any]]) -> dict[str, Any]:
        # Called for every object, so it sees the contexts of terms, types and nested nodes.
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
        raise MalformedOntology("JSON-LD must be an object or an array, and this is neither", source=source)
    return json.dumps(value).encode()


def _addresses(context: Any) -> Iterator[str]:
    """Yield the strings in a context, at any depth of lists, since rdflib flattens them."""
    stack = [context]
    while stack:
        each = stack.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, list):
            stack.extend(reversed(each))


@contextmanager
def context_loading_blocked(source: str) -> Iterator[None]:
    """Make rdflib refuse to load contexts in this thread or task. Other threads and tasks are not affected."""
    token = _DOCUMENT.set(source)
    try:
        yield
    finally:
        _DOCUMENT.reset(token)


_load = vars(rdflib_context)["source_to_json"]


def _load_unless_blocked(source: Any, *arguments: Any, **options: Any) -> Any:
    document = _DOCUMENT.get()
    if document is not None:
        raise RemoteContextRefused(str(source), source=document)
    return _load(source, *arguments, **options)


# Patched once for the whole process: rdflib takes no loader as an argument, and patching during each parse would let
# two threads restore each other's loader.
vars(rdflib_context)["source_to_json"] = _load_unless_blocked
