"""One publication's calls, from the first to the last that is needed or allowed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy

from gtopss.model import Publication, Term
from gtopss.operators.arrays import Integers
from gtopss.operators.board import FALSE, OPEN, TRUE, UNKNOWN, Board, Problem
from gtopss.operators.conjunction import JoinTooLarge, Values
from gtopss.operators.declaration import Operator, Rows
from gtopss.operators.execution import Execution, Flight, Outcome
from gtopss.operators.predicates import Request
from gtopss.operators.registered import Key, Registered
from gtopss.operators.report import Asked, OperatorReport, Unknown
from gtopss.operators.sheet import Sheet
from gtopss.operators.strategies import Run, Strategy
from gtopss.semantics import EvaluationContext


@dataclass(frozen=True, slots=True)
class Limits:
    """What one publication may take."""

    concurrency: int = 1
    """Calls on their way at once. More is faster, and makes calls that an answer on its way would have spared."""
    seconds: float | None = None
    """After that what is undecided stays open."""
    cost: float | None = None
    """What the calls may cost together. It needs the adaptive strategy, which settles the most valuable first."""
    values: Mapping[str, float] = field(default_factory=dict, hash=False)
    """What settling a subscription is worth, by its id, beside the others; 1 if it is not said. Read when the
    subscription is registered."""
    failures: int = 3
    """Timeouts of one operator after which it is not asked again for this publication."""
    patience: float = 1.0
    """Seconds after which a call holds up only its own operator's: the others' are made beside it, whatever
    `concurrency` says. At most a tenth of `seconds`, or one slow call would take the time of all."""


class Cache:
    """Answers of pure operators, kept across publications: the latest `size` of them."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._rows: OrderedDict[Request, Rows] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, request: Request) -> Rows | None:
        rows = self._rows.get(request)
        if rows is not None:
            self._rows.move_to_end(request)
        return rows

    def keep(self, request: Request, rows: Rows) -> None:
        self._rows[request] = rows
        if len(self._rows) > self.size:
            self._rows.popitem(last=False)


class Evaluation:
    """The board, the calls on their way, and the report in the making."""

    def __init__(
        self,
        publication: Publication,
        sheet: Sheet,
        problem: Problem,
        survivors: Mapping[Key, Sequence[Values]],
        registered: Registered,
        limits: Limits,
        scope: EvaluationContext,
        row_limit: int,
        cache: Cache,
        clock: Callable[[], float],
    ) -> None:
        self._sheet, self._survivors, self._registered = sheet, survivors, registered
        self._limits, self._scope, self._row_limit, self._cache, self._clock = limits, scope, row_limit, cache, clock
        self._board = Board(problem)
        self._execution = Execution(publication, clock)
        self._deadline = None if limits.seconds is None else clock() + limits.seconds
        self._patience = limits.patience if limits.seconds is None else min(limits.patience, limits.seconds / 10)
        self._slow: set[Operator] = set()
        self._held: dict[int, Request] = {}
        """Predicates of slow operators, to be asked when these have answered and nothing else is left to ask."""
        self._bindings: dict[int, Rows] = {}
        self._unknown: dict[int, Unknown] = {}
        self._timeouts: dict[str, int] = {}
        self._observed: list[tuple[int, int, float]] = []
        self._prices = None if limits.cost is None else registered.statistics.cost(sheet.predicates, 0.0)
        self._committed = 0.0
        self.held: list[int] = []
        """Conjunctions all of whose predicates held, once for each unit."""
        self._report = OperatorReport(publication.id, wanted=len(problem.unit_predicates))
        self._rows: dict[Key, list[dict[Term, Term]]] = {}

    def run(self, strategy: Strategy, order: Integers | None) -> OperatorReport:
        for unit in numpy.flatnonzero(self._board.remaining == 0).tolist():
            self._complete(unit)  # value constraints alone
        if len(self._cache):
            self._read_cache()
        run = strategy.begin(self._board, order)
        while self._fill(run) and self._is_waiting():
            landed = self._execution.wait(self._next_look())
            if landed is not None:
                self._land(*landed)
        self._give_up()
        self._registered.statistics.observe(self._observed)
        self._report.unknown = tuple(dict.fromkeys(self._unknown.values()))
        self._report.matched = {key: tuple(rows) for key, rows in self._rows.items()}
        return self._report

    def _read_cache(self) -> None:
        for predicate in self._sheet.pure:
            request = self._sheet.request(predicate, self._registered)
            rows = self._cache.get(request)
            if rows is not None and self._board.truth[predicate] == OPEN:
                self._report.asked.append(Asked(request, rows, 0.0, 0.0, cached=True))
                self._enter(predicate, request, Outcome(rows))

    def _fill(self, run: Run) -> bool:
        """Start calls while there is room; False when the time is over."""
        flights, limits, deadline = self._execution.flights, self._limits, self._deadline
        kernel, arguments = run.kernel, run.arguments  # `run.next()`, of which there are thousands
        room = limits.concurrency + self._look_for_slow()
        while deadline is None or self._clock() < deadline:
            if len(flights) >= room:
                return True
            predicate = kernel(*arguments)
            if predicate < 0 and (predicate := self._released()) < 0:
                return True
            request = self._sheet.request(predicate, self._registered)
            operator = request.operator
            if self._timeouts and self._timeouts.get(operator.name, 0) >= limits.failures:
                detail = f"not asked: {operator.name} ran out of time {limits.failures} times for this publication"
                self._enter(predicate, request, Outcome(None, "timeout", detail))
            elif limits.cost is not None and self._committed + self._price(predicate) > limits.cost:
                detail = f"not asked: {limits.cost - self._committed:g} of the budget of {limits.cost:g} is left"
                self._enter(predicate, request, Outcome(None, "budget", detail))
            elif operator.timeout is None and operator.batch is None:
                outcome, seconds = self._execution.call(request)
                self._arrived(predicate, request, outcome, seconds)
            elif operator in self._slow:
                self._hold_back(predicate, request)
            else:
                self._start([predicate] if operator.batch is None else self._batch(predicate, request))
        return False

    def _look_for_slow(self) -> int:
        """Find the calls on their way that are slow by now; returns how many."""
        self._slow.clear()
        slow = 0
        for flight in self._execution.flights:
            if not flight.slow and self._clock() >= flight.started + self._patience:
                flight.slow = True
                self._execution.doubt(flight)
            if flight.slow:
                slow += 1
                self._slow.add(flight.operator)
        return slow

    def _is_waiting(self) -> bool:
        """Whether calls are on their way that somebody needs, or that are not slow: their answer is learned from."""
        flights = self._execution.flights
        return bool(flights) and (not all(each.slow for each in flights) or bool(self._board.undecided.any()))

    def _next_look(self) -> float | None:
        """When the time is over, or a call on its way becomes a slow one."""
        times = [each.started + self._patience for each in self._execution.flights if not each.slow]
        return min(times if self._deadline is None else [*times, self._deadline], default=None)

    def _hold_back(self, predicate: int, request: Request) -> None:
        self._held[predicate] = request
        for each in self._sheet.siblings.get(predicate, (predicate,)):
            self._board.ask(each)

    def _released(self) -> int:
        """A predicate that was held back, is still needed and need not be held back any longer, or -1."""
        for predicate, request in list(self._held.items()):
            if self._board.truth[predicate] != OPEN or self._board.demand[predicate] <= 0.0:
                del self._held[predicate]
            elif request.operator not in self._slow:
                del self._held[predicate]
                return predicate
        return -1

    def _price(self, predicate: int) -> float:
        """What a call is expected to cost, as far as there is a budget."""
        return 0.0 if self._prices is None else float(self._prices[predicate])

    def _batch(self, predicate: int, request: Request) -> list[int]:
        """The predicate and those of the same operator that promise most, as many as it takes and the budget allows."""
        board, problem = self._board, self._board.problem
        assert request.operator.batch is not None
        others = numpy.array(self._sheet.batched[request.operator])
        free = (board.asked[others] == 0) | numpy.isin(others, list(self._held))
        others = others[free & (board.truth[others] == OPEN) & (board.demand[others] > 0.0)]
        chance = problem.selectivity[others]
        gain = ((1.0 - chance) * board.demand[others] + chance * board.final[others]) / problem.cost[others]
        chosen = {request: predicate}
        left = None if self._limits.cost is None else self._limits.cost - self._committed - self._price(predicate)
        for other in others[numpy.argsort(-gain, kind="stable")].tolist():
            if len(chosen) == request.operator.batch or (left is not None and self._price(other) > left):
                break
            if chosen.setdefault(self._sheet.request(other, self._registered), other) == other and left is not None:
                left -= self._price(other) if other != predicate else 0.0
        return list(chosen.values())

    def _start(self, predicates: list[int]) -> None:
        requests = []
        for predicate in predicates:
            self._committed += self._price(predicate)
            self._held.pop(predicate, None)
            for each in self._sheet.siblings.get(predicate, (predicate,)):
                self._board.ask(each)
            requests.append(self._sheet.request(predicate, self._registered))
        flight, outcomes = self._execution.start(requests)
        flight.predicates = predicates
        if outcomes is not None:
            self._land(flight, outcomes)

    def _land(self, flight: Flight, outcomes: list[Outcome]) -> None:
        if outcomes[0].reason == "timeout":
            name = flight.requests[0].operator.name
            self._timeouts[name] = self._timeouts.get(name, 0) + 1
        seconds = flight.seconds / len(outcomes)
        for predicate, request, outcome in zip(flight.predicates, flight.requests, outcomes, strict=True):
            self._committed -= self._price(predicate)
            self._arrived(predicate, request, outcome, seconds)

    def _arrived(self, predicate: int, request: Request, outcome: Outcome, seconds: float) -> None:
        operator = request.operator
        if outcome.reason == "overloaded":  # no call was made
            self._enter(predicate, request, outcome)
            return
        cost = operator.cost
        if outcome.charge is not None:
            cost = outcome.charge
            self._registered.statistics.observe_charge(self._sheet.numbers[predicate], cost)
        self._committed += cost
        self._report.asked.append(Asked(request, outcome.rows, seconds, cost))
        if operator.pure and outcome.rows is not None:
            self._cache.keep(request, outcome.rows)
        if operator.binds or self._sheet.siblings:
            self._enter(predicate, request, outcome, seconds)
        else:
            self._answer(predicate, request, outcome, outcome.rows, seconds)

    def _enter(self, predicate: int, request: Request, outcome: Outcome, seconds: float = 0.0) -> None:
        """An outcome, for every predicate that it answers."""
        rows, binds = outcome.rows, request.operator.binds
        for each in self._sheet.siblings.get(predicate, (predicate,)):
            found = rows
            if binds and rows is not None:
                found = self._registered.predicate(self._sheet.numbers[each]).bindings(rows)
            self._answer(each, request, outcome, found, seconds)

    def _answer(self, predicate: int, request: Request, outcome: Outcome, rows: Rows | None, seconds: float) -> None:
        if rows is None:
            assert outcome.reason is not None
            self._unknown[predicate] = Unknown(request, outcome.reason, outcome.detail)
            truth = UNKNOWN
        else:
            truth = TRUE if rows else FALSE
            if rows:
                self._bindings[predicate] = rows
            self._observed.append((self._sheet.numbers[predicate], truth, seconds))
        for unit in self._board.answer(predicate, truth):
            self._complete(unit)

    def _complete(self, unit: int) -> None:
        """No predicate of the unit is false: join, and test the value constraints."""
        number = int(self._sheet.conjunctions[unit])
        key, conjunction = self._registered.key(number), self._registered.conjunction(number)
        rows = self._sheet.rows.get(unit, self._survivors[key])
        plain = conjunction.is_plain and not self._unknown
        places = [] if plain else self._sheet.places(unit, self._registered)
        missing = tuple(dict.fromkeys(self._unknown[place] for place in places if place in self._unknown))
        if not missing:
            self.held.append(number)
        room = 1 if missing or not self._row_limit else self._row_limit - len(self._rows.get(key, ())) + 1
        found: list[dict[Term, Term]] = []
        try:
            answers = [self._bindings.get(place) for place in places]
            passed = rows if plain else conjunction.solutions(rows, answers, self._scope)
            found.extend(map(dict, islice(passed, room)))
        except JoinTooLarge:
            request = self._sheet.request(places[0], self._registered)
            missing = (*missing, Unknown(request, "join", "its rows multiply beyond what is joined"))
            self._unknown.setdefault(places[0], missing[-1])
            found = found or [{}]
        if not found:
            return
        if missing:
            known = self._report.open.get(key, ())
            self._report.open[key] = tuple(dict.fromkeys((*known, *missing)))
            return
        kept = self._rows.setdefault(key, [])
        kept.extend(found[: self._row_limit - len(kept)] if self._row_limit else ())
        if self._row_limit and len(found) == room:
            self._report.truncated.add(key)
        if not self._row_limit and number in self._registered.with_inputs:
            for other in numpy.flatnonzero(self._sheet.conjunctions == number).tolist():
                self._board.drop(other)

    def _give_up(self) -> None:
        """What is still open when nothing more may be asked: unknown, and said to be."""
        board = self._board
        for flight in self._execution.abandon():
            late = Outcome(None, "deadline", f"no answer after {flight.seconds:.3g} s, when the time was over")
            for predicate, request in zip(flight.predicates, flight.requests, strict=True):
                if board.demand[predicate] > 0.0:
                    self._arrived(predicate, request, late, flight.seconds)
                else:  # nobody needs it any more, but it was made
                    self._report.asked.append(Asked(request, None, flight.seconds, request.operator.cost))
        if not board.undecided.any():
            return
        detail = "not asked: the time for the publication was over"
        for predicate in numpy.flatnonzero((board.truth == OPEN) & (board.demand > 0.0)).tolist():
            if board.truth[predicate] == OPEN:
                self._enter(
                    predicate, self._sheet.request(predicate, self._registered), Outcome(None, "deadline", detail)
                )
