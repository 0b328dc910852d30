"""Match subscriptions that call operators: first their graph patterns, then the operators for the rows found.

    publication ──> patterns ──> rows ──> OperatorStage ──> matches, undecided subscriptions, operator usage

They are separate from the other subscriptions because they need rows where others need only the fact that they match,
and because one slow call must not delay the rest. Each branch is a pattern of its own: two branches may call different
operators on equal patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from rdflib.term import Identifier

from gtopss.errors import DuplicateSubscription, SubscriptionNotFound
from gtopss.explain.explanation import OperatorCalls
from gtopss.language import rewrite_subscription
from gtopss.matching.matcher import Matcher
from gtopss.model import Branch, Exceeded, Match, OperatorUsage, Publication, Solution, Subscription, Term, Undecided
from gtopss.operators import CallAnswer, Operator, OperatorReport, SplitBranch, UnansweredCall
from gtopss.semantics import check_expressions

if TYPE_CHECKING:
    from gtopss.operators import OperatorPlan, OperatorStage, StrategyCost
    from gtopss.operators.conjunction_table import BranchKey

MAX_PATTERN_ROWS = 100_000
"""Rows of one pattern that operators are called for; a pattern with more is reported as exceeding its limit."""


class OperatorMatches(NamedTuple):
    """What the operator subscriptions add to the report of one publication."""

    matches: tuple[Match, ...]
    undecided: tuple[Undecided, ...]
    exceeded: tuple[Exceeded, ...]
    usage: OperatorUsage
    limits_reached: tuple[str, ...]


class _Registered(NamedTuple):
    subscription: Subscription
    patterns: dict[int, Branch]  # branch number -> its pattern without operators, for branches that can match
    operators: tuple[Operator, ...]


class _Rules(NamedTuple):
    """The settings of the engine that rewriting depends on."""

    lenient_literals: bool
    entailed: bool


class OperatorSubscriptions:
    """Hold the subscriptions that call operators. Not thread-safe: the engine's operator lock protects it."""

    def __init__(
        self,
        make_matcher: Callable[[], Matcher],
        make_stage: Callable[[], OperatorStage],
        value_limit: int,
        *,
        entailed: bool = False,
    ) -> None:
        """Create an empty set. It makes its matcher and its stage when the first subscription needs them.

        `value_limit` is the number of values of one match. `entailed` publications have what RDFS entails.
        """
        self._entailed = entailed
        self._make_matcher, self._make_stage = make_matcher, make_stage
        self._value_limit = value_limit
        self._registered: dict[str, _Registered] = {}

    @cached_property
    def _pattern_matcher(self) -> Matcher:
        return self._make_matcher()

    @cached_property
    def _stage(self) -> OperatorStage:
        return self._make_stage()

    def __len__(self) -> int:
        return len(self._registered)

    def __contains__(self, subscription_id: str) -> bool:
        return subscription_id in self._registered

    def ids(self) -> tuple[str, ...]:
        return tuple(self._registered)

    def subscription(self, subscription_id: str) -> Subscription:
        """Return the subscription as written. Raises SubscriptionNotFound."""
        if subscription_id not in self._registered:
            raise SubscriptionNotFound(subscription_id)
        return self._registered[subscription_id].subscription

    def subscriptions(self) -> tuple[Subscription, ...]:
        """Return all subscriptions as written."""
        return tuple(each.subscription for each in self._registered.values())

    def operators(self) -> tuple[Operator, ...]:
        """Return the operators that subscriptions call, each once."""
        return tuple(dict.fromkeys(operator for each in self._registered.values() for operator in each.operators))

    def patterns(self, subscription_id: str) -> tuple[Branch, ...]:
        """Return the branches that can match, without their operators."""
        return tuple(self._registered[subscription_id].patterns.values())

    def add(
        self, subscription: Subscription, parts: Sequence[SplitBranch], refuse: Callable[[Subscription], None] | None
    ) -> tuple[str, ...]:
        """Register a subscription and return why branches can never match.

        `refuse` raises for a pattern that is not allowed. An error leaves nothing behind.
        """
        if subscription.id in self._registered:
            raise DuplicateSubscription(subscription.id)
        rules = _Rules(self._stage.literals == "lenient", self._entailed)
        patterns, impossible = _normal_patterns(subscription, parts, refuse, rules)
        added: list[BranchKey] = []
        try:
            for number in patterns:
                part, key = parts[number], (subscription.id, number)
                bound = part.pattern.columns()
                self._stage.add(key, part.calls, bound=bound, where=part.where, binds=part.binds)
                added.append(key)
        except BaseException:
            for key in added:
                self._stage.remove(key)
            raise
        for normal in patterns.values():
            self._pattern_matcher.add(normal)
        self._registered[subscription.id] = _Registered(
            subscription,
            {number: parts[number].pattern for number in patterns},
            tuple(self._stage.registry[call.function] for part in parts for call in part.calls),
        )
        return impossible

    def remove(self, subscription_id: str) -> None:
        """Remove a subscription. Raises SubscriptionNotFound."""
        self.subscription(subscription_id)
        for number in self._registered.pop(subscription_id).patterns:
            self._stage.remove((subscription_id, number))
            self._pattern_matcher.remove(_pattern_id(subscription_id, number))

    def match(self, publication: Publication, row_limit: int) -> OperatorMatches:
        """Match one publication; calls operators, which may take long."""
        found = self._pattern_matcher.match(publication, MAX_PATTERN_ROWS)
        rows: dict[BranchKey, list[dict[Term, Term]]] = {}
        exceeded = {_key(each.subscription_id)[0]: each.work for each in found.exceeded}
        for match in found:
            key = _key(match.subscription_id)
            rows[key] = [solution.values() for solution in match.solutions]
            if match.truncated:
                exceeded.setdefault(key[0], MAX_PATTERN_ROWS)
        report = self._stage.evaluate(publication, rows, row_limit=MAX_PATTERN_ROWS if row_limit else 0)
        undecided: dict[str, list[str]] = {}
        for (id, _), unknown in report.undecided.items():
            undecided.setdefault(id, []).extend(map(str, unknown))
        return OperatorMatches(
            tuple(self._matches(publication, report, row_limit)),
            tuple(Undecided(id, tuple(dict.fromkeys(calls))) for id, calls in undecided.items()),
            tuple(Exceeded(id, work) for id, work in exceeded.items()),
            OperatorUsage(
                self._stage.strategy_name,
                report.calls,
                report.saved,
                report.cost,
                tuple(report.unanswered_by_operator.items()),
            ),
            found.limits_reached,
        )

    def _matches(self, publication: Publication, report: OperatorReport, row_limit: int) -> list[Match]:
        by_id: dict[str, list[BranchKey]] = {}
        for key in sorted(report.matched):
            by_id.setdefault(key[0], []).append(key)
        matches = []
        long_terms: dict[Term, Identifier] = {}
        for id, keys in by_id.items():
            subscription = self.subscription(id)
            if row_limit == 0:
                matches.append(Match(publication.id, subscription, ()))
                continue
            solutions = (
                Solution.of(subscription.branches[number], values)
                for _, number in keys
                for values in report.matched[id, number]
            )
            match = Match.of(publication.id, subscription, solutions, row_limit, self._value_limit, long_terms)
            if match is not None:
                matches.append(match)
        return matches

    def explain(self, publication: Publication, subscription_id: str) -> OperatorCalls:
        """Make every call that the subscription needs for this publication, and compare the strategies' costs."""
        calls: list[str] = []
        costs: list[str] = []
        matched = undecided = False
        for match in self._pattern_matcher.match(publication, MAX_PATTERN_ROWS):
            key = _key(match.subscription_id)
            if key[0] == subscription_id:
                rows = [solution.values() for solution in match.solutions]
                report, answers, strategy_costs = self._stage.explain(publication, key, rows)
                calls += map(_format_answer, answers)
                costs += map(_format_cost, strategy_costs)
                matched |= key in report.matched
                undecided |= key in report.undecided
        return OperatorCalls(tuple(dict.fromkeys(calls)), matched, undecided, tuple(costs))

    def plan(self) -> OperatorPlan:
        """Return in which order operators would be called."""
        return self._stage.plan()


def _normal_patterns(
    subscription: Subscription,
    parts: Sequence[SplitBranch],
    refuse: Callable[[Subscription], None] | None,
    rules: _Rules,
) -> tuple[Mapping[int, Subscription], tuple[str, ...]]:
    """Return, by branch number, the normalised patterns that can match; and why the other branches cannot."""
    patterns: dict[int, Subscription] = {}
    impossible: list[str] = []
    for number, part in enumerate(parts):
        check_expressions(Subscription(subscription.id, branches=[part.pattern]))
        normal, reasons = rewrite_subscription(
            Subscription(_pattern_id(subscription.id, number), branches=[part.pattern]),
            lenient_literals=rules.lenient_literals,
            entailed=rules.entailed,
        )
        impossible += reasons
        if normal is not None:
            if refuse is not None and (part.pattern.tuples or not part.calls):
                refuse(normal)
            patterns[number] = normal
    return patterns, tuple(impossible)


def _pattern_id(subscription_id: str, number: int) -> str:
    return f"{number} {subscription_id}"


def _key(pattern_id: str) -> BranchKey:
    number, _, id = pattern_id.partition(" ")
    return id, int(number)


def _format_answer(call: CallAnswer | UnansweredCall) -> str:
    if isinstance(call, UnansweredCall):
        return f"{call.call}: not known: {call.reason}: {call.detail}"
    if not call.rows:
        return f"{call.call}: no"
    return f"{call.call}: " + ("yes" if call.rows == ((),) else ", ".join(" ".join(row) for row in call.rows))


def _format_cost(each: StrategyCost) -> str:
    return f"{each.strategy}: calls {each.calls}, saved {each.saved}, cost {each.cost:g}"
