"""Convert the arguments of operators, which are terms, to Python values. Raises ValueError if there is none."""

from __future__ import annotations

from gtopss.model import Term
from gtopss.model.terms import is_literal, literal_parts


def text_of(term: Term) -> str:
    """Return a literal's text."""
    if not is_literal(term):
        raise ValueError(f"{term} is not a literal")
    return literal_parts(term)[0]


def number_of(term: Term) -> float:
    """Return a literal's number, whatever its datatype: feeds often write coordinates as plain strings."""
    return float(text_of(term))
