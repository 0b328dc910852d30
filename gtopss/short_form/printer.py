"""Write a parsed condition of the short form as text again."""

from __future__ import annotations

import re

from gtopss.short_form.parser import DEFAULT_FIELD, Condition

_PLAIN_WORD = re.compile(r'[^\s()"<>,;:|\\-][^\s()"<>,;:|\\]*')
_OPERATORS = frozenset({"OR", "AND", "NOT"})


def print_condition(condition: Condition, *, negated: bool = False) -> str:
    """Return the text of a condition, which reads as the same condition.

    >>> print_condition(Condition("author", "J. Doe", 0), negated=True)
    '-author:"J. Doe"'
    """
    value = condition.value
    if condition.is_iri:
        value = f"<{value}>"
    elif _PLAIN_WORD.fullmatch(value) is None or value in _OPERATORS:
        value = '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'
    field = "" if condition.field == DEFAULT_FIELD else f"{condition.field}:"
    return f"{'-' if negated else ''}{field}{value}"
