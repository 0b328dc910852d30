"""An explanation as data: frozen, comparable, and plain JSON on request.

Explanation
└── BranchExplanation          one for each branch, the one that got furthest first
    ├── SolutionExplanation    if it matched: bindings, the triple behind each edge, each constraint
    └── Failure                if not: EdgeFailure, JoinFailure or ConstraintFailure
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from gtopss.model import Branch, Call, Expression, Term, Triple

Bindings: TypeAlias = "tuple[Binding, ...]"
Position: TypeAlias = Literal["subject", "property", "object"]
EdgeState: TypeAlias = Literal["matched", "failing", "other"]
Prefixes: TypeAlias = Mapping[str, str]


class Binding(NamedTuple):
    variable: Term
    value: Term


@dataclass(frozen=True, slots=True)
class EdgeMatch:
    """An edge and the triple of the publication behind it."""

    edge: Triple
    triple: Triple


@dataclass(frozen=True, slots=True)
class IsACheck:
    """An is-a question inside a constraint, with its answer.

    `path` leads upward, the lower term first; `stated` says that its first step is a type which the publication
    itself states. Where the answer is no, `path` is the way by which it is one nonetheless (an indirect one, for
    `directlyA`), most often empty, and `parents` are some of what the lower term is instead.
    """

    function: str
    term: Term
    cls: Term
    answer: bool
    path: tuple[Term, ...] = ()
    stated: bool = False
    parents: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One constraint on one row.

    `asked` is the part that decided: the first failing member of a failing `&&`, else the constraint itself;
    `substituted` is that with the row's values. `error` is set where the failure is a type error.
    """

    constraint: Call
    asked: Call
    substituted: Call
    holds: bool
    error: str | None = None
    questions: tuple[IsACheck, ...] = ()


@dataclass(frozen=True, slots=True)
class ComputedValue:
    """A bind with its value; None, with the reason, where it stayed unbound."""

    variable: Term
    substituted: Expression
    value: Term | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class SolutionExplanation:
    bindings: Bindings
    edges: tuple[EdgeMatch, ...]
    computed: tuple[ComputedValue, ...]
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class NearTriple:
    """A triple that agrees with an edge in most positions, and those in which it does not."""

    triple: Triple
    differs: tuple[Position, ...]


@dataclass(frozen=True, slots=True)
class EdgeFailure:
    """No triple of the publication matches this edge, even alone."""

    kind: ClassVar[str] = "edge"
    edge: Triple
    nearest: tuple[NearTriple, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A variable with the value that the matched part gives it, and the one that the edge needs."""

    variable: Term
    in_part: Term
    in_edge: Term


@dataclass(frozen=True, slots=True)
class JoinFailure:
    """The edge matches by itself, but not together with the matched part.

    `triples` are some that it matches alone and `more` counts the rest; `conflicts` are those of the row and the
    triple that agree best.
    """

    kind: ClassVar[str] = "join"
    edge: Triple
    triples: tuple[Triple, ...]
    more: int
    conflicts: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True)
class ClosestValue:
    """The value that came nearest to an ordered comparison's limit.

    `alone` says that it did so in a row in which every other constraint holds.
    """

    value: Term
    limit: Term
    alone: bool


@dataclass(frozen=True, slots=True)
class ConstraintFailure:
    """All edges match, but in none of the rows all constraints hold.

    `checks` are those of the row that satisfies the most, `check` is its first that fails.
    """

    kind: ClassVar[str] = "constraint"
    check: Check
    checks: tuple[Check, ...]
    computed: tuple[ComputedValue, ...]
    closest: ClosestValue | None
    rows: int


Failure: TypeAlias = EdgeFailure | JoinFailure | ConstraintFailure


@dataclass(frozen=True, slots=True)
class BranchExplanation:
    """What became of one branch.

    `part` is its largest part that matches (all edges, for a solution), `bindings` one row of it. `exact` says that
    no larger part matches; `settled` that whether it matches is certain; `complete` that no search at all was cut
    short. `more` counts the solutions beyond those shown.
    """

    number: int
    branch: Branch
    part: tuple[EdgeMatch, ...]
    bindings: Bindings
    solutions: tuple[SolutionExplanation, ...] = ()
    more: int = 0
    failure: Failure | None = None
    exact: bool = True
    settled: bool = True
    complete: bool = True

    @property
    def matched(self) -> bool:
        return bool(self.solutions)

    def state(self, edge: Triple) -> EdgeState:
        if any(each.edge == edge for each in self.part):
            return "matched"
        failing = isinstance(self.failure, (EdgeFailure, JoinFailure)) and self.failure.edge == edge
        return "failing" if failing else "other"

    def checks(self) -> tuple[Check, ...]:
        """The constraints of the row that is shown: the first solution's, or the best one's."""
        if self.solutions:
            return self.solutions[0].checks
        return self.failure.checks if isinstance(self.failure, ConstraintFailure) else ()

    def to_json(self) -> dict[str, Any]:
        behind = {each.edge: each.triple for each in self.part}
        failure = None if self.failure is None else {"kind": self.failure.kind, **_plain(self.failure)}
        return {
            "number": self.number,
            "matched": self.matched,
            "edges": [
                {"edge": list(edge), "state": self.state(edge), "triple": _plain(behind.get(edge))}
                for edge in self.branch.edges()
            ],
            "bindings": dict(self.bindings),
            "solutions": _plain(self.solutions),
            "more": self.more,
            "failure": failure,
            "exact": self.exact,
            "settled": self.settled,
            "complete": self.complete,
        }


class OperatorCalls(NamedTuple):
    """The operators' part of an explanation: each call with its answer, for people."""

    calls: tuple[str, ...]
    held: bool
    open: bool  # some call has no answer, and might have made a difference
    taken: tuple[str, ...] = ()  # by strategy, what the subscription by itself would have taken of them


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a subscription matched a publication, or did not. `print` it, or let a notebook show it.

    Where `settled` is False the search for a solution reached its limit before it found one: `matched` is False,
    but there may be a match. Where `complete` is False some search did, and counts are lower bounds.
    """

    subscription_id: str
    publication_id: str
    branches: tuple[BranchExplanation, ...]
    operators: OperatorCalls | None = None  # what its operators were asked; None if its pattern is all it has
    impossible: tuple[str, ...] = ()  # why branches can match no publication at all, as found at registration

    @property
    def matched(self) -> bool:
        return any(each.matched for each in self.branches) and (self.operators is None or self.operators.held)

    @property
    def settled(self) -> bool:
        if self.operators is not None and self.operators.open and not self.operators.held:
            return False
        return self.matched or self.operators is not None or all(each.settled for each in self.branches)

    @property
    def complete(self) -> bool:
        return all(each.complete for each in self.branches)

    @property
    def solutions(self) -> tuple[SolutionExplanation, ...]:
        return tuple(solution for each in self.branches for solution in each.solutions)

    def to_json(self) -> dict[str, Any]:
        """Plain data: terms in N-Triples form, calls as lists with the function first."""
        return {
            "subscription": self.subscription_id,
            "publication": self.publication_id,
            "matched": self.matched,
            "settled": self.settled,
            "complete": self.complete,
            "operators": None if self.operators is None else list(self.operators.calls),
            "strategies": None if self.operators is None else list(self.operators.taken),
            "impossible": list(self.impossible),
            "branches": [each.to_json() for each in self.branches],
        }

    def text(self, prefixes: Prefixes | None = None) -> str:
        """For a terminal; `prefixes` maps prefixes to namespaces, to shorten IRIs."""
        from gtopss.explain.text import explanation_text

        return explanation_text(self, prefixes or {})

    def mermaid(self, prefixes: Prefixes | None = None, *, branch: int = 0) -> str:
        """A picture of one branch (an index into `branches`) in mermaid's language."""
        from gtopss.explain.mermaid import mermaid

        return mermaid(self, self.branches[branch], prefixes or {})

    def svg(self, prefixes: Prefixes | None = None, *, branch: int = 0) -> str:
        """The same picture as SVG, with nothing outside of itself."""
        from gtopss.explain.svg import svg

        return svg(self, self.branches[branch], prefixes or {})

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return f"<div>{self.svg()}<pre>{html.escape(self.text())}</pre></div>"


def _plain(value: Any) -> Any:
    """The data of this module as JSON's lists, objects and texts."""
    if isinstance(value, Call):
        return [value.function, *map(_plain, value.arguments)]
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, tuple):
        if value and all(isinstance(each, Binding) for each in value):
            return dict(value)
        return [_plain(each) for each in value]
    return value
