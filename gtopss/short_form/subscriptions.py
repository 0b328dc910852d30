"""Subscriptions in the short form: their names, and files with one of them per line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from gtopss.errors import InvalidQuery
from gtopss.short_form.translation import to_query
from ontology.labels import Labels
from sparqlish.errors import SparqlishError

_NAMED = re.compile(r"\s*([\w.-]+)\s*=\s*(.*)", re.DOTALL)


class ShortForm(NamedTuple):
    """A subscription in the short form. Without a name, its text is its id."""

    id: str
    text: str

    @classmethod
    def read(cls, line: str) -> ShortForm:
        """Read `name = text`, or the text alone.

        >>> ShortForm.read("news = topic:health"), ShortForm.read("  topic:health   -sport ")
        (ShortForm(id='news', text='topic:health'), ShortForm(id='topic:health -sport', text='topic:health   -sport'))
        """
        named = _NAMED.fullmatch(line)
        if named is not None:
            return cls(named[1], named[2].strip())
        return cls(" ".join(line.split()), line.strip())

    def query(self, labels: Callable[[], Labels] | None = None) -> str:
        """Return the query that it means (see `to_query`). Raises InvalidQuery with the place of the problem."""
        try:
            return to_query(self.text, labels)
        except SparqlishError as error:
            raise InvalidQuery(self.id, str(error), line=error.line, column=error.column) from error


def read_lines(text: str) -> Iterator[tuple[int, ShortForm]]:
    """Yield the subscriptions of a file with their line numbers. Empty lines, and those that begin with #, are none."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, ShortForm.read(line)
