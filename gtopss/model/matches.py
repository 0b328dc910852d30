"""What matching gives back: matches with their solutions, and the report that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, TypeAlias, overload

from rdflib.term import Identifier

from gtopss.errors import GtopssError
from gtopss.model.subscription import Branch, Subscription
from gtopss.model.terms import Term, Triple, to_rdflib

Row: TypeAlias = tuple[Term | None, ...]
"""Values in the order of `branch.columns()`; None for a bind that has no value."""


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
        """The publication's triples behind this solution, one for each 5-tuple."""
        values = self.values()
        return tuple((values.get(s, s), values.get(p, p), values.get(o, o)) for s, p, o in self.branch.edges())


@dataclass(frozen=True, slots=True)
class Match:
    """A subscription and the solutions that satisfy it in one publication: the paper's (S, R).

    `solutions` is empty when the caller asked only whether it matches. `truncated` says that there are more
    solutions than the row limit let through.
    """

    publication_id: str
    subscription: Subscription
    solutions: tuple[Solution, ...]
    truncated: bool = False

    @classmethod
    def of(cls, publication_id: str, subscription: Subscription, found: Iterable[Solution], limit: int) -> Match | None:
        """The match that these solutions make, if any; takes no more of them than it must."""
        solutions = tuple(islice(found, limit + 1))
        if not solutions:
            return None
        return cls(publication_id, subscription, solutions[:limit], len(solutions) > limit > 0)

    @property
    def subscription_id(self) -> str:
        return self.subscription.id

    @property
    def bindings(self) -> tuple[dict[str, Identifier], ...]:
        """The solutions as SPARQL returns them: variable names without `?` to rdflib terms."""
        select = self.subscription.select
        rows = []
        for solution in self.solutions:
            values = solution.values()
            rows.append(tuple((name, values[name]) for name in select if name in values))
        if self.subscription.distinct:
            rows = list(dict.fromkeys(rows))
        return tuple({name[1:]: to_rdflib(value) for name, value in row} for row in rows)

    def to_json(self) -> dict[str, Any]:
        """Plain data, bindings in N-Triples form, for `--json` lines."""
        return {
            "publication": self.publication_id,
            "subscription": self.subscription_id,
            "bindings": [{name: value.n3() for name, value in row.items()} for row in self.bindings],
            "truncated": self.truncated,
        }


@dataclass(slots=True)
class Counters:
    """How much work one publication was. Tests, figures and explanations read the same numbers."""

    edges_probed: int = 0  # look-ups in the index (for naive matchers: triple comparisons)
    edges_fired: int = 0  # distinct subscription edges that some triple matched
    candidates: int = 0  # branches that reached the join
    joined: int = 0  # rows that the joins produced
    constraints_tested: int = 0  # evaluations of one constraint on one row
    matched: int = 0  # subscriptions that matched


@dataclass(frozen=True, slots=True)
class MatchReport(Sequence[Match]):
    """The matches of one publication, and what finding them took. Iterate over it for the matches.

    `error` says why there are none where the publication could not be read.
    """

    publication_id: str
    matches: tuple[Match, ...]
    counters: Counters = field(compare=False, default_factory=Counters)
    error: GtopssError | None = None

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

    @property
    def subscription_ids(self) -> tuple[str, ...]:
        return tuple(match.subscription_id for match in self.matches)
