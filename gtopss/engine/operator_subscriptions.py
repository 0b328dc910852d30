"""Subscriptions with operators: their graph patterns in a matcher of their own, then the operators for the survivors.

    publication ──> patterns ──> rows of survivors ──> OperatorStage ──> matches, what is undecided, the bill

They are kept apart because they need rows where others need only the fact, and because one costly call must not hold
up the rest. Each branch is a pattern of its own: two branches may ask different operators about equal patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gtopss.errors import DuplicateSubscription, SubscriptionNotFound
from gtopss.language import rewrite_subscription
from gtopss.matching.index.matcher import IndexMatcher
from gtopss.matching.matcher import Matcher
from gtopss.model import Bill, Branch, Exceeded, Match, Publication, Solution, Subscription, Term, Undecided
from gtopss.operators import (
    Asked,
    Limits,
    Operator,
    OperatorReport,
    OperatorStage,
    Parts,
    Plan,
    Registry,
    Taken,
    Unknown,
)
from gtopss.operators.registered import Key
from gtopss.semantics import check_expressions
from ontology import Taxonomy

PATTERN_ROWS = 100_000
"""Rows of a pattern that operators are asked about; one that has more is reported as exceeding its limit."""


class Operated:
    """For one thread at a time."""

    def __init__(
        self,
        make: Callable[[Taxonomy], Matcher],
        taxonomy: Taxonomy,
        registry: Registry,
        strategy: str,
        limits: Limits | None,
        work_limit: int | None = None,
    ) -> None:
        self._patterns = make(taxonomy)
        if isinstance(self._patterns, IndexMatcher) and work_limit is not None:
            self._patterns.subscription_work = work_limit
        self._stage = OperatorStage(registry, strategy=strategy, limits=limits, taxonomy=taxonomy)
        self._registered: dict[str, tuple[Subscription, dict[int, Branch]]] = {}
        self._asked: dict[str, list[Operator]] = {}

    def __len__(self) -> int:
        return len(self._registered)

    def __contains__(self, subscription_id: str) -> bool:
        return subscription_id in self._registered

    def ids(self) -> tuple[str, ...]:
        return tuple(self._registered)

    def subscription(self, subscription_id: str) -> Subscription:
        if subscription_id not in self._registered:
            raise SubscriptionNotFound(subscription_id)
        return self._registered[subscription_id][0]

    def operators(self) -> tuple[Operator, ...]:
        """Those that the subscriptions ask, each once."""
        return tuple(dict.fromkeys(each for asked in self._asked.values() for each in asked))

    def pattern(self, subscription_id: str) -> tuple[Branch, ...]:
        """The subscription's branches without their operators, as far as they can match."""
        return tuple(self._registered[subscription_id][1].values())

    def add(
        self, subscription: Subscription, parts: Sequence[Parts], refuse: Callable[[Subscription], None] | None
    ) -> tuple[str, ...]:
        """Register; gives why branches can never match. `refuse` raises where a pattern is not to be had."""
        if subscription.id in self._registered:
            raise DuplicateSubscription(subscription.id)
        patterns: dict[int, Subscription] = {}
        impossible: list[str] = []
        for number, part in enumerate(parts):
            check_expressions(Subscription(subscription.id, branches=[part.pattern]))
            alone = Subscription(_name(subscription.id, number), branches=[part.pattern])
            normal, reasons = rewrite_subscription(alone)
            impossible += reasons
            if normal is not None:
                if refuse is not None and (part.pattern.tuples or not part.calls):
                    refuse(normal)
                patterns[number] = normal
        added: list[Key] = []
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
            self._patterns.add(normal)
        self._asked[subscription.id] = [self._stage.registry[call.function] for part in parts for call in part.calls]
        self._registered[subscription.id] = subscription, {number: parts[number].pattern for number in patterns}
        return tuple(impossible)

    def remove(self, subscription_id: str) -> None:
        self.subscription(subscription_id)
        del self._asked[subscription_id]
        for number in self._registered.pop(subscription_id)[1]:
            self._stage.remove((subscription_id, number))
            self._patterns.remove(_name(subscription_id, number))

    def match(
        self, publication: Publication, row_limit: int
    ) -> tuple[list[Match], tuple[Undecided, ...], tuple[Exceeded, ...], Bill]:
        found = self._patterns.match(publication, PATTERN_ROWS)
        survivors: dict[Key, list[dict[Term, Term]]] = {}
        exceeded = {_key(each.subscription_id)[0]: each.work for each in found.exceeded}
        for match in found:
            key = _key(match.subscription_id)
            survivors[key] = [solution.values() for solution in match.solutions]
            if match.truncated:
                exceeded.setdefault(key[0], PATTERN_ROWS)
        report = self._stage.evaluate(publication, survivors, row_limit=PATTERN_ROWS if row_limit else 0)
        undecided: dict[str, list[str]] = {}
        for (id, _), unknown in report.open.items():
            undecided.setdefault(id, []).extend(map(str, unknown))
        return (
            self._matches(publication, report, row_limit),
            tuple(Undecided(id, tuple(dict.fromkeys(calls))) for id, calls in undecided.items()),
            tuple(Exceeded(id, work) for id, work in exceeded.items()),
            Bill(self._stage.strategy_name, report.calls, report.saved, report.cost, tuple(report.failing.items())),
        )

    def _matches(self, publication: Publication, report: OperatorReport, row_limit: int) -> list[Match]:
        by_id: dict[str, list[Key]] = {}
        for key in sorted(report.matched):
            by_id.setdefault(key[0], []).append(key)
        made = []
        for id, keys in by_id.items():
            subscription = self.subscription(id)
            if row_limit == 0:
                made.append(Match(publication.id, subscription, ()))
                continue
            solutions = (
                Solution.of(subscription.branches[number], values)
                for _, number in keys
                for values in report.matched[id, number]
            )
            match = Match.of(publication.id, subscription, solutions, row_limit)
            if match is not None:
                made.append(match)
        return made

    def explain(
        self, publication: Publication, subscription_id: str
    ) -> tuple[tuple[str, ...], bool, bool, tuple[str, ...]]:
        """Every call that the subscription needs for this publication, with its answer; whether it matches, is open;
        and what it would take by itself, by each strategy and branch."""
        calls: list[str] = []
        taken: list[str] = []
        held = undecided = False
        for match in self._patterns.match(publication, PATTERN_ROWS):
            key = _key(match.subscription_id)
            if key[0] == subscription_id:
                rows = [solution.values() for solution in match.solutions]
                report, asked, alone = self._stage.explain(publication, key, rows)
                calls += map(_shown, asked)
                taken += map(_taken, alone)
                held |= key in report.matched
                undecided |= key in report.open
        return tuple(dict.fromkeys(calls)), held, undecided, tuple(taken)

    def plan(self) -> Plan:
        return self._stage.plan()


def _name(subscription_id: str, number: int) -> str:
    return f"{number} {subscription_id}"


def _key(name: str) -> Key:
    number, _, id = name.partition(" ")
    return id, int(number)


def _shown(call: Asked | Unknown) -> str:
    """A call and its answer, for people."""
    if isinstance(call, Unknown):
        return f"{call.request}: not known: {call.reason}: {call.detail}"
    if not call.rows:
        return f"{call.request}: no"
    return f"{call.request}: " + ("yes" if call.rows == ((),) else ", ".join(" ".join(row) for row in call.rows))


def _taken(each: Taken) -> str:
    return f"{each.strategy}: calls {each.calls}, saved {each.saved}, cost {each.cost:g}"
