"""Show an engine in a notebook."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from gtopss.explain.formatting import format_expression, format_tuple
from gtopss.model import Subscription
from gtopss.model.display import MAX_SHOWN_CHARACTERS, MAX_SHOWN_ROWS, html_table
from gtopss.model.term_text import escape_controls, shorten

if TYPE_CHECKING:
    from gtopss.engine.engine import Engine

_MAX_PATTERN_CHARACTERS = 4 * MAX_SHOWN_CHARACTERS


def engine_table(engine: Engine) -> str:
    """Return the first subscriptions of an engine as an HTML table, each with its pattern."""
    rows = [
        (escape_controls(shorten(each.id, MAX_SHOWN_CHARACTERS)), _pattern(each, engine.prefixes(each.id)))
        for each in islice(engine.subscriptions(), MAX_SHOWN_ROWS)
    ]
    return html_table(repr(engine)[1:-1], ("subscription", "pattern"), rows, len(engine))


def _pattern(subscription: Subscription, prefixes: dict[str, str]) -> str:
    branches = []
    for branch in islice(subscription.branches, MAX_SHOWN_ROWS):
        parts = [format_tuple(each, prefixes) for each in branch.tuples]
        branches.append(" . ".join([*parts, *(f"({format_expression(test, prefixes)})" for test in branch.where)]))
    return shorten(" UNION ".join(branches), _MAX_PATTERN_CHARACTERS)
