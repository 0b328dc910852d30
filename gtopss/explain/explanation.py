"""An explanation as frozen, comparable data, which can be written as JSON.

Explanation
└── BranchExplanation          one for each branch, the closest to a match first
    ├── SolutionExplanation    if the branch matched: bindings, the triple behind each edge, each constraint
    └── Failure                if not: EdgeFailure, JoinFailure or ConstraintFailure
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from gtopss.explain.excerpts import Excerpt
from gtopss.explain.limits import MIN_TEXT_CHARACTERS
from gtopss.model import Branch, Call, Expression, Term, Triple
from gtopss.model.matches import OUTPUT_LIMIT_NAME, OUTPUT_TEXT_LIMIT
from gtopss.model.results_json import SharedJsonTerms
from gtopss.model.term_text import shorten

Bindings: TypeAlias = "tuple[Binding, ...]"
Position: TypeAlias = Literal["subject", "property", "object"]
EdgeState: TypeAlias = Literal["matched", "failing", "other"]
Prefixes: TypeAlias = Mapping[str, str]


class Binding(NamedTuple):
    """A variable and its value."""

    variable: Term
    value: Term


@dataclass(frozen=True, slots=True)
class EdgeMatch:
    """An edge of the pattern and the triple of the publication that it matches."""

    edge: Triple
    triple: Triple


@dataclass(frozen=True, slots=True)
class IsACheck:
    """An is-a call inside a constraint, with its answer.

    `path` leads upward, the lower term first. `type_is_stated` says that its first step is a type which the
    publication itself states. Where the answer is no, `path` is the path by which a plain is-a would hold (an indirect
    one, for `directlyA`) and usually empty, and `parents` are some classes that the lower term has instead.
    """

    function: str
    term: Term
    cls: Term
    answer: bool
    path: tuple[Term, ...] = ()
    type_is_stated: bool = False
    parents: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelCheck:
    """A call of `labelled` inside a constraint, with its answer.

    Where the answer is yes, `label` is the label as the ontology has it, and `path` leads upward from the term that has
    it to the class. Where it is no, `others` are some terms that have the label and are not below the class, and
    `called` are some labels of the class itself. `is_text` says whether it is a string that was compared.
    """

    text: Term
    cls: Term
    answer: bool
    is_text: bool
    label: Term | None = None
    path: tuple[Term, ...] = ()
    others: tuple[Term, ...] = ()
    called: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassLabel:
    """The label of a class, or of another term, that a check names."""

    term: Term
    label: str


@dataclass(frozen=True, slots=True)
class TextCheck:
    """A needle that a constraint looks for in a text: with CONTAINS, words, REGEX and the like.

    `excerpt` is the needle where it was found, in the text as it was written (for words without HTML). It is None if
    the needle was not found, or if the place is not known; then `text` is a literal with the beginning of the text.
    Both are None if there is no text: `has` looks for words in all values of a property, and there may be none.
    """

    function: str
    needle: Term
    holds: bool
    excerpt: Excerpt | None = None
    text: Term | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One constraint, evaluated on one row.

    `deciding` is the part that decided: the first failing member of a failing `&&`, the first alternative that holds
    of `||` or IN, otherwise the whole constraint. `substituted` is that part with the row's values in place of its
    variables. `error` is set if the constraint failed with a type error. `text_checks` are the needles of the part that
    decided, and for a miss those of the others too; `more_texts` counts the needles beyond those shown. `class_labels`
    are the labels of the classes that the is-a and label checks name.
    """

    constraint: Call
    deciding: Call
    substituted: Call
    holds: bool
    error: str | None = None
    isa_checks: tuple[IsACheck, ...] = ()
    text_checks: tuple[TextCheck, ...] = ()
    more_texts: int = 0
    label_checks: tuple[LabelCheck, ...] = ()
    class_labels: tuple[ClassLabel, ...] = ()


@dataclass(frozen=True, slots=True)
class ComputedValue:
    """The value of a bind; None, with the error, if the variable stayed unbound."""

    variable: Term
    substituted: Expression
    value: Term | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class SolutionExplanation:
    """One solution: its bindings, the triple behind each edge, and each constraint."""

    bindings: Bindings
    edges: tuple[EdgeMatch, ...]
    computed: tuple[ComputedValue, ...]
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class NearTriple:
    """A triple that agrees with an edge in most positions, and the positions in which it differs."""

    triple: Triple
    differs: tuple[Position, ...]


@dataclass(frozen=True, slots=True)
class EdgeFailure:
    """No triple of the publication matches this edge, even by itself."""

    kind: ClassVar[str] = "edge"
    edge: Triple
    nearest: tuple[NearTriple, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A variable with its value in the matched part, and the value that the failing edge needs."""

    variable: Term
    in_part: Term
    in_edge: Term


@dataclass(frozen=True, slots=True)
class JoinFailure:
    """The edge matches by itself, but not together with the matched part.

    `triples` are some that the edge matches by itself and `more` counts the rest. `conflicts` come from the row and
    the triple that disagree on the fewest variables.
    """

    kind: ClassVar[str] = "join"
    edge: Triple
    triples: tuple[Triple, ...]
    more: int
    conflicts: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True)
class ClosestValue:
    """The value that came nearest to the limit of an ordered comparison.

    `only_failure` says that every other constraint holds in its row.
    """

    value: Term
    limit: Term
    only_failure: bool


@dataclass(frozen=True, slots=True)
class ConstraintFailure:
    """All edges match, but no row satisfies all constraints.

    `checks` are those of the row that satisfies the most, and `check` is the first that fails there.
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
    """The explanation of one branch.

    `matched_edges` are the largest part that matches (all edges, for a solution), and `bindings` is one row of it.
    `exact` says that no larger part matches, `settled` that it is certain whether the branch matches, and `complete`
    that no search stopped early. `more` counts the solutions beyond those shown.
    """

    number: int
    branch: Branch
    matched_edges: tuple[EdgeMatch, ...]
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

    def edge_state(self, edge: Triple) -> EdgeState:
        """Return whether the edge matched, is the one that failed, or is outside the matched part."""
        if any(each.edge == edge for each in self.matched_edges):
            return "matched"
        failing = isinstance(self.failure, (EdgeFailure, JoinFailure)) and self.failure.edge == edge
        return "failing" if failing else "other"

    def checks(self) -> tuple[Check, ...]:
        """Return the constraints of the row that is shown: the first solution, or the best row of a miss."""
        if self.solutions:
            return self.solutions[0].checks
        return self.failure.checks if isinstance(self.failure, ConstraintFailure) else ()

    def computed(self) -> tuple[ComputedValue, ...]:
        """Return the computed values of the row that is shown."""
        if self.solutions:
            return self.solutions[0].computed
        return self.failure.computed if isinstance(self.failure, ConstraintFailure) else ()

    def to_json(self, terms: SharedJsonTerms | None = None) -> dict[str, Any]:
        """Return plain data, as in `Explanation.to_json`. `terms` are shared with other branches."""
        terms = terms or SharedJsonTerms()
        triples = {each.edge: each.triple for each in self.matched_edges}
        failure = None if self.failure is None else {"kind": self.failure.kind, **_plain(self.failure, terms)}
        return {
            "number": self.number,
            "matched": self.matched,
            "edges": [
                {"edge": list(edge), "state": self.edge_state(edge), "triple": _plain(triples.get(edge), terms)}
                for edge in self.branch.edges()
            ],
            "bindings": _row_to_json(self.bindings, terms),
            "solutions": _plain(self.solutions, terms),
            "more": self.more,
            "failure": failure,
            "exact": self.exact,
            "settled": self.settled,
            "complete": self.complete,
        }


class OperatorCalls(NamedTuple):
    """The operators' part of an explanation: each call with its answer, as text."""

    calls: tuple[str, ...]
    satisfied: bool
    undecided: bool  # some call has no answer, and the answer could change the result
    strategy_costs: tuple[str, ...] = ()  # for each strategy, the calls that this subscription alone would need


class QueryExplanation(NamedTuple):
    """The second stage of a query: whether it has a solution, what the index found it by, and a line for each step."""

    matched: bool
    settled: bool
    indexed: tuple[str, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation why a subscription matches a publication, or why it does not.

    Print it, or display it in a notebook; `text`, `to_json`, `svg` and `mermaid` return other forms. `matched` says
    whether the subscription matches. `settled` is False if the search for a solution reached a limit before it found
    one: `matched` is then False, but there may be a match. `complete` is False if any search reached a limit: counts
    are then lower bounds.
    """

    subscription_id: str
    publication_id: str
    branches: tuple[BranchExplanation, ...]
    operators: OperatorCalls | None = None  # None if the subscription uses no operators
    impossible: tuple[str, ...] = ()  # why branches can never match, as found at registration
    query: QueryExplanation | None = None  # of a query, whose branches are only the part that must hold
    prefixes: Prefixes = field(default_factory=dict, compare=False, repr=False)  # by which IRIs are shortened

    @property
    def matched(self) -> bool:
        if self.query is not None:
            return self.query.matched
        return any(each.matched for each in self.branches) and (self.operators is None or self.operators.satisfied)

    @property
    def settled(self) -> bool:
        if self.query is not None:
            return self.query.settled
        if self.operators is not None and self.operators.undecided and not self.operators.satisfied:
            return False
        return self.matched or self.operators is not None or all(each.settled for each in self.branches)

    @property
    def complete(self) -> bool:
        return all(each.complete for each in self.branches)

    @property
    def solutions(self) -> tuple[SolutionExplanation, ...]:
        return tuple(solution for each in self.branches for solution in each.solutions)

    def to_json(self, text_limit: int = OUTPUT_TEXT_LIMIT) -> dict[str, Any]:
        """Return the explanation as JSON data: terms in N-Triples syntax, calls as lists that begin with the function.

        Bindings are in the SPARQL 1.1 Query Results JSON Format, as in `Match.to_json`. If the data has more than
        `text_limit` characters, the middle of long strings is left out, and `limits_reached` names the limit.
        """
        terms = SharedJsonTerms()
        data = {
            "subscription": self.subscription_id,
            "publication": self.publication_id,
            "matched": self.matched,
            "settled": self.settled,
            "complete": self.complete,
            "operators": None if self.operators is None else list(self.operators.calls),
            "strategies": None if self.operators is None else list(self.operators.strategy_costs),
            "impossible": list(self.impossible),
            "query": None if self.query is None else self.query._asdict(),
            "branches": [each.to_json(terms) for each in self.branches],
            "limits_reached": list[str](),
        }
        lengths = [*map(len, _texts(data))]
        if sum(lengths) > text_limit:
            data = _shortened(data, max(text_limit // len(lengths), MIN_TEXT_CHARACTERS))
            data["limits_reached"] = [OUTPUT_LIMIT_NAME]
        return data

    def text(self, prefixes: Prefixes | None = None, text_limit: int = OUTPUT_TEXT_LIMIT) -> str:
        """Return the explanation as text for a terminal. Text beyond `text_limit` characters is cut, with a note.

        `prefixes` maps prefixes to namespaces; with those of the subscription, they shorten IRIs.
        """
        from gtopss.explain.text import explanation_text

        return explanation_text(self, {**self.prefixes, **(prefixes or {})}, text_limit)

    def mermaid(self, prefixes: Prefixes | None = None, *, branch: int = 0) -> str:
        """Return a Mermaid diagram of one branch. `branch` is an index into `branches`."""
        from gtopss.explain.mermaid import mermaid

        return mermaid(self, self.branches[branch], {**self.prefixes, **(prefixes or {})})

    def svg(self, prefixes: Prefixes | None = None, *, branch: int = 0) -> str:
        """Return a diagram of one branch as a self-contained SVG element. `branch` is an index into `branches`."""
        from gtopss.explain.svg import svg

        return svg(self, self.branches[branch], {**self.prefixes, **(prefixes or {})})

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return f"<div>{self.svg()}<pre>{html.escape(self.text())}</pre></div>"


def _plain(value: Any, terms: SharedJsonTerms) -> Any:
    """Convert this module's data to JSON lists, objects and strings."""
    if isinstance(value, Call):
        return [value.function, *(_plain(each, terms) for each in value.arguments)]
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name), terms) for each in fields(value)}
    if isinstance(value, tuple):
        if value and all(isinstance(each, Binding) for each in value):
            return _row_to_json(value, terms)
        return [_plain(each, terms) for each in value]
    return value


def _row_to_json(bindings: Bindings, terms: SharedJsonTerms) -> dict[str, Any]:
    return {variable[1:]: terms(value) for variable, value in bindings}


def _texts(data: Any) -> Iterator[str]:
    """Yield the strings in JSON data, names included."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        if isinstance(data, dict):
            yield from data
            data = data.values()
        for each in data:
            yield from _texts(each)


def _shortened(data: Any, max_characters: int) -> Any:
    """Return JSON data without the middle of each long string; the names of members are variables, and stay."""
    if isinstance(data, str):
        return shorten(data, max_characters)
    if isinstance(data, dict):
        return {name: _shortened(each, max_characters) for name, each in data.items()}
    return [_shortened(each, max_characters) for each in data] if isinstance(data, list) else data
