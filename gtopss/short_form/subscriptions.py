"""Subscriptions in the short form: their names, and files with one of them per line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gtopss.errors import InvalidQuery
from gtopss.short_form.parser import CURLY_QUOTES, All, Any, Condition, Not, Part, SourceLine, parse_short_form
from gtopss.short_form.translation import FIELDS, part_to_query
from ontology.labels import Labels
from sparqlish.errors import SparqlishError

_NAMED = re.compile(r"\s*([\w.-]+)\s*=\s*(.*)", re.DOTALL)
_BADLY_NAMED = re.compile(r'((?:"[^"]*"|[^"=(){}<>])+?)\s=(?:\s+(.*)|$)', re.DOTALL)
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_MAX_SHOWN_CHARACTERS = 60
_SPARQL = re.compile(r"\s*(PREFIX|BASE|SELECT|ASK|CONSTRUCT|DESCRIBE)\s[^\"]*[<{]", re.IGNORECASE)
_SPARQL_HINT = "This is SPARQL, not the short form. On the command line, write it into a .rq file."


@dataclass(frozen=True, slots=True)
class ShortForm:
    """A subscription in the short form. Without a name, its text is its id."""

    id: str
    source: SourceLine

    @classmethod
    def read(cls, line: str, number: int = 1) -> ShortForm:
        """Read `name = text`, or the text alone, from a line with this number.

        >>> named = ShortForm.read("news = topic:health")
        >>> named.id, named.text
        ('news', 'topic:health')
        >>> ShortForm.read("  topic:health   -sport ").id
        'topic:health -sport'
        """
        named = _NAMED.fullmatch(line)
        text = line if named is None else named[2]
        before = line[: len(line) - len(text.lstrip())]
        return cls(" ".join(line.split()) if named is None else named[1], SourceLine(text.strip(), before, number))

    @property
    def text(self) -> str:
        return self.source.text

    def tree(self) -> Part:
        """Return the conditions of the text. Raises SparqlishError."""
        return parse_short_form(self.source, FIELDS)

    def query(self, labels: Callable[[], Labels] | None = None) -> str:
        """Return the query that it means. Raises InvalidQuery with the place of the problem."""
        try:
            return part_to_query(self.tree(), self.source, labels)
        except SparqlishError as error:
            if _SPARQL.match(self.text):
                reason = f"{error}\n{_SPARQL_HINT}"
            else:
                error = self._name_error() or error
                reason = str(error)
            raise InvalidQuery(self.id, reason, line=error.line, column=error.column) from error

    def _name_error(self) -> SparqlishError | None:
        """Return the error of `a name = text` whose name has a space or another sign; None if it is not that."""
        found = _BADLY_NAMED.fullmatch(self.text.translate(CURLY_QUOTES))
        if found is None or self.source.before.strip():  # it has a name already
            return None
        name = _NOT_IN_NAMES.sub("-", self.text[: found.end(1)]).strip("-.") or "name"
        text = self.text[found.start(2) :] if found[2] else "..."
        shown = f"{name} = {text}"
        if len(shown) > _MAX_SHOWN_CHARACTERS:
            shown = f"{shown[:_MAX_SHOWN_CHARACTERS]}..."
        return self.source.error(0, f"a name has only letters, digits, `_`, `.` and `-`, and no spaces: write {shown}")

    def condition_queries(self, labels: Callable[[], Labels] | None = None) -> list[str]:
        """Return a query for each condition without a minus. Raises SparqlishError, as `tree` does.

        >>> len(ShortForm.read('linux OR (topic:health -sport)').condition_queries())
        2
        """
        return [part_to_query(each, self.source, labels) for each in _conditions(self.tree(), negated=False)]


def _conditions(part: Part, *, negated: bool) -> Iterator[Condition]:
    """Yield the conditions that an item should meet; if `negated`, those of the opposite of the part."""
    match part:
        case Not():
            yield from _conditions(part.part, negated=not negated)
        case Condition():
            if not negated:
                yield part
        case All() | Any():
            for each in part.parts:
                yield from _conditions(each, negated=negated)


def read_lines(text: str) -> Iterator[ShortForm]:
    """Yield the subscriptions of a file. Empty lines, and those that begin with #, are none."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield ShortForm.read(line, number)
