"""Parse many texts of few shapes: each shape is parsed once, and gets the constants of each text.

    SELECT * { ?x <urn:a> <urn:b> }  ──>  shape SELECT * { ?x <0> <1> }, constants (<urn:a>, <urn:b>)

A constant is an absolute IRI in angle brackets, or the plain text of `words(?t, "...")`: without escapes, and without
control characters, which are escaped in a term. Texts have the same shape if they are equal but for constants, and
repeat constants at the same places. A shape is parsed once, with placeholders for its constants, and used only if each
of them is a whole term of the subscription and nothing else; so a datatype, a cast or a prefix is none. All other texts
are parsed, and so is one with a constant that its shape has by itself: equal terms may be joined.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from gtopss.model import Branch, Call, Expression, Subscription, Term
from gtopss.model.expressions import calls_in, leaf_terms
from gtopss.model.subscription import Bind, FiveTuple, restore_unchecked

MAX_SHAPES = 10_000
"""Shapes that are kept; further ones are parsed each time."""
_TOKEN = re.compile(
    r"""(?P<iri><[A-Za-z][A-Za-z0-9+.-]*:[^<>"{}|^`\\\x00-\x20]*>)"""
    r"""|(?P<before>\b[wW][oO][rR][dD][sS]\s*\(\s*[?$]\w+\s*,\s*)"(?P<words>[^"\\\x00-\x1f\x7f]*)"(?=\s*\))"""
    r"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\#[^\n]*"""
)
_NO_TEMPLATE = re.compile(r"""\b(?:PREFIX|BASE)\b|\"\"\"|'''""", re.IGNORECASE)
_FIXED = ("<http://www.w3.org/",)  # IRIs of RDF and XSD, some of which the language knows
_MARK = "gtopsstemplate"
Parse = Callable[[str, str], Subscription]
"""Parses a text; the second argument is the id."""


class _Shape(NamedTuple):
    """A text with placeholders, and the constants that they stand for."""

    text: str
    constants: tuple[str, ...]


class _Template(NamedTuple):
    """The subscription of a shape, its placeholders as terms, and the other terms that it has."""

    subscription: Subscription
    placeholders: tuple[str, ...]
    others: frozenset[str]


_SEEN_ONCE = _Template(Subscription("seen-once", [("?x", "?p", "?y")]), (), frozenset())
"""Stands for the template of a shape that is parsed when a second text has it."""


class TextTemplates:
    """Parses texts, and remembers their shapes. Not thread-safe."""

    def __init__(self, parse: Parse) -> None:
        self._parse = parse
        self._known: dict[str, _Template | None] = {}

    def subscription(self, text: str, id: str) -> Subscription:
        """Return the subscription of a text. Raises what the parser raises."""
        shape = _shape_of(text)
        if shape is None or not shape.constants:
            return self._parse(text, id)
        if shape.text not in self._known:
            made = self._parse(text, id)  # one that is refused has no template
            if len(self._known) < MAX_SHAPES:
                self._known[shape.text] = _SEEN_ONCE
            return made
        template = self._known[shape.text]
        if template is _SEEN_ONCE:
            template = self._known[shape.text] = self._template(shape)
        if template is None or not template.others.isdisjoint(shape.constants):
            return self._parse(text, id)
        terms = dict(zip(template.placeholders, map(Term, shape.constants), strict=True))
        return _replaced(template.subscription, id, terms)

    def _template(self, shape: _Shape) -> _Template | None:
        made = self._parse(shape.text, "template")
        if made.query is not None:
            return None
        placeholders = tuple(_placeholder(each, place) for place, each in enumerate(shape.constants))
        terms, functions = _names(made)
        others = terms - set(placeholders)
        is_whole = terms.issuperset(placeholders) and not any(_MARK in each for each in (*others, *functions))
        return _Template(made, placeholders, frozenset(others)) if is_whole else None


def _shape_of(text: str) -> _Shape | None:
    """Return the shape of a text and its constants; None if it may not be replaced token by token."""
    if _NO_TEMPLATE.search(text) or _MARK in text:
        return None
    places: dict[str, int] = {}

    def place(found: re.Match[str]) -> str:
        if (iri := found["iri"]) is not None and not iri.startswith(_FIXED):
            return _placeholder(iri, places.setdefault(iri, len(places)))
        if (words := found["words"]) is not None:
            constant = f'"{words}"'
            return f"{found['before']}{_placeholder(constant, places.setdefault(constant, len(places)))}"
        return found[0]

    shape = _TOKEN.sub(place, text)
    return _Shape(shape, tuple(places))


def _placeholder(constant: str, place: int) -> str:
    return f"<urn:{_MARK}{place}:>" if constant[0] == "<" else f'"{_MARK}{place} "'


def _names(subscription: Subscription) -> tuple[set[str], set[str]]:
    """Return the terms and the functions of a subscription."""
    terms, functions = set[str](), set[str]()
    for branch in subscription.branches:
        terms.update(part for edge in branch.edges() for part in edge)
        for tree in branch.expressions():
            terms.update(leaf_terms(tree))
        functions.update(call.function for call in calls_in(branch.expressions()))
    return terms, functions


def _replaced(first: Subscription, id: str, terms: Mapping[str, Term]) -> Subscription:
    """Return a subscription with other constants; the fields were checked when the first one was made."""
    branches = tuple(
        restore_unchecked(
            Branch,
            tuple(_five_tuple(each, terms) for each in branch.tuples),
            _calls(branch.where, terms),
            tuple(Bind(name, _expression(tree, terms)) for name, tree in branch.binds),
        )
        for branch in first.branches
    )
    return restore_unchecked(Subscription, id, branches, first.select, first.distinct, None, ())


def _five_tuple(each: FiveTuple, terms: Mapping[str, Term]) -> FiveTuple:
    get = terms.get
    return restore_unchecked(
        FiveTuple,
        get(each.subject, each.subject),
        get(each.property, each.property),
        get(each.object, each.object),
        _calls(each.subject_constraints, terms),
        _calls(each.object_constraints, terms),
    )


def _calls(tests: Sequence[Call], terms: Mapping[str, Term]) -> tuple[Call, ...]:
    return tuple(_call(test, terms) for test in tests) if tests else ()


def _call(tree: Call, terms: Mapping[str, Term]) -> Call:
    return Call(tree.function, tuple(_expression(each, terms) for each in tree.arguments))


def _expression(tree: Expression, terms: Mapping[str, Term]) -> Expression:
    return _call(tree, terms) if isinstance(tree, Call) else terms.get(tree, tree)
