"""The order of ORDER BY, MIN and MAX (SPARQL 1.1, section 15.1): unbound, blank nodes, IRIs, literals.

Literals that `<` compares have its order. The specification leaves the order of the others open; here kinds of
literals follow each other, so that the order is total: numbers, strings, strings in a language, booleans, dates and
times, durations, all others by their text. NaN is before all other numbers.
"""

from __future__ import annotations

from functools import total_ordering
from typing import Any, TypeAlias

from gtopss.model import Term
from gtopss.semantics import EvaluationContext
from gtopss.semantics.values import MOMENTS, ValueKind, value_of

OrderKey: TypeAlias = tuple[Any, ...]
_NO_VALUE, _BLANK, _IRI, _LITERAL = range(4)


def order_key(term: Term | None, context: EvaluationContext) -> OrderKey:
    """Return a key that sorts terms. Plain literals are read as the context reads them."""
    if term is None:
        return (_NO_VALUE,)
    if term[0] == "_":
        return (_BLANK, term)
    if term[0] == "<":
        return (_IRI, term[1:-1])
    value = context.operand(value_of(term))
    if value.numeric:
        is_number = value.data == value.data
        return (_LITERAL, ValueKind.INTEGER, is_number, value.data if is_number else 0)
    if value.kind in MOMENTS:
        return (_LITERAL, value.kind, value.data.seconds, value.data.zoned)
    if value.kind in (ValueKind.STRING, ValueKind.BOOLEAN, ValueKind.LANGUAGE_STRING):
        return (_LITERAL, value.kind, value.data)
    return (_LITERAL, ValueKind.OTHER, term)


@total_ordering
class ReverseKey:
    """A key that sorts in the opposite order."""

    __slots__ = ("key",)

    def __init__(self, key: OrderKey) -> None:
        self.key = key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReverseKey) and self.key == other.key

    def __lt__(self, other: ReverseKey) -> bool:
        return bool(other.key < self.key)

    __hash__ = None  # type: ignore[assignment]
