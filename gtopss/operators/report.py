"""The result of evaluating the operators of one publication: matches, undecided subscriptions, calls and costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from gtopss.model import Term
from gtopss.operators.declaration import Rows
from gtopss.operators.predicates import OperatorCall

if TYPE_CHECKING:
    from gtopss.operators.conjunction_table import BranchKey

Reason: TypeAlias = Literal["failed", "timeout", "invalid", "overloaded", "budget", "deadline", "join", "evaluation"]


class UnansweredCall(NamedTuple):
    """A call whose answer is unknown. Unknown never counts as false."""

    call: OperatorCall
    reason: Reason
    detail: str

    def __str__(self) -> str:
        return f"{self.call}: {self.reason}: {self.detail}"


class CallAnswer(NamedTuple):
    """A call and its answer: rows, or None if the answer is unknown."""

    call: OperatorCall
    rows: Rows | None
    seconds: float
    cost: float
    is_cached: bool = False


@dataclass(slots=True)
class OperatorReport:
    """The operators' part of a publication's report.

    Some rows of a key in `undecided` neither matched nor failed: `undecided[key]` are the unanswered calls that would
    have decided them. The key may be in `matched` too, if other rows matched.
    """

    publication_id: str
    matched: dict[BranchKey, tuple[dict[Term, Term], ...]] = field(default_factory=dict)
    undecided: dict[BranchKey, tuple[UnansweredCall, ...]] = field(default_factory=dict)
    truncated: set[BranchKey] = field(default_factory=set)
    """Matches with more rows than the row limit."""
    unanswered: tuple[UnansweredCall, ...] = ()
    unshared_calls: int = 0
    """Calls that would have been made if every subscription evaluated all of its predicates by itself."""
    answers: list[CallAnswer] = field(default_factory=list)

    def extend(self, later: OperatorReport) -> None:
        """Add the report of further calls for the same publication."""
        self.matched |= later.matched
        for key, calls in later.undecided.items():
            self.undecided[key] = tuple(dict.fromkeys((*self.undecided.get(key, ()), *calls)))
        self.truncated |= later.truncated
        self.unanswered = tuple(dict.fromkeys((*self.unanswered, *later.unanswered)))
        self.unshared_calls += later.unshared_calls
        self.answers += later.answers

    @property
    def calls(self) -> int:
        """The number of calls made, without those answered from the cache."""
        return sum(not each.is_cached for each in self.answers)

    @property
    def saved(self) -> int:
        """The number of calls that sharing, ordering and caching made unnecessary."""
        return max(self.unshared_calls - self.calls, 0)

    @property
    def cost(self) -> float:
        return sum(each.cost for each in self.answers)

    @property
    def unanswered_by_operator(self) -> dict[str, int]:
        """The number of unanswered calls of each operator, by its name."""
        found: dict[str, int] = {}
        for each in self.unanswered:
            found[each.call.operator.name] = found.get(each.call.operator.name, 0) + 1
        return found
