"""The state of one evaluation: the graphs, the budget, and the values that EXISTS gives to its pattern."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeAlias

from gtopss.algebra.dataset import Dataset, TripleGraph
from gtopss.model import Call, Expression, Term
from gtopss.semantics.context import EvaluationContext, Evaluator
from gtopss.semantics.evaluate import EVALUATION_ERRORS, compile_expression, expression_steps
from gtopss.semantics.values import effective_boolean, term_of

Row: TypeAlias = dict[Term, Term]
Rows: TypeAlias = Iterable[Row]

STEPS_PER_TRIPLE = 5
"""Steps of the work limit for one triple that a pattern is compared with."""
STEPS_PER_SOLUTION = 50
"""Steps for one solution that an operator makes; as many as bound the memory of all of them."""
STEPS_PER_VALUE = 5
"""Steps for each value of such a solution."""
MAX_COMPILED = 20_000
"""Compiled expressions that are kept for later publications."""

Condition: TypeAlias = Callable[[Row], bool]
Computation: TypeAlias = Callable[[Row], Term | None]
PatternEvaluator: TypeAlias = Callable[[Call, "Evaluation"], Iterator[Row]]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an operator needs besides its pattern. `given` are the values of the row that an EXISTS is evaluated for."""

    context: EvaluationContext
    dataset: Dataset
    graph: TripleGraph
    given: Mapping[Term, Term]
    evaluate_pattern: PatternEvaluator
    rows: Sequence[Row] | None = None
    """The solutions of the step ROWS, where an index has found them."""
    solution_numbers: Iterator[int] = field(default_factory=itertools.count)
    """The numbers of solutions for BNODE and UUID; those of one query are all different."""

    def pattern(self, pattern: Call) -> Iterator[Row]:
        """Yield the solutions of a pattern."""
        return self.evaluate_pattern(pattern, self)

    def within(self, graph: TripleGraph) -> Evaluation:
        """Return the evaluation in another graph."""
        return replace(self, graph=graph)

    def only_given(self, names: Iterable[Term]) -> Evaluation:
        """Return the evaluation of a subquery, which sees no values but those of the variables that it selects."""
        if not self.given:
            return self
        return replace(self, given={name: self.given[name] for name in names if name in self.given})

    def condition(self, expression: Expression) -> Condition:
        """Return the test whether an expression is true for a row; a type error is not."""
        evaluate, steps = compiled(expression)
        context, exists = self.context, self.exists

        def holds(row: Row) -> bool:
            context.start_row(steps)
            context.exists = exists
            try:
                return effective_boolean(evaluate(row, context))
            except EVALUATION_ERRORS:
                return False

        return holds

    def computation(self, expression: Expression) -> Computation:
        """Return the function from a row to the term of an expression; None for a type error.

        A new term is charged as text that a solution keeps.
        """
        if not isinstance(expression, Call):
            return (lambda row: row.get(expression)) if expression[0] == "?" else lambda row: expression
        evaluate, steps = compiled(expression)
        context, budget, exists, numbers = self.context, self.context.budget, self.exists, self.solution_numbers

        def compute(row: Row) -> Term | None:
            context.start_row(steps)
            context.exists, context.solution_numbers = exists, numbers
            try:
                value = evaluate(row, context)
                made = term_of(value)
            except EVALUATION_ERRORS:
                return None
            if value.term is None:
                budget.add_text(len(made))
                budget.keep(len(made))
            return made

        return compute

    def exists(self, pattern: Expression, row: Mapping[Term, Term]) -> bool:
        """Return whether a pattern has a solution that agrees with a row (SPARQL 1.1, section 18.6: Exists)."""
        assert isinstance(pattern, Call)
        inner = replace(self, given={**self.given, **row})
        found = next(inner.pattern(pattern), None) is not None
        self.context.exists = self.exists  # the conditions of the pattern had their own
        return found

    def spend_solution(self, row: Row) -> None:
        """Charge a solution. Raises BudgetExceeded."""
        self.context.budget.spend(STEPS_PER_SOLUTION + STEPS_PER_VALUE * len(row))


@lru_cache(MAX_COMPILED)
def compiled(expression: Expression) -> tuple[Evaluator, int]:
    """Return an expression as a closure, and the steps of one call. Raises ValueError if it cannot be evaluated."""
    return compile_expression(expression), expression_steps(expression)
