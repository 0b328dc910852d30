"""Show publications and reports: one line in a REPL, a table in a notebook.

What is shown comes from documents of strangers, so it is escaped, and what is long is shortened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from gtopss.model.term_text import escape_controls, format_term, shorten, shorten_iris
from sparqlish import PREFIXES

if TYPE_CHECKING:
    from gtopss.model.matches import Match, MatchReport
    from gtopss.model.publication import Publication
    from gtopss.model.subscription import Subscription
    from gtopss.model.terms import Term

MAX_SHOWN_ROWS = 20
"""Rows of a table in a notebook; the others are counted."""
MAX_SHOWN_CHARACTERS = 100
"""Characters shown of an id, and of a term in a table."""
MAX_PATTERN_CHARACTERS = 1_000
"""Characters shown of a subscription in one line."""


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun.

    >>> counted(1, "triple"), counted(2, "match", "matches")
    ('1 triple', '2 matches')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def describe_value(value: object) -> str:
    """Return what a value of a wrong type is, for an error message.

    >>> describe_value(None), describe_value(5)
    ('None', 'a value of type int')
    """
    return "None" if value is None else f"a value of type {type(value).__name__}"


def html_table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[str]], count: int) -> str:
    """Return an HTML table of the first rows, and a line that counts the others. All texts are escaped."""
    head = "".join(f"<th>{escape(each)}</th>" for each in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(each)}</td>" for each in row) + "</tr>" for row in islice(rows, MAX_SHOWN_ROWS)
    )
    more = f"<p>and {count - MAX_SHOWN_ROWS:,} more</p>" if count > MAX_SHOWN_ROWS else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if count else ""
    return f"<div><p>{escape(caption)}</p>{table}{more}</div>"


def shown_id(id: str) -> str:
    """Return an id as it is shown: in quotes, without control characters, and not longer than a line."""
    return f"'{escape_controls(shorten(id, MAX_SHOWN_CHARACTERS))}'"


def publication_line(publication: Publication) -> str:
    """Return what a publication is, in one line."""
    source = f" from {shown_id(publication.source)}" if publication.source else ""
    return f"Publication {shown_id(publication.id)}{source}: {counted(len(publication.triples), 'triple')}"


def publication_table(publication: Publication) -> str:
    """Return the triples of a publication as an HTML table."""
    rows = (tuple(map(_shown_term, triple)) for triple in publication.triples)
    headings = ("subject", "property", "object")
    return html_table(publication_line(publication), headings, rows, len(publication.triples))


def match_line(match: Match) -> str:
    """Return what matched, and the first solution, in one line."""
    start = f"Match of {shown_id(match.publication_id)} by {shown_id(match.subscription_id)}"
    if not match.rows:
        return start
    (first, *_), more = _solutions(match, {**PREFIXES, **dict(match.subscription.prefixes)}), len(match.rows) - 1
    return f"{start}: {first}" + (f", and {counted(more, 'more solution')}" if more else "")


def subscription_line(subscription: Subscription) -> str:
    """Return the pattern of a subscription in one line."""
    branches = [
        " . ".join(
            [
                *map(str, (*branch.tuples, *branch.where)),
                *(f"{each.variable} := {each.expression}" for each in branch.binds),
            ]
        )
        for branch in subscription.branches
    ]
    pattern = shorten_iris(" UNION ".join(branches), {**PREFIXES, **dict(subscription.prefixes)})
    kind = "a query with the part " if subscription.query is not None else ""
    return (
        f"Subscription {shown_id(subscription.id)}: {kind}{escape_controls(shorten(pattern, MAX_PATTERN_CHARACTERS))}"
    )


def report_line(report: MatchReport) -> str:
    """Return what a report says, in one line."""
    start = f"MatchReport of {shown_id(report.publication_id)}"
    if report.error is not None:
        return f"{start}: {escape_controls(shorten(str(report.error), 3 * MAX_SHOWN_CHARACTERS))}"
    ids = [shown_id(each) for each in report.subscription_ids[:MAX_SHOWN_ROWS]]
    more = f" and {len(report) - len(ids):,} more" if len(report) > len(ids) else ""
    found = counted(len(report), "match", "matches")
    undecided = len(report.exceeded) + len(report.undecided)
    return (
        f"{start}: {found}"
        + (f" ({', '.join(ids)}{more})" if ids else "")
        + (f", {undecided} undecided" if undecided else "")
    )


def report_table(report: MatchReport) -> str:
    """Return the matches of a report as an HTML table, one row for each solution."""
    prefixes_of = getattr(report, "shown_prefixes", None) or (lambda _: PREFIXES)  # unset in a report of the index
    rows = [
        (escape_controls(shorten(match.subscription_id, MAX_SHOWN_CHARACTERS)), solution)
        for match in islice(report.matches, MAX_SHOWN_ROWS)
        for solution in _solutions(match, prefixes_of(match.subscription_id))
    ]
    more = sum(len(match.solutions) or 1 for match in report.matches)
    return html_table(report_line(report), ("subscription", "solution"), rows, more)


def _solutions(match: Match, prefixes: Mapping[str, str]) -> Iterable[str]:
    if not match.rows:
        return [""]
    rows = islice(match.rows, MAX_SHOWN_ROWS)
    return [", ".join(f"?{name} = {_shown_term(value, prefixes)}" for name, value in row.items()) for row in rows]


def _shown_term(term: Term, prefixes: Mapping[str, str] = PREFIXES) -> str:
    return shorten(format_term(term, prefixes), MAX_SHOWN_CHARACTERS)
