"""The results of matching: matches with their solutions, and the report of one publication."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, overload

from rdflib.term import Identifier, Literal

from gtopss.errors import GtopssError
from gtopss.model.display import match_line, report_line, report_table
from gtopss.model.results_json import rows_to_json
from gtopss.model.subscription import Branch, Subscription
from gtopss.model.terms import MAX_CACHED_TERM_CHARACTERS, Term, Triple, to_rdflib

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Row: TypeAlias = tuple[Term | None, ...]
"""Values in the order of `branch.columns()`; None for a bind that has no value."""

_Row = TypeVar("_Row")

OUTPUT_TEXT_LIMIT = 16_000_000
"""Characters that are written of the solutions of one publication, and of one explanation."""
OUTPUT_LIMIT_NAME = "output_text_limit"
MIN_MATCH_CHARACTERS = 10_000
"""Characters that are written of each match, even if other matches of its publication have reached the limit."""


class Solution(NamedTuple):
    """One way to satisfy a branch."""

    branch: Branch
    row: Row

    @classmethod
    def of(cls, branch: Branch, values: Mapping[Term, Term]) -> Solution:
        return cls(branch, tuple(map(values.get, branch.columns())))

    def values(self) -> dict[Term, Term]:
        columns = self.branch.columns()
        return {name: value for name, value in zip(columns, self.row, strict=True) if value is not None}

    def triples(self) -> tuple[Triple, ...]:
        """Return the triples of the publication behind this solution, one for each 5-tuple."""
        values = self.values()
        return tuple((values.get(s, s), values.get(p, p), values.get(o, o)) for s, p, o in self.branch.edges())


@dataclass(frozen=True, repr=False)
class Match:
    """A subscription that matches a publication, with its solutions: the paper's (S, R).

    `bindings` has the selected values of each solution as rdflib terms, `rows` as text. There are no solutions if the
    publication was matched with `bindings=False`; with DISTINCT, solutions with equal selected values count once.
    `truncated` says whether solutions were left out because of `row_limit` or `value_limit`.
    """

    publication_id: str
    subscription: Subscription
    solutions: tuple[Solution, ...]
    truncated: bool = False
    graph: tuple[Triple, ...] | None = None
    """The triples that a CONSTRUCT or DESCRIBE query returns; None for other queries."""
    long_terms: dict[Term, Identifier] = field(default_factory=dict, compare=False, repr=False)
    """rdflib's form of long terms. The matches of a publication share it, so that each long term is copied once."""

    @classmethod
    def of(
        cls,
        publication_id: str,
        subscription: Subscription,
        found: Iterable[Solution],
        row_limit: int,
        value_limit: int,
        long_terms: dict[Term, Identifier],
    ) -> Match | None:
        """Return the match of these solutions; None if there is none. Reads one more than it may keep."""
        solutions = _distinct(found, subscription) if subscription.distinct else found
        kept, more = take_rows(solutions, lambda solution: len(solution.row), row_limit, value_limit)
        if not kept and not more:
            return None
        return cls(publication_id, subscription, tuple(kept), more and row_limit > 0, long_terms=long_terms)

    def __repr__(self) -> str:
        return f"<{match_line(self)}>"

    @property
    def subscription_id(self) -> str:
        return self.subscription.id

    @cached_property
    def rows(self) -> tuple[dict[str, Term], ...]:
        """The selected values of each solution: a dict from variable names (without `?`) to terms in N-Triples text."""
        return tuple(
            {name[1:]: value for name, value in _selected(solution, self.subscription)} for solution in self.solutions
        )

    @cached_property
    def bindings(self) -> tuple[dict[str, Identifier], ...]:
        """The selected values of each solution: a dict from variable names (without `?`) to rdflib terms.

        Terms keep their lexical form. A literal is converted to a Python value when its `value` or `toPython()` is
        used, which may take long for a long rdf:XMLLiteral.
        """
        # One object for each term: a copy of a long term for each of its rows would take a thousand times its memory.
        converted = {value: self._to_rdflib(value) for value in {value for row in self.rows for value in row.values()}}
        return tuple({name: converted[value] for name, value in row.items()} for row in self.rows)

    def _to_rdflib(self, value: Term) -> Identifier:
        if len(value) <= MAX_CACHED_TERM_CHARACTERS:
            return to_rdflib(value)
        if value not in self.long_terms:
            self.long_terms[value] = to_rdflib(value)
        return self.long_terms[value]

    @property
    def turtle(self) -> str:
        """The graph of a CONSTRUCT or DESCRIBE query in Turtle, without prefixes; empty for other queries."""
        return "".join(f"{subject} {property} {object_} .\n" for subject, property, object_ in self.graph or ())

    def to_json(self, text_limit: int = OUTPUT_TEXT_LIMIT) -> dict[str, Any]:
        """Return the match as JSON data, as `--json` prints it.

        Bindings are in the SPARQL 1.1 Query Results JSON Format. Rows beyond `text_limit` characters in total are left
        out: in memory, rows share long terms, but as text each row would repeat them.
        """
        return self._to_json(self._rows_within(text_limit))

    def _to_json(self, rows: list[dict[str, Term]]) -> dict[str, Any]:
        more = len(rows) < len(self.rows)
        return {
            **({} if self.graph is None else {"graph": self.turtle}),
            "publication": self.publication_id,
            "subscription": self.subscription_id,
            "bindings": rows_to_json(rows),
            "truncated": self.truncated or more,
            "limits_reached": [OUTPUT_LIMIT_NAME] if more else [],
        }

    def _rows_within(self, text_limit: int) -> list[dict[str, Term]]:
        """Return the first rows whose names and values have at most `text_limit` characters together."""
        for number, row in enumerate(self.rows):
            text_limit -= row_characters(row)
            if text_limit < 0:
                return list(self.rows[:number])
        return list(self.rows)


def row_characters(row: Mapping[str, Term]) -> int:
    """Return the number of characters in the names and values of a row."""
    return sum(map(len, row)) + sum(map(len, row.values()))


def take_rows(
    rows: Iterable[_Row], width: Callable[[_Row], int], row_limit: int, value_limit: int
) -> tuple[list[_Row], bool]:
    """Return the first rows within both limits, at least one unless `row_limit` is 0, and whether there are more.

    `width` returns the number of values in a row.
    """
    taken: list[_Row] = []
    for row in rows:
        value_limit -= width(row)
        if len(taken) == row_limit or (value_limit < 0 and taken):
            return taken, True
        taken.append(row)
    return taken, False


def _selected(solution: Solution, subscription: Subscription) -> tuple[tuple[Term, Term], ...]:
    values = solution.values()
    return tuple((name, values[name]) for name in subscription.select if name in values)


def _distinct(solutions: Iterable[Solution], subscription: Subscription) -> Iterator[Solution]:
    seen = set()
    for solution in solutions:
        selected = _selected(solution, subscription)
        if selected not in seen:
            seen.add(selected)
            yield solution


@dataclass(slots=True)
class Counters:
    """Count the work that one publication took. Tests, figures and explanations read the same numbers."""

    edges_probed: int = 0  # look-ups in the index (for naive matchers: triple comparisons)
    edges_fired: int = 0  # distinct subscription edges that some triple matched
    candidates: int = 0  # branches that reached the join
    joined: int = 0  # rows that the joins produced
    constraints_tested: int = 0  # evaluations of one constraint on one row
    matched: int = 0  # subscriptions that matched


class Undecided(NamedTuple):
    """A subscription that may match, but operator calls returned no answer. `calls` names these calls.

    With a matcher that runs subscriptions as queries in another SPARQL engine, also a subscription whose query failed
    there; `calls` then has the reason.
    """

    subscription_id: str
    calls: tuple[str, ...]


class OperatorUsage(NamedTuple):
    """The operator calls that one publication took."""

    strategy: str
    calls: int
    saved: int  # calls avoided by sharing, by the order of calls and by the cache
    cost: float
    failing: tuple[tuple[str, int], ...]  # operator name, number of its calls that returned no answer


_LIMIT_UNITS = {
    "work_limit": "steps",
    "publication_work_limit": "steps",
    "number_limit": "digits",
    "value_limit": "values",
}


class Exceeded(NamedTuple):
    """A subscription whose matching was stopped in one publication, because it reached a limit.

    `limit` is the name of the limit. `work` is the amount used: steps; characters for limits on text; values for
    `value_limit`. docs/limits.md explains the limits.
    """

    subscription_id: str
    work: int
    limit: str = "work_limit"

    def __str__(self) -> str:
        unit = _LIMIT_UNITS.get(self.limit, "characters")
        return f"matching stopped at {self.limit}, after {self.work:,} {unit}: it may match, or have more solutions"


@dataclass(frozen=True, slots=True)
class MatchReport(Sequence[Match]):
    """The matches of one publication: a sequence of `Match`, with the reasons for which it may be incomplete.

    error
        Why the publication could not be read; None if it was read. There are no matches then.
    exceeded
        Subscriptions whose matching was stopped by a limit: they may match, or have more solutions.
    undecided
        Subscriptions that may match, but operator calls returned no answer.
    limits_reached
        Names of the limits that the publication itself reached: any subscription may match without being reported.
    operator_usage
        The number and cost of the operator calls; None if there were none.
    counters
        The work that matching took.

    docs/limits.md explains the limits.
    """

    publication_id: str
    matches: tuple[Match, ...]
    counters: Counters = field(compare=False, default_factory=Counters)
    error: GtopssError | None = None
    exceeded: tuple[Exceeded, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    operator_usage: OperatorUsage | None = None
    limits_reached: tuple[str, ...] = ()
    shown_prefixes: Callable[[str], Mapping[str, str]] | None = field(compare=False, repr=False, default=None)
    """Returns the prefixes for showing the terms of a subscription, by its id; None for the preset ones."""

    @overload
    def __getitem__(self, index: int) -> Match: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Match, ...]: ...
    def __getitem__(self, index: int | slice) -> Match | tuple[Match, ...]:
        return self.matches[index]

    def __len__(self) -> int:
        return len(self.matches)

    def __iter__(self) -> Iterator[Match]:
        return iter(self.matches)

    def selected_values(self) -> Iterator[tuple[str, Sequence[Sequence[tuple[str, Term]]], bool]]:
        """Yield for each match its subscription's id, the names and values of each solution, and `truncated`."""
        for match in self.matches:
            yield match.subscription_id, [tuple(row.items()) for row in match.rows], match.truncated

    def matches_to_json(self, text_limit: int = OUTPUT_TEXT_LIMIT) -> Iterator[dict[str, Any]]:
        """Yield `Match.to_json` of each match. All share `text_limit`, but each may have MIN_MATCH_CHARACTERS."""
        for match, rows in self.written_rows(text_limit):
            yield match._to_json(rows)

    def written_rows(self, text_limit: int = OUTPUT_TEXT_LIMIT) -> Iterator[tuple[Match, list[dict[str, Term]]]]:
        """Yield each match with its first rows, as many as are written: the matches share `text_limit`."""
        for match in self:
            rows = match._rows_within(max(text_limit, MIN_MATCH_CHARACTERS))
            text_limit -= sum(map(row_characters, rows))
            yield match, rows

    def limit_messages(self) -> tuple[str, ...]:
        """Return a sentence for each limit that the publication reached."""
        return tuple(
            f"it reached {limit}, so subscriptions may match that are not reported" for limit in self.limits_reached
        )

    def to_report(self) -> MatchReport:
        """Return an equal report whose matches are all created, for a report that creates them on demand."""
        return self

    @property
    def subscription_ids(self) -> tuple[str, ...]:
        return tuple(match.subscription_id for match in self.matches)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas DataFrame with one row for each solution. Raises GtopssError if pandas is not installed.

        Columns: `publication`, `subscription`, and one for each selected variable, with `?` before its name. Literals
        are Python values, and IRIs are strings. A match without solutions is one row.
        """
        try:
            import pandas
        except ImportError:
            raise GtopssError("MatchReport.to_dataframe() needs pandas: pip install pandas") from None
        rows = [
            {"publication": self.publication_id, "subscription": match.subscription_id}
            | {
                f"?{name}": value.toPython() if isinstance(value, Literal) else str(value)
                for name, value in row.items()
            }
            for match in self.matches
            for row in match.bindings or ({},)
        ]
        return pandas.DataFrame(rows, columns=["publication", "subscription", *self._variable_columns()])

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with one row for each solution. Raises GtopssError if pyarrow is not installed.

        The columns are those of `to_dataframe`; terms are strings in N-Triples syntax.
        """
        try:
            import pyarrow
        except ImportError:
            raise GtopssError("MatchReport.to_arrow() needs pyarrow: pip install pyarrow") from None
        names = ["publication", "subscription", *self._variable_columns()]
        rows = [
            {"publication": self.publication_id, "subscription": match.subscription_id}
            | {f"?{name}": str(value) for name, value in row.items()}
            for match in self.matches
            for row in match.rows or ({},)
        ]
        return pyarrow.table({name: pyarrow.array([row.get(name) for row in rows], pyarrow.string()) for name in names})

    def _variable_columns(self) -> list[str]:
        return [
            f"?{name}" for name in dict.fromkeys(name for match in self.matches for row in match.rows for name in row)
        ]

    def __repr__(self) -> str:
        return f"<{report_line(self)}>"

    def _repr_html_(self) -> str:
        """Return the matches as a table, for a notebook."""
        return report_table(self)
