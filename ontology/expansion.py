"""Estimate what a parser stores beside the triples, before it gets the document.

The size of the triples is limited while they are made. These constructs take memory or stack without making a triple:

| construct | what a parser does |
|---|---|
| many relative prefixes under a long base, in Turtle | it stores each prefix with the whole base |
| many relative bases, each added to the one before | it copies a base that grows and grows |
| nested JSON-LD contexts | it copies the outer context for each inner one |
| many names below a long JSON-LD vocabulary | it expands all names of an object before it makes triples |
| a JSON-LD term that is defined by a term that is defined by a term... | it recurses |
| one JSON object with very many values | it keeps all of them before it makes triples |
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ontology.errors import MalformedOntology
from ontology.limits import DocumentLimits
from ontology.nesting import N3_TOKENS, TURTLE_TOKENS

__all__ = [
    "check_contexts",
    "check_json_size",
    "check_linked_json_size",
    "has_contexts",
    "has_more_values",
    "turtle_expansion",
]

_GAP = rb"(?: \s | \#[^\r\n]*+ )*+"
_DIRECTIVE = rb"(?i: base | prefix %b [^\s:<\#]*+ : ) %b <[^>]*+>" % (_GAP, _GAP)


def _directive_pattern(tokens: bytes) -> re.Pattern[bytes]:
    """Return a pattern that skips to the next directive, which is group 1."""
    skipped = rb"(?: [^\"'<\#\\bBpP]++ | (?! %b ) [bBpP] | %b | < )*+" % (_DIRECTIVE, tokens)
    return re.compile(skipped + rb"(%b)" % _DIRECTIVE, re.VERBOSE | re.DOTALL)


_TURTLE_DIRECTIVE = _directive_pattern(TURTLE_TOKENS)
_N3_DIRECTIVE = _directive_pattern(N3_TOKENS)
_SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*:")
_VALUE_BYTES = 120  # of a short JSON value in Python, with its place in a list
_LINKED_VALUE_BYTES = 2_000  # of a short value of JSON-LD in pyoxigraph: 950, and twice that while its arrays grow
_JSON_COPIES = 4  # how many times `max_output_bytes` the values of a JSON document may take
_VALUES_PER_MATCH = 100
_JSON_VALUES = re.compile(
    rb"""(?: (?: [^",\[{]++ | " [^"\\]*+ (?: \\. [^"\\]*+ )*+ " )*+ [,\[{] ){%d}+""" % _VALUES_PER_MATCH,
    re.VERBOSE | re.DOTALL,
)
_TERM_BYTES = 250  # of a JSON-LD term in memory, besides its text


def turtle_expansion(data: bytes, limit: int, *, n3: bool = False) -> int:
    """Return how many bytes the prefixes and bases of Turtle, TriG or N3 take once resolved; 0 if below `limit`.

    It is an upper bound: a base in a comment or behind another one counts too.
    """
    lower = data.lower()
    if (lower.count(b"base") + lower.count(b"prefix")) * len(data) <= limit:
        return 0
    pattern = _N3_DIRECTIVE if n3 else _TURTLE_DIRECTIVE
    position = base = expansion = 0
    while found := pattern.match(data, position):
        position = found.end()
        directive = found[1]
        iri = directive[directive.rindex(b"<") + 1 : -1]
        is_relative = _SCHEME.match(iri) is None
        if directive[:1] in b"bB":
            base = base + len(iri) if is_relative else max(base, len(iri))
        if is_relative:
            expansion += base
    return expansion


# --- JSON-LD -----------------------------------------------------------------------------------------------


class _Object(list[tuple[str, Any]]):
    """The members of a JSON object. Repeated keys are kept, because parsers disagree on which of them counts."""


class _Scope(NamedTuple):
    """What the contexts around a JSON value cost."""

    size: int
    """Bytes that a copy of them takes."""
    longest: int
    """Characters that they may add to one name."""
    has_scoped_contexts: bool
    """Whether they have contexts for single terms, which are copied wherever the term is used."""


def has_contexts(data: bytes) -> bool:
    """Return whether JSON may have a member `@context`, perhaps with an escaped sign."""
    return b"@context" in data or b"\\u0040" in data


def check_json_size(data: bytes, limits: DocumentLimits, *, source: str) -> None:
    """Refuse JSON whose values would take too much memory in Python. Raises MalformedOntology."""
    _check_values(data, _VALUE_BYTES, _JSON_COPIES * limits.max_output_bytes, source)


def check_linked_json_size(data: bytes, limits: DocumentLimits, *, source: str) -> None:
    """Refuse JSON-LD whose values would take too much memory in pyoxigraph. Raises MalformedOntology."""
    _check_values(data, _LINKED_VALUE_BYTES, 2 * limits.max_output_bytes, source)


def _check_values(data: bytes, value_bytes: int, limit: int, source: str) -> None:
    most = limit // value_bytes
    if has_more_values(data, most):
        reason = f"it has more than {most} values, which take {limit} bytes (max_output_bytes)"
        raise MalformedOntology(reason, source=source, remedy="split the document")


def has_more_values(data: bytes, most: int) -> bool:
    """Return whether JSON has more values than `most`, or a few less: objects, arrays, and their members but the first.

    >>> has_more_values(b'["a,b,c"' + b", 1" * 300 + b"]", 100), has_more_values(b'["a,b,c", 1]', 2)
    (True, False)
    """
    if data.count(b",") + data.count(b"[") + data.count(b"{") <= most:  # those in strings count here
        return False
    values = position = 0
    while values <= most and (found := _JSON_VALUES.match(data, position)):
        position = found.end()
        values += _VALUES_PER_MATCH
    return values > most


def check_contexts(data: bytes, limits: DocumentLimits, *, source: str) -> None:
    """Refuse JSON in UTF-8 whose contexts are too expensive. Raises MalformedOntology, also if it is not JSON.

    The depth of the JSON must be checked already.
    """
    if not has_contexts(data):
        return
    check_json_size(data, limits, source=source)
    try:
        document = json.loads(
            data.decode("utf-8-sig"), object_pairs_hook=_Object, parse_int=len, parse_float=len, strict=False
        )
    except json.JSONDecodeError as error:
        raise MalformedOntology(error.msg, source=source, line=error.lineno, column=error.colno) from None
    except UnicodeDecodeError as error:
        raise MalformedOntology(f"it is not UTF-8: {error.reason}", source=source) from None
    limit, limit_name = limits.output_limit(len(data))
    size = 0
    pending: list[tuple[Any, _Scope]] = [(document, _Scope(0, 0, False))]
    while pending:
        value, scope = pending.pop()
        if isinstance(value, _Object):
            members = [member for key, member in value if key != "@context"]
            if len(members) < len(value):
                size += scope.size
                for context in (member for key, member in value if key == "@context"):
                    scope = _inner_scope(scope, context, limits, source)
            elif scope.has_scoped_contexts:
                size += scope.size
            size += scope.longest * len(members)
        else:
            members = value if isinstance(value, list) else []
        size += scope.longest * sum(isinstance(member, str) for member in members)
        pending += ((member, scope) for member in members if isinstance(member, list))
        if size > limit:
            reason = f"its contexts and names take more than {limit} bytes where they are used ({limit_name})"
            raise MalformedOntology(reason, source=source, remedy="use one short context for the whole document")


def _inner_scope(outer: _Scope, context: Any, limits: DocumentLimits, source: str) -> _Scope:
    """Return the scope inside a context. Raise MalformedOntology if its terms are defined by each other too deeply."""
    longest, has_scoped_contexts = outer.longest, outer.has_scoped_contexts
    for each in _objects(context):
        depth, length = _definition_costs(each)
        longest += length
        has_scoped_contexts = has_scoped_contexts or any(key == "@context" for key, _ in each)
        if depth > limits.max_depth:
            reason = f"terms of its context are defined by each other more than {limits.max_depth} deep (max_depth)"
            raise MalformedOntology(reason, source=source, remedy="define them by IRIs")
    return _Scope(outer.size + _size(context), longest, has_scoped_contexts)


def _objects(value: Any) -> Iterator[_Object]:
    """Yield all objects in a JSON value, at any depth."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, _Object):
            yield each
            pending += (member for _, member in each)
        elif isinstance(each, list):
            pending += each


def _size(value: Any) -> int:
    """Return about how many bytes a parser needs for a context."""
    size, pending = 0, [value]
    while pending:
        each = pending.pop()
        size += len(each) if isinstance(each, str) else 1
        if isinstance(each, _Object):
            for key, member in each:
                size += len(key) + _TERM_BYTES
                pending.append(member)
        elif isinstance(each, list):
            pending += each
    return size


def _definition_costs(context: _Object) -> tuple[int, int]:
    """Return the length of the longest chain of terms of which each is defined by the next, and of the longest IRI.

    The length of the IRI is an upper bound: what a chain of definitions, the vocabulary and the base have together.
    """
    uses: dict[str, set[str]] = {}
    lengths: dict[str, int] = {}
    for term, definition in context:
        texts = [definition] if isinstance(definition, str) else []
        if isinstance(definition, _Object):
            texts = [text for _, text in definition if isinstance(text, str)]
        lengths[term] = lengths.get(term, 0) + max(map(len, texts), default=0)
        names = (name for text in (term, *texts) for name in (text, text.partition(":")[0]))
        uses.setdefault(term, set()).update(names)
    costs: dict[str, tuple[int, int]] = {}
    for start in uses:
        path = [start]
        while path:
            term = path[-1]
            if term not in costs:
                costs[term] = 0, 0  # so that a cycle ends here; the parser reports it
                path += (name for name in uses[term] if name in uses and name not in costs)
            else:
                path.pop()
                used = [costs[name] for name in uses[term] if name in costs and name != term]
                depth = 1 + max((depth for depth, _ in used), default=0)
                costs[term] = depth, lengths[term] + max((length for _, length in used), default=0)
    longest = max((length for _, length in costs.values()), default=0)
    return max((depth for depth, _ in costs.values()), default=0), longest + lengths.get("@vocab", 0) + lengths.get(
        "@base", 0
    )
