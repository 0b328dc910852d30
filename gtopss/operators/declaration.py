"""An operator: a named, possibly costly function of the publication (DEBS 2007, section 2.1).

The paper's operator gets a predicate's arguments and returns true or false, and the feasible values of the arguments
that are variables. Here an operator declares which argument places it can fill (`binds`); it is called with the
others, its inputs, and returns rows of values for those places. What the predicate says about them, a constant or the
same variable twice, is checked afterwards, so that p(?x, ?y), p(?x, ?x) and p(250, ?y) are three predicates and one
call.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy

import sparqlish
from gtopss.errors import InvalidTerm, short_repr
from gtopss.model import Term
from gtopss.model.expressions import is_operator
from gtopss.model.terms import is_variable, term
from gtopss.operators.errors import InvalidOperator

MAX_ROWS = 10_000
"""Rows that one call may return; more is a mistake, and would be joined with everything."""

DEFAULT_TIMEOUT = 10.0

Function: TypeAlias = Callable[..., Any]
Rows: TypeAlias = tuple[tuple[Term, ...], ...]
"""What a call found: one tuple per row, one term per place in `binds`. Plain true is one empty row, false is none."""

TRUE: Rows = ((),)
FALSE: Rows = ()


class Nonsense(Exception):
    """An operator returned what is no answer."""


@dataclass(frozen=True, slots=True)
class Charged:
    """What an operator returns that knows what this very call cost, a language model by its tokens, say."""

    answer: Any
    cost: float


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """How to call a function, and what is known of it beforehand."""

    name: str
    function: Function
    least: int
    most: int | None
    """Arguments that a predicate may have, those that are bound included."""
    binds: tuple[int, ...] = ()
    """Places whose values the function finds, from 0; it is called without them."""
    cost: float = 1.0
    """What one call is expected to cost, in the unit of the bill; more than nothing."""
    selectivity: float = 0.5
    """How often it is expected to be true."""
    timeout: float | None = DEFAULT_TIMEOUT
    """Seconds until the answer is unknown. With None it runs in the caller's thread, and is trusted to return."""
    batch: int | None = None
    """Calls that may be handed over at once: the function gets a list of argument tuples and returns a list."""
    pure: bool = False
    """It depends on its arguments alone. It is not given the publication, and its answers are kept."""
    check: Callable[..., object] | None = None
    """Called with a predicate's arguments, None for its variables, when a subscription is registered; a ValueError
    refuses the subscription. For what can be told early: a pattern that does not compile, a place that is not known."""

    def __post_init__(self) -> None:
        if problem := _problem(self):
            raise InvalidOperator(self.name, problem)

    @property
    def is_async(self) -> bool:
        return inspect.iscoroutinefunction(self.function)

    def wanted(self) -> str:
        """The number of arguments, for people."""
        if self.most is None:
            return f"{self.least} or more"
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"

    def accepts(self, count: int) -> bool:
        return self.least <= count and (self.most is None or count <= self.most)

    def rows(self, value: object) -> Rows:
        """A function's result as rows. Nonsense if it is no answer; nothing is guessed from truthiness."""
        if isinstance(value, (bool, numpy.bool_)):
            if self.binds and value:
                raise Nonsense(f"returned True, where rows of {len(self.binds)} values are wanted")
            return TRUE if value else FALSE
        if not self.binds:
            raise Nonsense(f"returned {short_repr(value)}, where True or False is wanted")
        if not isinstance(value, Iterable) or isinstance(value, (str, bytes, Mapping)):
            raise Nonsense(f"returned {short_repr(value)}, where rows are wanted")
        made: dict[tuple[Term, ...], None] = {}
        for count, row in enumerate(value):
            if count == MAX_ROWS:  # equal ones count as well, or a generator of them would never end
                raise Nonsense(f"returned more than {MAX_ROWS} rows")
            made[self._row(row)] = None
        return tuple(made)

    def _row(self, row: Any) -> tuple[Term, ...]:
        values = row if isinstance(row, (tuple, list)) else (row,)
        if len(values) != len(self.binds):
            raise Nonsense(f"returned the row {short_repr(row)}, where {len(self.binds)} values are wanted")
        try:
            terms = tuple(term(each) for each in values)
        except InvalidTerm as error:
            raise Nonsense(f"returned the row {short_repr(row)}: {error}") from None
        if any(map(is_variable, terms)):
            raise Nonsense(f"returned the row {short_repr(row)}, which has a variable")
        return terms


def declared(
    name: str | None,
    function: Function,
    *,
    arity: int | tuple[int, int | None] | None = None,
    binds: int | Iterable[int] = (),
    pure: bool = False,
    batch: int | None = None,
    **facts: Any,
) -> Operator:
    """The operator that a declaration describes; name and arity are the function's own unless they are given.

    >>> declared("mobPattern", lambda publication: [60], binds=0).wanted()
    '1'
    """
    called = name if name is not None else getattr(function, "__name__", repr(function))
    places = (binds,) if isinstance(binds, int) else tuple(binds)
    if arity is None:
        if batch is not None:
            raise InvalidOperator(called, "a batched function does not show its arity: state it")
        least, most = _arity(called, function, pure)
        least, most = least + len(places), None if most is None else most + len(places)
    else:
        least, most = (arity, arity) if isinstance(arity, int) else arity
    return Operator(called, function, least, most, binds=places, pure=pure, batch=batch, **facts)


def _arity(name: str, function: Function, pure: bool) -> tuple[int, int | None]:
    """The inputs that a function takes: its positional parameters, the publication not counted."""
    least, most = 0, 0
    unbounded = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            unbounded = True
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            most += 1
            least += parameter.default is parameter.empty
    if not pure:
        if most == 0 and not unbounded:
            raise InvalidOperator(name, "its function takes no publication: give it one, or declare it pure")
        least, most = max(least - 1, 0), max(most - 1, 0)
    return least, None if unbounded else most


def _can_be_written(name: str) -> bool:
    """Whether a query can call an operator of this name: `where` and `contains` are taken."""
    try:
        (element,) = sparqlish.parse(f"ASK {{ FILTER({name}()) }}", operators={name: None}).where.elements
    except sparqlish.SparqlishError:
        return False
    expression = element.expression if isinstance(element, sparqlish.ast.Filter) else None
    return isinstance(expression, sparqlish.ast.Call) and expression.function == name


def _problem(made: Operator) -> str | None:
    if not isinstance(made.name, str) or not made.name:
        return "its name must be a text that is not empty"
    if not is_operator(made.name) or not _can_be_written(made.name):
        return "its name must be a word with a small letter in it, and none that the language has, in capitals or not"
    if not callable(made.function):
        return f"{short_repr(made.function)} cannot be called"
    if made.least < 0 or (made.most is not None and made.most < made.least):
        return f"its arity {made.least} to {made.most} is impossible"
    if len(set(made.binds)) < len(made.binds) or not all(0 <= place < made.least for place in made.binds):
        return f"binds {made.binds} must be different places among its first {made.least} arguments"
    if not 0 < made.cost < float("inf"):
        return f"its cost {made.cost} must be positive"
    if not 0 <= made.selectivity <= 1:
        return f"its selectivity {made.selectivity} must be from 0 to 1"
    if made.timeout is not None and not made.timeout > 0:
        return f"its timeout {made.timeout} must be positive, or None to run it in the caller's thread"
    if made.is_async and made.timeout is None:
        return "an async function needs a timeout: it is waited for"
    if made.batch is not None and made.batch < 1:
        return f"its batch {made.batch} must be at least 1"
    return None
