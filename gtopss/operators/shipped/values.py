"""Operators' arguments, which are terms, as Python values. What has no such value is a ValueError."""

from __future__ import annotations

from gtopss.model import Term
from gtopss.model.terms import is_literal, literal_parts


def text_of(term: Term) -> str:
    """A literal's text."""
    if not is_literal(term):
        raise ValueError(f"{term} is not a text")
    return literal_parts(term)[0]


def number_of(term: Term) -> float:
    """A literal's number: feeds often write coordinates without a datatype, so that plain texts count too."""
    return float(text_of(term))
